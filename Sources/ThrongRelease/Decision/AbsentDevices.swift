internal import ThrongPlan
internal import ThrongSuppression

/// How many devices of a whole are in none of its parts' events, where readers could take the one from the other.
///
/// Along a dimension in several buckets of which a device may be, numbers of devices do not add up, but a whole less a part
/// still is a number of devices: of 93, 90 saw a page, so three did not. Where devices add up over other dimensions, such
/// differences do, too, and form a table of their own: what is under k in it must not follow from published numbers. What has
/// to be hidden is how many devices the part has, and not its events.
struct AbsentDevices {
    let laid: CaseTable
    let header: ReleaseHeader
    let families: [Family]
    /// Whether floors are numbers of devices.
    private let countsFloors: Bool
    /// The windows of the period in which a device may have had its identifiers.
    let windows: Int64
    /// The windows in which those of ``Quantity/floors`` may have had theirs.
    let windowsOfFloors: Int64

    /// Shown groupings that keep the same of the dimensions that do not partition devices.
    struct Family {
        /// These dimensions.
        let apart: Margin
        let slabs: [Int]
        let quantity: Quantity
        /// What ``rows`` are cells of.
        let margin: Margin
        /// Unit: devices.
        let rows: [Row]
    }

    /// Which devices are counted.
    enum Quantity: Hashable, Comparable {
        /// Those of the period's one window, by their identifiers; or those that proved themselves in the period.
        case floors
        /// Those of one window of several, counted in one part of the period. What is published is the largest of all windows.
        case ofWindow(part: Int, WindowNumber)
        /// Those that said that this was their first.
        case firsts
    }

    typealias Row = (cell: CellIndex, devices: Int64)

    /// Nil where no number of devices tells of another.
    init?(_ laid: CaseTable, header: ReleaseHeader) {
        self.laid = laid
        self.header = header
        let layout = header.layout
        let groups = Dictionary(grouping: laid.own) { layout.apart(from: layout.partition, laid.slabs[$0].margin) }
        guard groups.count > 1 else { return nil }
        var families: [Family] = []
        countsFloors = header.reach && laid.addsDevices(header)
        for (apart, slabs) in groups {
            if countsFloors, let counted = layout.counting(laid.slabs[slabs[0]].margin) {
                families.append(
                    Family(
                        apart: apart, slabs: slabs, quantity: .floors, margin: counted,
                        rows: laid.rows(of: counted, header)))
            }
            let said = slabs.filter { laid.firsts[$0] != nil }
            let finest = said.max {
                laid.slabs[$0].margin.bits.nonzeroBitCount < laid.slabs[$1].margin.bits.nonzeroBitCount
            }
            if let finest, let devices = laid.frame.firsts[laid.slabs[finest].margin] {
                let rows = zip(laid.frame.leaves, devices).map { (cell: $0.cell, devices: $1) }
                families.append(Family(apart: apart, slabs: said, quantity: .firsts, margin: layout.leaf, rows: rows))
            }
        }
        if header.reach, !countsFloors { families += Self.ofWindows(laid, layout, groups) }
        let windows = Int64(max(1, Set(laid.frame.parts.flatMap { $0.distinct.map(\.window) }).count))
        self.windows = windows
        windowsOfFloors = header.provesFirsts ? windows : 1
        guard families.count > 1 else { return nil }
        self.families = families.sorted { ($0.quantity, $0.apart) < ($1.quantity, $1.apart) }
    }

    /// What is to be hidden.
    struct Finding {
        /// Columns whose numbers of devices stay; their events may go.
        var silent: Set<ColumnIndex> = []
        /// Columns of which nothing may go, because their events alone tell of too many devices.
        var hidden: Set<ColumnIndex> = []
        /// What the separate verification found wrong.
        var faults = 0
    }

