internal import ThrongPlan
internal import ThrongSuppression

/// The published numbers of devices of one grouping's splits, where they add up.
///
/// Within one window devices add over dimensions that partition them (disclosure, section 1), so published numbers of
/// devices are a table of their own beside that of events, with smaller numbers in it. A period of several windows
/// publishes the largest of its windows, which does not add: only the largest part and the sum of the parts bound it,
/// and both bounds leave a hidden cell anything up to its published whole, which is k or more. What clients say (firsts)
/// adds over such dimensions in every period, because a device that is in one bucket only has its first there.
struct DeviceTable {
    private let problem: SuppressionProblem
    /// By column of this table, the column of the release's problem.
    private let columns: [ColumnIndex]

    /// The tables of a release; none where it publishes no devices.
    static func all(of laid: CaseTable, header: ReleaseHeader) throws(SuppressionError) -> [DeviceTable] {
        try floors(of: laid, header: header) + firsts(of: laid, header: header)
    }

    private static func floors(of laid: CaseTable, header: ReleaseHeader) throws(SuppressionError) -> [DeviceTable] {
        let layout = header.layout
        guard header.reach, laid.addsDevices(header) else { return [] }
        var tables: [DeviceTable] = []
        for slabs in families(of: laid, layout) {
            guard let counted = layout.counting(laid.slabs[slabs[0]].margin) else { continue }
            let rows = laid.rows(of: counted, header).sorted { $0.cell < $1.cell }
            let numbers = slabs.map { number in
                let slab = laid.slabs[number]
                let project = layout.projection(from: counted, to: slab.margin)
                var members: [CellIndex: [UInt32]] = [:]
                for (leaf, row) in rows.enumerated() {
                    members[project(row.cell), default: []].append(UInt32(leaf))
                }
                let devices = slab.cells.map { cell in
                    (members[cell] ?? []).reduce(Int64(0)) { $0.addedClamped(rows[Int($1)].devices) }
                }
                return Numbers(
                    slab: number, leaves: slab.cells.map { members[$0] ?? [] }, devices: devices,
                    // A floor may be of devices that came too late for the period before: others then tell of this one's.
                    isSensitive: zip(slab.floors, devices).map {
                        !header.threshold.isReached(by: $0) || $1 > 0 && !header.threshold.isReached(by: $1)
                    })
            }
            tables.append(try DeviceTable(laid, numbers, of: [rows.map(\.devices)], header: header))
        }
        return tables
    }

    /// Own cells whose number of devices is under k although its floor is not, because not all prove themselves in the period: they
    /// are published without it. Nor does a rollup say of how many devices it is where that tells how few of them a part that is
    /// published lacks.
    static func unproved(of laid: CaseTable, _ release: ReleaseCase) -> Set<ColumnIndex> {
        let (header, threshold) = (release.header, release.header.threshold)
        guard header.provesFirsts else { return [] }
        var parts: [Margin: [CellIndex: [Int64]]] = [:]
        for cell in release.earlier.filter(\.header.provesFirsts).flatMap(\.cells) {
            if let reach = cell.reach { parts[cell.margin, default: [:]][cell.cell, default: []].append(reach.devices) }
        }
        var found: Set<ColumnIndex> = []
        for slab in laid.own {
            guard let numbers = laid.numbers[slab] else { continue }
            for (place, devices) in numbers.enumerated() {
                guard let column = laid.columns[slab][place] else { continue }
                let known = parts[laid.slabs[slab].margin]?[laid.slabs[slab].cells[place]] ?? []
                let tells = known.contains { devices > $0 && !threshold.isReached(by: devices - $0) }
                if tells || !threshold.isReached(by: devices) { found.insert(ColumnIndex(column)) }
            }
        }
        return found
    }

    /// The window in which the devices of a period are; nil where they are in several.
    ///
    /// Devices that came too late for the period before are in that one's window. They are no part of the table, and nobody who
    /// reads it knows that there are any.
    static func window(of part: StoredCube, _ layout: MetricLayout) -> WindowNumber? {
        let windows = Set(part.distinct.map(\.window))
        return windows.count == 1 ? windows.first : layout.window(of: part.period)
    }

