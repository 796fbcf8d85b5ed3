extension AuditInput {
    /// A table as `throng suppress` writes it: a line a cell, RFC 4180, with a header.
    ///
    /// Columns: `count`; `value` where there is one; `status`, which is not looked at; every other column is a dimension. A
    /// line without a count is withheld. Every code has to occur in some line, withheld or not.
    package struct OwnTable: Sendable {
        let text: String
        let name: String

        /// Puts a table together with the name of its file.
        package init(text: String, name: String) {
            self.text = text
            self.name = name
        }
    }

    /// Adds a table that stands alone.
    package mutating func add(
        table text: String, name: String, threshold: Int64, path: (_ dimension: String, _ code: String) -> [String]
    ) {
        add(tables: [OwnTable(text: text, name: name)], threshold: threshold) { [path($0, $1)] }
    }

    /// Adds tables that are sums over the same leaves.
    ///
    /// - Parameter paths: of a dimension's code, by hierarchy: itself, its ancestors, and last the total.
    /// - Complexity: O(lines × dimensions × codes below a code).
    package mutating func add(
        tables: [OwnTable], threshold: Int64, paths: (_ dimension: String, _ code: String) -> [[String]]
    ) {
        var known: [String: Set<String>] = [:]
        var read: [(table: OwnTable, header: [String], lines: ArraySlice<[String]>)] = []
        for table in tables {
            let lines = CSVLines.split(table.text)
            guard let header = lines.first, header.contains("count"), header.contains("status") else {
                unread.append("\(table.name): no protected table: its header lacks count or status")
                return
            }
            if let place = lines.firstIndex(where: { $0.count != header.count }) {
                unread.append(
                    "\(table.name): line \(place + 1) has \(lines[place].count) fields, not \(header.count)")
                return
            }
            for column in header.indices where !Self.isNumber(header[column]) {
                known[header[column], default: []].formUnion(lines.dropFirst().map { $0[column] })
            }
            read.append((table, header, lines.dropFirst()))
        }
        for (name, codes) in known.sorted(by: { $0.key < $1.key }) {
            let leaves = OwnCodes(codes) { paths(name, $0) }.leaves
            declare(AuditPlan.Dimension(name: name, elements: leaves, partitionsDevices: true))
        }
        let metric = tables.map(\.name).joined(separator: " + ")
        for (table, header, lines) in read {
            sources.append(table.name)
            // The total of a linked table is that of its own codes.
            add(
                lines, header, of: table.name, metric: metric, threshold: threshold, namesTotals: tables.count > 1,
                paths: paths)
        }
    }

    private static func isNumber(_ column: String) -> Bool { ["count", "value", "status"].contains(column) }

    private mutating func add(
        _ lines: ArraySlice<[String]>, _ header: [String], of name: String, metric: String, threshold: Int64,
        namesTotals: Bool, paths: (_ dimension: String, _ code: String) -> [[String]]
    ) {
        let dimensions = header.indices.filter { !Self.isNumber(header[$0]) }
        let codes = dimensions.map { column in
            OwnCodes(Set(lines.map { $0[column] })) { paths(header[column], $0) }
        }
        let measures: [AuditMeasure] = header.contains("value") ? [.count, .sum("value")] : [.count]
        var shown: Set<[Int]> = []
        for line in lines {
            let fields = Dictionary(zip(header, line)) { first, _ in first }
            shown.insert(zip(dimensions, codes).map { $1.level[line[$0]] ?? 0 })
            let region = AuditRegion(
                period: .timeless,
                slices: zip(dimensions, codes).compactMap { column, codes in
                    codes.level[line[column]] == 1 && !namesTotals
                        ? nil : .init(dimension: header[column], labels: (codes.below[line[column]] ?? []).sorted())
                })
            for measure in measures {
                let value =
                    measure.isSum
                    ? fields["value"].flatMap(FixedPoint.init)?.scaled(to: 6) : fields["count"].flatMap { Int64($0) }
                guard let value else { continue }
                statements.append(
                    AuditStatement(
                        source: name, app: "table", metric: metric, measure: measure, region: region, value: value))
            }
        }
        for levels in shown.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let kept = levels.indices.filter { levels[$0] > 1 || namesTotals }
            families.append(
                AuditFamily(
                    source: name, app: "table", metric: metric, measures: measures, period: .timeless,
                    threshold: threshold,
                    axes: kept.map { place in
                        AuditFamily.Axis(
                            dimension: header[dimensions[place]],
                            alternatives: codes[place].level.filter { $0.value == levels[place] }.keys.sorted().map {
                                (codes[place].below[$0] ?? []).sorted()
                            })
                    }))
        }
    }

    /// The codes of one dimension.
    private struct OwnCodes {
        /// Codes that are nobody's parent, sorted.
        let leaves: [String]
        /// By code, the leaves in it, in no order.
        let below: [String: [String]]
        /// By code, how deep it is: the total has 1, its parts have 2; those of a further hierarchy have levels of their own.
        let level: [String: Int]

        init(_ codes: Set<String>, paths: (String) -> [[String]]) {
            let all = codes.map { (code: $0, paths: paths($0)) }
            let parents = Set(all.flatMap { $0.paths.flatMap { $0.dropFirst() } })
            leaves = codes.subtracting(parents).sorted()
            var level: [String: Int] = [:]
            var below: [String: Set<String>] = [:]
            for (leaf, paths) in all where !parents.contains(leaf) {
                for (hierarchy, path) in paths.enumerated() {
                    for (step, code) in path.enumerated() {
                        below[code, default: []].insert(leaf)
                        let depth = path.count - step
                        let own = depth == 1 ? 1 : hierarchy * Self.mostLevels + depth
                        level[code] = min(level[code] ?? own, own)
                    }
                }
            }
            self.level = level
            self.below = below.mapValues { Array($0) }
        }

        /// Levels of one hierarchy, more than any has.
        private static let mostLevels = 1 << 20
    }
}