    /// Parts whose known numbers of devices tell, with their wholes', how few are in the whole only.
    ///
    /// - Parameters:
    ///   - silent: columns whose numbers of devices are secret.
    ///   - tables: of the release; they tell what follows from what.
    /// - Complexity: O(cells · groupings).
    func telling(_ isPublished: [Bool], silent: Set<ColumnIndex>, _ tables: [DeviceTable]) -> Set<ColumnIndex> {
        let layout = header.layout
        let known = known(isPublished, silent: silent, tables)
        var found: Set<ColumnIndex> = []
        for part in laid.own {
            let (slab, columns) = (laid.slabs[part], laid.columns[part])
            let apart = layout.apart(from: layout.partition, slab.margin)
            for whole in laid.own {
                let around = laid.slabs[whole]
                guard layout.refines(slab.margin, around.margin),
                    layout.apart(from: layout.partition, around.margin) != apart
                else { continue }
                let project = layout.projection(from: slab.margin, to: around.margin)
                for (place, cell) in slab.cells.enumerated() {
                    guard let column = columns[place].map({ ColumnIndex($0) }), known.contains(column),
                        let other = around.place(of: project(cell)),
                        let above = laid.columns[whole][other], known.contains(ColumnIndex(above))
                    else { continue }
                    let less =
                        zip(numbers(whole, other), numbers(part, place)).map { $0.subtractedClamped($1) }
                    if less.contains(where: { $0 > 0 && !header.threshold.isReached(by: $0) }) { found.insert(column) }
                }
            }
        }
        return found
    }

    /// Columns whose numbers of devices are published, or are sums or rests of such.
    private func known(
        _ isPublished: [Bool], silent: Set<ColumnIndex>, _ tables: [DeviceTable]
    ) -> Set<ColumnIndex> {
        let published = isPublished.indices.map { ColumnIndex(UInt32($0)) }.filter {
            isPublished[Int($0.value)] && !silent.contains($0)
        }
        return Set(published + tables.flatMap { $0.known(given: isPublished, silent) })
    }

    /// What is published of a cell's devices.
    private func numbers(_ slab: Int, _ place: Int) -> [Int64] {
        (countsFloors ? [laid.numbers[slab]?[place] ?? 0] : []) + (laid.firsts[slab].map { [$0[place]] } ?? [])
    }

    /// Decides about what is published so far.
    ///
    /// - Parameter known: columns whose numbers of devices are secret already.
    /// - Complexity: a small pattern for each part in which some difference is under k.
    func decide(
        given isPublished: [Bool], silent known: Set<ColumnIndex> = [], engine: SuppressionEngine
    ) throws(SuppressionError) -> Finding {
        var finding = Finding(silent: known)
        for part in families {
            for whole in families
            where whole.quantity == part.quantity && whole.apart != part.apart && part.quantity.isSubtracted
                && header.layout.refines(part.apart, whole.apart)
            {
                let suspects = suspects(in: part, beside: whole, isPublished, finding.silent)
                if suspects.isEmpty { continue }
                let (own, all) = (part.splits(header.layout), whole.splits(header.layout))
                let project = header.layout.projection(from: part.apart, to: whole.apart)
                for value in suspects.sorted() {
                    let gap = Gap(of: value, part: own[value] ?? [:], whole: all[project(value)] ?? [:])
                    try settle(gap, part, whole, isPublished, &finding, engine)
                }
            }
        }
        return finding
    }

