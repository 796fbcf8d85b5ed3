internal import ThrongPlan
internal import ThrongSuppression

/// What a release would let anybody compute together with what tied metrics published: by atoms, whatever metrics,
/// dimensions and periods it takes.
///
/// ``TiedProblem`` proves that cells of tied metrics stay unknown. This looks at what becomes known: every column that
/// ``ColumnSearch`` finds is empty or stands for k devices, or a number without which it does not follow is withheld.
struct TiedColumns {
    private let tables: [TiedTable]
    private let threshold: Threshold
    private let options: SuppressionOptions
    private let space: AtomSpace
    /// Every cell that is or may be known, with a period each that it was or will be published for.
    private let cells: [Cell]
    private let proved: [ProvedCell]
    /// What sensitive cells of any of the metrics are about, and how many devices nobody may know them to be under.
    private let secrets: [AtomSpace.Box: Threshold]
    /// By table.
    private let intakes: [Intake]

    private struct Cell {
        let table: Int
        let column: UInt32
        let family: Int
        let isExpected: Bool
        let box: AtomSpace.Box
        let value: Int64
        let everybody: Int64
        let least: [Int64: Int64]
        let most: [Int64: Int64]?
        let proved: Int64
        let holdsWindows: Bool
        /// The number of devices that is published with it, or would be; nil where there is none, or it is of several windows.
        let devices: Int64?
        /// When these devices were counted.
        let scope: DeviceScope?
        /// Whether it is of the release that is about to be.
        let isOwn: Bool
    }

    /// Lays tied metrics out by atoms.
    ///
    /// - Complexity: O(cells · dimensions).
    init(_ tied: TiedCase, threshold: Threshold, options: SuppressionOptions) {
        let tables = tied.tables
        self.tables = tables
        self.threshold = threshold
        self.options = options
        let intakes = tables.map { table in
            Intake(
                counted: tables.firstIndex { $0.counted == table.counted } ?? 0, rotation: table.layout.rotation,
                bound: Int64(table.layout.contributionBound))
        }
        self.intakes = intakes
        // Those of identifiers by what they did in a window are no numbers of events.
        let places = tables.indices.filter { tables[$0].layout.within == nil }
        let spans = places.map { table in Self.periods(of: tables[table]) }
        var space = AtomSpace(
            tables, periods: Set(spans.flatMap { $0.values.flatMap { $0.published + [$0.counted] } }))
        var cells: [Cell] = []
        var proved: [ProvedCell] = []
        var secrets: [AtomSpace.Box: Threshold] = [:]
        let mayHold = tables.reduce(0) { $0 + $1.laid.problem.cells.count } <= Self.mostBounded
        var families = 0
        for (table, periods) in zip(places, spans) {
            let laid = tables[table].laid
            let rotation = Int64(laid.frame.layout.rotation.seconds)
            for (number, slab) in laid.slabs.enumerated() {
                guard let known = periods[slab.span] else { continue }
                // Of what is still to be released nobody knows more than that there will be a total.
                let isExpected =
                    tables[table].isKnownByLayout && known.published.isEmpty && table > 0 && slab.margin == .total
                for period in isExpected ? [known.counted] : known.published {
                    families += 1
                    for place in slab.cells.indices {
                        guard let column = laid.columns[number][place], !slab.isEmpty[place],
                            !isExpected || !laid.problem.cells[Int(column)].isSensitive,
                            let box = space.box(of: table, slab, place: place, period: period)
                        else { continue }
                        let identifiers = slab.identifiers(at: place, in: laid.frame.layout)
                        let scope = laid.frame.layout.deviceScope(of: period)
                        cells.append(
                            Cell(
                                table: table, column: column, family: families, isExpected: isExpected, box: box,
                                value: laid.frame.events(in: slab.leaves[place]),
                                everybody: laid.frame.everybodysEvents(in: slab.leaves[place]),
                                least: identifiers.least, most: identifiers.most, proved: slab.proved(at: place),
                                holdsWindows: period.start.value % rotation == 0 && period.end.value % rotation == 0,
                                devices: scope == nil || isExpected
                                    ? nil : tables[table].devices(number, place: place, in: period), scope: scope,
                                isOwn: table == 0 && period == tables[0].released.first))
                    }
                }
                for place in slab.cells.indices where mayHold && !slab.isEmpty[place] {
                    guard let column = laid.columns[number][place], laid.problem.cells[Int(column)].isSensitive,
                        let box = space.box(of: table, slab, place: place, period: known.counted)
                    else { continue }
                    secrets[box] = max(secrets[box] ?? tables[table].threshold, tables[table].threshold)
                }
                for place in slab.cells.indices where threshold.isReached(by: slab.floors[place]) {
                    guard let box = space.box(of: table, slab, place: place, period: known.counted) else { continue }
                    proved.append(
                        ProvedCell(
                            box: box, value: laid.frame.events(in: slab.leaves[place]),
                            least: slab.identifiers(at: place, in: laid.frame.layout).least,
                            proved: slab.proved(at: place),
                            intake: intakes[table]))
                }
            }
        }
        space.compare()
        self.space = space
        self.cells = cells
        self.secrets = secrets
        self.proved = proved.sorted { $0.value < $1.value }
    }

