extension AuditInput {
    /// Adds a table as `throng suppress` writes it: a line a cell, RFC 4180, with a header.
    ///
    /// Columns: `count`; `value` where there is one; `status`, which is not looked at; every other column is a dimension. A
    /// line without a count is withheld. Every code has to occur in some line, withheld or not.
    ///
    /// - Parameter path: of a dimension's code: itself, its ancestors, and last the total.
    /// - Complexity: O(lines × dimensions × codes below a code).
    package mutating func add(
        table text: String, name: String, threshold: Int64, path: (_ dimension: String, _ code: String) -> [String]
    ) {
        let lines = CSVLines.split(text)
        guard let header = lines.first, header.contains("count"), header.contains("status") else {
            unread.append("\(name): no protected table: its header lacks count or status")
            return
        }
        if let place = lines.firstIndex(where: { $0.count != header.count }) {
            unread.append("\(name): line \(place + 1) has \(lines[place].count) fields, not \(header.count)")
            return
        }
        sources.append(name)
        let dimensions = header.indices.filter { !["count", "value", "status"].contains(header[$0]) }
        let codes = dimensions.map { column in
            OwnCodes(Set(lines.dropFirst().map { $0[column] })) { path(header[column], $0) }
        }
        for (place, column) in dimensions.enumerated() {
            declare(
                AuditPlan.Dimension(name: header[column], elements: codes[place].leaves, partitionsDevices: true))
        }
        let measures: [AuditMeasure] = header.contains("value") ? [.count, .sum("value")] : [.count]
        var shown: Set<[Int]> = []
        for line in lines.dropFirst() {
            let fields = Dictionary(zip(header, line)) { first, _ in first }
            shown.insert(zip(dimensions, codes).map { $1.level[line[$0]] ?? 0 })
            let region = AuditRegion(
                period: .timeless,
                slices: zip(dimensions, codes).compactMap { column, codes in
                    codes.level[line[column]] == 1
                        ? nil : .init(dimension: header[column], labels: (codes.below[line[column]] ?? []).sorted())
                })
            for measure in measures {
                let value =
                    measure.isSum
                    ? fields["value"].flatMap(FixedPoint.init)?.scaled(to: 6) : fields["count"].flatMap { Int64($0) }
                guard let value else { continue }
                statements.append(
                    AuditStatement(
                        source: name, app: "table", metric: name, measure: measure, region: region, value: value))
            }
        }
        for levels in shown.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let kept = levels.indices.filter { levels[$0] > 1 }
            families.append(
                AuditFamily(
                    source: name, app: "table", metric: name, measures: measures, period: .timeless,
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
        private(set) var below: [String: [String]] = [:]
        /// By code, how deep it is: the total has 1, its parts have 2.
        let level: [String: Int]

        init(_ codes: Set<String>, path: (String) -> [String]) {
            let paths = codes.map(path)
            let parents = Set(paths.flatMap { $0.dropFirst() })
            leaves = codes.subtracting(parents).sorted()
            var level: [String: Int] = [:]
            for path in paths where !parents.contains(path[0]) {
                for (step, code) in path.enumerated() {
                    below[code, default: []].append(path[0])
                    level[code] = path.count - step
                }
            }
            self.level = level
        }
    }
}