    /// Cells of the part's own dimensions of which a published number of devices, or what it has beyond published splits of
    /// it, is too near to its whole's.
    private func suspects(
        in part: Family, beside whole: Family, _ isPublished: [Bool], _ silent: Set<ColumnIndex>
    ) -> Set<CellIndex> {
        let layout = header.layout
        var found: Set<CellIndex> = []
        var absent: [Margin: [CellIndex: Int64]] = [:]
        for (margin, number) in margins(part, beside: whole) where isBeside(margin, part, whole) {
            let beside = beside(margin, part, whole)
            let all = whole.sums(over: beside, layout)
            let own = part.sums(over: margin, layout)
            let project = layout.projection(from: margin, to: beside)
            for (cell, devices) in own {
                // A sum is taken to be known: whether it is, is looked at next.
                if let number {
                    let column = laid.slabs[number].place(of: cell).flatMap { laid.columns[number][$0] }
                    guard let column = column.map({ ColumnIndex($0) }), isPublished[Int(column.value)],
                        !silent.contains(column)
                    else { continue }
                }
                absent[margin, default: [:]][cell] = (all[project(cell)] ?? 0).subtractedClamped(devices)
            }
        }
        func look(_ devices: Int64, _ cell: CellIndex, in margin: Margin) {
            guard devices > 0, !header.threshold.isReached(by: devices) else { return }
            found.insert(layout.project(cell, from: margin, to: part.apart))
        }
        for (margin, cells) in absent {
            for (cell, devices) in cells { look(devices, cell, in: margin) }
            for (fine, parts) in absent where fine != margin && layout.refines(fine, margin) {
                let project = layout.projection(from: fine, to: margin)
                var rests = cells
                for (cell, devices) in parts { rests[project(cell)]? -= devices }
                for (cell, devices) in rests { look(devices, cell, in: margin) }
            }
        }
        return found
    }

    /// The part's shown groupings, and those sums of them that a shown grouping of the whole has.
    private func margins(_ part: Family, beside whole: Family) -> [(margin: Margin, slab: Int?)] {
        let layout = header.layout
        let shown = part.slabs.map { (margin: laid.slabs[$0].margin, slab: Optional($0)) }
        let sums = whole.slabs.map { number in
            Margin(
                keeping: layout.dimensions.indices.filter {
                    part.apart.keeps($0) || laid.slabs[number].margin.keeps($0) && !whole.apart.keeps($0)
                })
        }.filter { sum in
            !shown.contains { $0.margin == sum } && shown.contains { layout.refines($0.margin, sum) }
        }
        return shown + Set(sums).sorted().map { (margin: $0, slab: nil) }
    }

    /// The dimensions in which a grouping's whole is: its own, but of those that don't partition devices the whole's.
    private func beside(_ margin: Margin, _ part: Family, _ whole: Family) -> Margin {
        Margin(
            keeping: header.layout.dimensions.indices.filter {
                whole.apart.keeps($0) || margin.keeps($0) && !part.apart.keeps($0)
            })
    }

    /// Whether a grouping's whole is known, or follows from what splits it.
    private func isBeside(_ margin: Margin, _ part: Family, _ whole: Family) -> Bool {
        let beside = beside(margin, part, whole)
        return whole.slabs.contains { header.layout.refines(laid.slabs[$0].margin, beside) }
    }

    /// By cell of the partition, the devices of a whole that are in no event of a part of it.
    private struct Gap {
        /// The part's cell of its own dimensions.
        let value: CellIndex
        let cells: [CellIndex]
        let whole: [Int64]
        let absent: [Int64]

        init(of value: CellIndex, part: [CellIndex: Int64], whole: [CellIndex: Int64]) {
            self.value = value
            cells = whole.keys.sorted()
            self.whole = cells.map { whole[$0] ?? 0 }
            absent = cells.map { max(0, (whole[$0] ?? 0).subtractedClamped(part[$0] ?? 0)) }
        }
    }