    /// By run of a table's parts: what was released or is about to be, and what was counted in it.
    private static func periods(of table: TiedTable) -> [Range<Int>: (published: [Period], counted: Period)] {
        let frame = table.laid.frame
        var found: [Range<Int>: (published: [Period], counted: Period)] = [:]
        for slab in table.laid.slabs where found[slab.span] == nil {
            guard let first = slab.span.first, let last = slab.span.last else { continue }
            let (from, to) = (frame.parts[first].period, frame.parts[last].period)
            found[slab.span] = (
                published: table.released.filter { frame.span(of: $0) == slab.span },
                counted: first == last ? from : Period(kind: from.kind, start: from.start, end: to.end)
            )
        }
        return found
    }

    /// Takes from own cells what would let a column be computed that stands for too few.
    ///
    /// Where there is no time to look at all columns, the finest of the own cells are withheld and what is left is looked at
    /// in half of the time that is left: nothing leaves that nobody looked at.
    ///
    /// - Parameters:
    ///   - kept: by own column: what may leave; only ever becomes less.
    ///   - seconds: how long to look.
    func narrow(_ kept: inout [Bool], seconds: Double) throws(SuppressionError) {
        let own = tables[0].laid.problem
        var secrets = Array(repeating: false, count: own.cells.count)
        let end = ContinuousClock().now + .seconds(seconds)
        var slice = ContinuousClock().now + .seconds(seconds / 2)
        while kept.contains(true) {
            guard let open = open(beside: kept, until: slice) else {
                let finest = kept.indices.filter { kept[$0] }.map { own.cells[$0].level }.max() ?? 0
                for column in kept.indices where own.cells[column].level == finest { kept[column] = false }
                let now = ContinuousClock().now
                slice = now + max(.seconds(Self.leastSlice), (end - now) / 2)
                continue
            }
            guard !open.isEmpty else { return }
            let before = kept
            for column in Self.least(that: open, own) {
                secrets[column] = true
                kept[column] = false
            }
            try own.close(&kept, secrets: secrets, options)
            // What follows from published numbers alone can't be helped.
            if kept == before { return }
        }
    }

    /// However little time is left, so much is given to the few numbers that are. Unit: seconds.
    private static let leastSlice = 0.5

    /// Of each column over atoms that is open, the own cells without one of which it does not follow; nil where there was no
    /// time for all of them.
    private func open(beside kept: [Bool], until deadline: ContinuousClock.Instant) -> Set<Set<Int>>? {
        let own = tables[0].laid.problem
        let given = own.known { own.cells[$0].isForced }
        let known = tables.enumerated().map { table, tied in
            let problem = tied.laid.problem
            return problem.known { problem.cells[$0].isForced || (table == 0 && kept[$0]) }
        }
        let shown = cells.filter { $0.isExpected || known[$0.table][Int($0.column)] }
        let search = ColumnSearch(
            space: space,
            numbers: shown.map { cell in
                KnownNumber(
                    box: cell.box, table: cell.table, family: cell.family, value: cell.value, everybody: cell.everybody,
                    isFree: cell.table == 0 && !given[Int(cell.column)], isExpected: cell.isExpected,
                    level: tables[cell.table].laid.problem.cells[Int(cell.column)].level, least: cell.least,
                    most: cell.most, proved: cell.proved,
                    intake: intakes[cell.table], holdsWindows: cell.holdsWindows)
            }, proved: proved, threshold: threshold, deadline: deadline)
        return search.open().map { open in Set(open.map { Set($0.map { Int(shown[$0].column) }) }) }
    }

    /// Few cells, the finest that it takes: one at least of each set.
    private static func least(that open: Set<Set<Int>>, _ problem: SuppressionProblem) -> Set<Int> {
        var left = open.map { columns -> Set<Int> in
            // Nothing is taken back for the sake of what is finer.
            let finest = columns.map { problem.cells[$0].level }.max() ?? 0
            return columns.filter { problem.cells[$0].level == finest }
        }
        var chosen: Set<Int> = []
        while !left.isEmpty {
            var hits: [Int: Int64] = [:]
            for columns in left { for column in columns { hits[column, default: 0] += 1 } }
            let best = hits.min { one, other in
                // Most hits for what it costs, then by place.
                let (mine, its) = (
                    one.value * problem.cells[other.key].cost, other.value * problem.cells[one.key].cost
                )
                return mine == its ? one.key < other.key : mine > its
            }
            guard let best else { break }
            chosen.insert(best.key)
            left.removeAll { $0.contains(best.key) }
        }
        return chosen
    }