    /// The groupings of a family say the same of each leaf where clients are honest and reach the daemon in time; where
    /// they differ, what each says is protected.
    private static func firsts(of laid: CaseTable, header: ReleaseHeader) throws(SuppressionError) -> [DeviceTable] {
        guard header.hasFirsts else { return [] }
        var tables: [DeviceTable] = []
        for slabs in families(of: laid, header.layout) {
            let numbers = slabs.compactMap { number -> Numbers? in
                let slab = laid.slabs[number]
                return laid.firsts[number].map { devices in
                    Numbers(
                        slab: number, leaves: slab.cells.indices.map { Array(slab.leaves[$0]) }, devices: devices,
                        isSensitive: slab.cells.indices.map { place in
                            laid.columns[number][place].map { laid.problem.cells[Int($0)].isSensitive } ?? false
                        })
                }
            }
            guard numbers.count > 1 else { continue }
            var measures: [[Int64]] = []
            for number in numbers {
                guard let said = laid.frame.firsts[laid.slabs[number.slab].margin], !measures.contains(said) else {
                    continue
                }
                measures.append(said)
            }
            tables.append(try DeviceTable(laid, numbers, of: measures, header: header))
        }
        return tables
    }

    /// Shown groupings that keep the same of the dimensions that do not partition devices: splits of one another.
    private static func families(of laid: CaseTable, _ layout: MetricLayout) -> [[Int]] {
        guard layout.partition != .total else { return [] }
        return Dictionary(grouping: laid.own) { layout.apart(from: layout.partition, laid.slabs[$0].margin) }
            .sorted { $0.key < $1.key }.map(\.value).filter { $0.count > 1 }
    }

    /// The numbers of one slab, a cell each.
    private struct Numbers {
        let slab: Int
        /// The rows of the table that each sums.
        let leaves: [[UInt32]]
        /// Unit: devices.
        let devices: [Int64]
        /// Whether it must not become known.
        let isSensitive: [Bool]
    }

    private init(
        _ laid: CaseTable, _ numbers: [Numbers], of measures: [[Int64]], header: ReleaseHeader
    ) throws(SuppressionError) {
        let layout = header.layout
        let slabs = numbers.map(\.slab)
        var lists = IndexLists()
        var cells: [CandidateCell] = []
        var columns: [ColumnIndex] = []
        var placesOf: [[CellIndex: UInt32]] = []
        for number in numbers {
            let slab = laid.slabs[number.slab]
            var places: [CellIndex: UInt32] = [:]
            for (place, cell) in slab.cells.enumerated() where !slab.isEmpty[place] {
                guard let column = laid.columns[number.slab][place] else { continue }
                let whole = laid.problem.cells[Int(column)]
                places[cell] = UInt32(cells.count)
                lists.append(number.leaves[place])
                columns.append(ColumnIndex(column))
                cells.append(
                    CandidateCell(
                        floor: number.devices[place], cost: whole.cost, isSensitive: number.isSensitive[place]))
            }
            placesOf.append(places)
        }
        self.columns = columns
        let floors = cells.map(\.floor)
        problem = try SuppressionProblem(
            measures: measures.map { AdditiveMeasure(values: $0, protection: .reachesThreshold) },
            columns: lists, cells: cells,
            relations: layout.relations(among: zip(slabs, placesOf).map { (laid.slabs[$0].margin, $1) }),
            // One more than k: a cell that reaches k only where all else that is hidden is empty does not reach it,
            // because a rerun of this code over such a table publishes the cell.
            threshold: header.threshold.devices + 1,
            // Devices of different buckets add within the one window.
            unionFloor: { parts in parts.reduce(0) { $0.addedClamped(floors[Int($1.value)]) } })
    }