    private func settle(
        _ gap: Gap, _ part: Family, _ whole: Family, _ isPublished: [Bool], _ finding: inout Finding,
        _ engine: SuppressionEngine
    ) throws(SuppressionError) {
        let layout = header.layout
        var lists = IndexLists()
        var cells: [CandidateCell] = []
        var columns: [ColumnIndex?] = []
        var tables: [(margin: Margin, places: [CellIndex: UInt32])] = []
        for (margin, number) in margins(part, beside: whole) {
            let isBeside = isBeside(margin, part, whole)
            var members: [CellIndex: [UInt32]] = [:]
            for (row, cell) in gap.cells.enumerated() {
                members[layout.cell(of: margin, value: gap.value, in: part.apart, partition: cell), default: []]
                    .append(UInt32(row))
            }
            var places: [CellIndex: UInt32] = [:]
            for (cell, rows) in members.sorted(by: { $0.key < $1.key }) {
                let column = number.flatMap { number in
                    laid.slabs[number].place(of: cell).flatMap { laid.columns[number][$0] }.map { ColumnIndex($0) }
                }
                let absent = rows.reduce(Int64(0)) { $0.addedClamped(gap.absent[Int($1)]) }
                places[cell] = UInt32(cells.count)
                lists.append(rows)
                columns.append(column)
                cells.append(
                    CandidateCell(
                        floor: absent, cost: column.map { laid.problem.cells[Int($0.value)].cost } ?? 1,
                        isSensitive: isBeside && absent > 0 && !header.threshold.isReached(by: absent),
                        isOffered: column.map { isPublished[Int($0.value)] && !finding.silent.contains($0) } ?? false))
            }
            tables.append((margin, places))
        }
        guard cells.contains(where: { $0.isOffered }) else { return }
        let floors = cells.map(\.floor)
        let problem = try SuppressionProblem(
            measures: [AdditiveMeasure(values: gap.absent, protection: .reachesThreshold)], columns: lists,
            cells: cells,
            relations: layout.relations(among: tables),
            // As for numbers of devices themselves: one more than k.
            threshold: header.threshold.devices + 1,
            unionFloor: { parts in parts.reduce(0) { $0.addedClamped(floors[Int($1.value)]) } })
        let pattern = try engine.pattern(for: problem)
        var random = SystemRandomNumberGenerator()
        finding.faults +=
            PatternVerifier(problem).violations(
                of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next()
            ).count
        let open = pattern.unproved + pattern.openRelations.map { problem.relations[$0].parent }
        let rows = Set(open.flatMap { problem.columns[Int($0.value)] })
        for place in cells.indices {
            guard let column = columns[place], cells[place].isOffered else { continue }
            if !pattern.isPublished[place] || problem.columns[place].contains(where: rows.contains) {
                finding.silent.insert(column)
            }
        }
        for place in cells.indices where cells[place].isSensitive {
            guard let column = columns[place], finding.silent.contains(column) else { continue }
            // So many events have so many devices at least.
            let events = laid.frame.events(in: laid.problem.columns[Int(column.value)])
            let bound = Int64(layout.contributionBound).multipliedClamped(
                by: part.quantity == .floors ? windowsOfFloors : windows)
            let least = (events - 1) / bound + 1
            let all = problem.columns[place].reduce(Int64(0)) { $0.addedClamped(gap.whole[Int($1)]) }
            if !header.threshold.isReached(by: all - least) { finding.hidden.insert(column) }
        }
    }
}

extension AbsentDevices.Quantity {
    /// Whether readers may take a part's number from its whole's. Of several windows they have the largest of each only.
    var isSubtracted: Bool {
        if case .ofWindow = self { false } else { true }
    }
}

extension AbsentDevices.Family {
    /// By cell of a margin that the rows' margin refines.
    func sums(over margin: Margin, _ layout: MetricLayout) -> [CellIndex: Int64] {
        let project = layout.projection(from: self.margin, to: margin)
        return rows.reduce(into: [:]) { sums, row in
            let cell = project(row.cell)
            sums[cell] = (sums[cell] ?? 0).addedClamped(row.devices)
        }
    }

    /// By cell of the dimensions that don't partition devices, by cell of those that do.
    fileprivate func splits(_ layout: MetricLayout) -> [CellIndex: [CellIndex: Int64]] {
        let own = layout.projection(from: margin, to: apart)
        let partition = layout.projection(from: margin, to: layout.partition)
        return rows.reduce(into: [:]) { splits, row in
            guard row.devices > 0 else { return }
            let (value, bucket) = (own(row.cell), partition(row.cell))
            splits[value, default: [:]][bucket] = (splits[value]?[bucket] ?? 0).addedClamped(row.devices)
        }
    }
}
