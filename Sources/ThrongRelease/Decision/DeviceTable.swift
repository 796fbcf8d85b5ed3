internal import ThrongPlan
internal import ThrongSuppression

/// The published numbers of devices of one grouping's splits, where they add up.
///
/// Within one window devices add over dimensions that partition them (disclosure, section 1), so published numbers of
/// devices are a table of their own beside that of events, with smaller numbers in it. A period of several windows
/// publishes the largest of its windows, which does not add: only the largest part and the sum of the parts bound it,
/// and both bounds leave a hidden cell anything up to its published whole, which is k or more.
struct DeviceTable {
    private let problem: SuppressionProblem
    /// By column of this table, the column of the release's problem.
    private let columns: [ColumnIndex]

    /// The tables of a release; none where it publishes no devices.
    static func all(of laid: ReleaseProblem, header: ReleaseHeader) throws(SuppressionError) -> [DeviceTable] {
        let layout = header.layout
        guard header.reach, layout.partition != .total, laid.frame.parts.count == 1,
            Set(laid.frame.parts[0].distinct.map(\.window)).count == 1
        else { return [] }
        // Groupings that keep the same of the other dimensions are splits of one another.
        let families = Dictionary(grouping: laid.own) { layout.apart(from: layout.partition, laid.slabs[$0].margin) }
        var tables: [DeviceTable] = []
        for (_, slabs) in families.sorted(by: { $0.key < $1.key }) where slabs.count > 1 {
            if let table = try DeviceTable(laid, slabs: slabs, header: header) { tables.append(table) }
        }
        return tables
    }

    private init?(_ laid: ReleaseProblem, slabs: [Int], header: ReleaseHeader) throws(SuppressionError) {
        let layout = header.layout
        guard let counted = layout.counting(laid.slabs[slabs[0]].margin) else { return nil }
        let rows = (laid.frame.distinct[0][counted] ?? []).sorted { $0.cell < $1.cell }
        var lists = IndexLists()
        var cells: [CandidateCell] = []
        var columns: [ColumnIndex] = []
        var placesOf: [[CellIndex: UInt32]] = []
        for number in slabs {
            let slab = laid.slabs[number]
            let project = layout.projection(from: counted, to: slab.margin)
            var members: [CellIndex: [UInt32]] = [:]
            for (leaf, row) in rows.enumerated() {
                members[project(row.cell), default: []].append(UInt32(leaf))
            }
            var places: [CellIndex: UInt32] = [:]
            for (place, cell) in slab.cells.enumerated() where !slab.isEmpty[place] {
                guard let column = laid.columns[number][place] else { continue }
                let whole = laid.problem.cells[Int(column)]
                places[cell] = UInt32(cells.count)
                lists.append(members[cell] ?? [])
                columns.append(ColumnIndex(column))
                cells.append(
                    CandidateCell(
                        floor: slab.floors[place], cost: whole.cost,
                        isSensitive: slab.floors[place] < header.threshold.devices))
            }
            placesOf.append(places)
        }
        var relations: [AdditiveRelation] = []
        for (fine, child) in slabs.enumerated() {
            for (coarse, parent) in slabs.enumerated()
            where child != parent && layout.refines(laid.slabs[child].margin, laid.slabs[parent].margin) {
                let project = layout.projection(from: laid.slabs[child].margin, to: laid.slabs[parent].margin)
                var children: [CellIndex: [ColumnIndex]] = [:]
                for (cell, column) in placesOf[fine].sorted(by: { $0.key < $1.key }) {
                    children[project(cell), default: []].append(ColumnIndex(column))
                }
                for (cell, column) in placesOf[coarse].sorted(by: { $0.key < $1.key }) {
                    guard let parts = children[cell], parts.count > 1 else { continue }
                    relations.append(AdditiveRelation(parent: ColumnIndex(column), children: parts))
                }
            }
        }
        self.columns = columns
        let floors = cells.map(\.floor)
        problem = try SuppressionProblem(
            measures: [AdditiveMeasure(values: rows.map(\.devices), protection: .reachesThreshold)],
            columns: lists, cells: cells, relations: relations,
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

extension MetricLayout {
    /// What a margin keeps of the dimensions outside another, and of what coarsens them.
    func apart(from other: Margin, _ margin: Margin) -> Margin {
        Margin(
            keeping: dimensions.indices.filter { place in
                margin.keeps(place) && !other.keeps(dimensions[place].coarsening?.place ?? place)
            })
    }
}