    // MARK: Bounds

    /// Beyond so many cells of all metrics together, how closely they bound each other is looked at in pairs only.
    private static let mostBounded = 2_000
    /// Beyond so many atoms.
    private static let mostAtoms = 1_000
    /// Beyond so many products of values.
    private static let mostProducts = 20_000
    /// Beyond so many ways to leave contradictory numbers out.
    private static let mostReadings = 16

    /// Takes from own cells what would prove, with everything that tied metrics published, that a small cell of any of them is
    /// under k: a linear program over the atoms of all.
    ///
    /// Where numbers contradict each other, because some came late or a bound dropped them for one metric only, nobody can
    /// prove anything of all of them together; but whoever leaves the right one out can.
    ///
    /// - Parameter kept: by own column: what may leave; only ever becomes less.
    /// - Complexity: a program for each sensitive cell and each way to leave contradictions out, and one for each number that is
    ///   withheld.
    func unbind(_ kept: inout [Bool], seconds: Double) {
        guard !secrets.isEmpty, tables.count > 1 else { return }
        let deadline = ContinuousClock().now + .seconds(seconds)
        let own = tables[0].laid.problem
        let known = tables.map { tied in
            tied.laid.problem.known { tied.laid.problem.cells[$0].isForced }
        }
        let shown = cells.filter { cell in
            cell.isExpected || cell.isOwn && kept[Int(cell.column)] || known[cell.table][Int(cell.column)]
        }
        // One order for every run: which number goes may depend on it.
        let targets = secrets.sorted { $0.key.sets.lexicographicallyPrecedes($1.key.sets) }
        guard
            let atoms = space.atoms(
                of: shown.map(\.box) + targets.map(\.key), mostProducts: Self.mostProducts, most: Self.mostAtoms)
        else { return }
        let program = KnownSums(
            unknowns: atoms.count, sums: Array(atoms.inside.prefix(shown.count)), values: shown.map(\.value),
            deadline: deadline)
        func isFree(_ number: Int) -> Bool { shown[number].isOwn && !own.cells[Int(shown[number].column)].isForced }
        func isKnown(_ number: Int) -> Bool { !isFree(number) || kept[Int(shown[number].column)] }
        let readings = program.readings(atMost: Self.mostReadings, where: isKnown)
        let asked = zip(atoms.inside.dropFirst(shown.count), targets.map(\.value))
        for (left, (target, threshold)) in readings.flatMap({ left in asked.map { (left, $0) } }) {
            while case .impossible(let named) = program.outcome(
                of: target, reaching: threshold.devices, where: { isKnown($0) && !left.contains($0) })
            {
                let columns = named.filter(isFree).map { Int(shown[$0].column) }
                guard
                    let finest = columns.min(by: { one, other in
                        (-own.cells[one].level, own.cells[one].cost, one)
                            < (-own.cells[other].level, own.cells[other].cost, other)
                    })
                else { break }
                kept[finest] = false
            }
            if ContinuousClock().now > deadline { return }
        }
    }

    // MARK: Devices

    /// Own cells whose numbers of devices, with one that a tied metric published, would tell how few devices one of the two has
    /// beyond the other.
    ///
    /// - Complexity: O(own numbers · tied numbers).
    func telling(_ kept: [Bool]) -> Set<ColumnIndex> {
        let shown = cells.compactMap { cell -> (cell: Cell, devices: Int64)? in
            guard let devices = cell.devices, !cell.isOwn || kept[Int(cell.column)] else { return nil }
            return (cell, devices)
        }
        let others = shown.filter { !$0.cell.isOwn }
        var found: Set<ColumnIndex> = []
        for own in shown where own.cell.isOwn {
            for other in others where other.cell.scope == own.cell.scope {
                let less = own.devices - other.devices
                guard less != 0, !threshold.isReached(by: abs(less)) else { continue }
                let (whole, part) = less > 0 ? (own.cell, other.cell) : (other.cell, own.cell)
                // What proves itself in a period is the same device whatever its identifiers are.
                var isOneDevice = intakes[whole.table].rotation == intakes[part.table].rotation
                if case .period = own.cell.scope { isOneDevice = true }
                guard isOneDevice, space.holds(whole.box, part.box) else { continue }
                found.insert(ColumnIndex(own.cell.column))
            }
        }
        return found
    }
}