    /// What must be hidden besides what is hidden already.
    struct Finding {
        /// Columns of the release's problem: what the engine hides, and what surrounds a cell that it could not prove.
        let hidden: [ColumnIndex]
        /// What the separate verification found wrong.
        let faults: Int
    }

    /// Decides about what is published so far.
    func decide(given isPublished: [Bool], engine: SuppressionEngine) throws(SuppressionError) -> Finding {
        let offered = try SuppressionProblem(
            measures: problem.measures, columns: problem.columns,
            cells: zip(problem.cells, columns).map { cell, column in
                CandidateCell(
                    floor: cell.floor, cost: cell.cost, isSensitive: cell.isSensitive,
                    isOffered: isPublished[Int(column.value)])
            },
            relations: problem.relations, threshold: problem.threshold, unionFloor: problem.unionFloor)
        let pattern = try engine.pattern(for: offered)
        // Once nothing published holds a row of an open cell, that row may be anything.
        let open = pattern.unproved + pattern.openRelations.map { offered.relations[$0].parent }
        let rows = Set(open.flatMap { offered.columns[Int($0.value)] })
        let hidden = columns.indices.filter {
            isPublished[Int(columns[$0].value)]
                && (!pattern.isPublished[$0] || offered.columns[$0].contains(where: rows.contains))
        }
        var random = SystemRandomNumberGenerator()
        let faults = PatternVerifier(offered).violations(
            of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next())
        return Finding(hidden: hidden.map { columns[$0] }, faults: faults.count)
    }
}

extension DeviceTable {
    /// Numbers of devices that have to be secret with others, because these would follow from them.
    ///
    /// - Parameters:
    ///   - secrets: columns whose numbers of devices must not follow.
    ///   - isPublished: by column: it is published.
    ///   - silent: those of which the number of devices is not.
    func closing(
        _ secrets: Set<ColumnIndex>, given isPublished: [Bool], _ silent: Set<ColumnIndex>,
        _ options: SuppressionOptions
    ) throws(SuppressionError) -> [ColumnIndex] {
        guard columns.contains(where: secrets.contains) else { return [] }
        let shown = columns.map { isPublished[Int($0.value)] && !silent.contains($0) }
        var kept = shown
        try problem.close(&kept, secrets: columns.map(secrets.contains), options)
        return columns.indices.filter { shown[$0] && !kept[$0] }.map { columns[$0] }
    }

    /// Numbers of devices that are published, or are sums or rests of such.
    func known(given isPublished: [Bool], _ silent: Set<ColumnIndex>) -> [ColumnIndex] {
        let known = problem.known { isPublished[Int(columns[$0].value)] && !silent.contains(columns[$0]) }
        return columns.indices.filter { known[$0] }.map { columns[$0] }
    }
}

extension MetricLayout {
    /// What a margin keeps of the dimensions outside another, and of what coarsens them.
    func apart(from other: Margin, _ margin: Margin) -> Margin {
        Margin(
            keeping: dimensions.indices.filter { place in
                margin.keeps(place) && !other.keeps(dimensions[place].coarsening?.place ?? place)
            })
    }
}

extension CaseTable {
    /// Whether numbers of devices add up over dimensions that partition devices: of one window, or of devices that proved themselves
    /// once in the period.
    func addsDevices(_ header: ReleaseHeader) -> Bool {
        header.provesFirsts
            || frame.parts.count == 1 && DeviceTable.window(of: frame.parts[0], frame.layout) != nil
    }

    /// By cell of a tracked margin, these devices.
    func rows(of counted: Margin, _ header: ReleaseHeader) -> [(cell: CellIndex, devices: Int64)] {
        if let proved = frame.proved(in: header) {
            return (proved.devices[counted] ?? [:]).map { (cell: $0.key, devices: $0.value) }
        }
        let window = DeviceTable.window(of: frame.parts[0], frame.layout)
        return (frame.distinct[0][counted] ?? []).filter { $0.window == window }
            .map { (cell: $0.cell, devices: $0.devices) }
    }
}
