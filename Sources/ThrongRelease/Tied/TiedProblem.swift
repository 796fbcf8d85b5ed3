internal import ThrongPlan
internal import ThrongSuppression

/// Tied metrics in the engine's terms, for one measure that they share.
///
/// An equation K + r = W between leaves of two metrics is two columns whose values everybody has: K, r and a slack c; W
/// and c. Their difference is the equation; c holds so much that it binds nothing. Where counters contradict it by k or
/// more, because a bound or a late start dropped events for one metric only, the values of the columns say by how much:
/// the attacker is taken to know that, too. A difference under k is a cell of its own that must stay unknown.
struct TiedProblem {
    private let values: [Int64]
    private let columns: IndexLists
    private let cells: [CandidateCell]
    private let relations: [AdditiveRelation]
    private let header: ReleaseHeader
    private let tables: [TiedTable]
    /// By table, its first column.
    private let firstColumn: [Int]
    /// By equation, its leaves but for the slack.
    private let equations: [[UInt32]]
    /// Columns of the release's own.
    private let ownColumns: Int

    /// Lays tables side by side and ties them; nil where nothing ties them.
    ///
    /// - Parameter sum: nil is the count of events; for a sum, tables without that sum are left out.
    /// - Complexity: O(leaves · identities · log).
    init?(_ tied: TiedCase, sum: SumMeasure?, header: ReleaseHeader) {
        self.header = header
        var tables: [TiedTable] = []
        var values: [Int64] = []
        var firstLeaf: [Int] = []
        for table in tied.tables {
            let layout = table.laid.frame.layout
            let measure = sum.map { sum in layout.sums.firstIndex(of: sum).map { $0 + 1 } } ?? 0
            guard let measure else { continue }
            firstLeaf.append(values.count)
            values += table.laid.frame.measures[measure]
            tables.append(table)
        }
        self.tables = tables
        let threshold = header.threshold.devices
        let room = Self.room(values, threshold: threshold)

        var lists = IndexLists()
        var cells: [CandidateCell] = []
        var firstColumn: [Int] = []
        var relations: [AdditiveRelation] = []
        for (table, offset) in zip(tables, firstLeaf) {
            let problem = table.laid.problem
            firstColumn.append(cells.count)
            let base = UInt32(cells.count)
            for column in 0..<problem.columns.count {
                lists.append(problem.columns[column].map { $0 + UInt32(offset) })
            }
            cells += problem.cells.map {
                CandidateCell(
                    floor: $0.floor, cost: $0.cost, isSensitive: $0.isSensitive, isForced: $0.isForced,
                    isOffered: false)
            }
            relations += problem.relations.map { relation in
                AdditiveRelation(
                    parent: ColumnIndex(relation.parent.value + base),
                    children: relation.children.map { ColumnIndex($0.value + base) })
            }
        }
        ownColumns = tables[0].laid.problem.columns.count
        self.firstColumn = firstColumn

        var equations: [[UInt32]] = []
        for identity in tied.identities {
            for equation in TiedEquation.all(identity, tables: tables, firstLeaf: firstLeaf) {
                var (parts, whole) = (equation.parts, equation.whole)
                let difference = Self.sum(whole, values).subtractedClamped(Self.sum(parts, values))
                // What one side counts besides the other is somebody's, too: other kinds of events, or the late ones of
                // a few devices, between two releases.
                let isSmall = sum == nil && difference != 0 && abs(difference) < threshold
                // Of two that might be the same but for an edited plan, only that they nearly are is to be believed.
                if identity.rest == .unknown, !isSmall { continue }
                let isPart = identity.rest == .some
                if isPart || isSmall {
                    let rest = UInt32(values.count)
                    let value = isPart ? max(0, difference) : abs(difference)
                    values.append(value)
                    if !isPart, difference < 0 { whole.append(rest) } else { parts.append(rest) }
                    if isSmall, value > 0 {
                        lists.append([rest])
                        cells.append(CandidateCell(floor: value, cost: 1, isSensitive: true, isOffered: false))
                    }
                }
                let slack = UInt32(values.count)
                values.append(room)
                for side in [parts, whole] {
                    lists.append(side + [slack])
                    cells.append(
                        CandidateCell(floor: .max, cost: 1, isSensitive: false, isForced: true, isOffered: false))
                }
                equations.append(parts + whole)
            }
        }
        guard !equations.isEmpty else { return nil }
        self.values = values
        self.equations = equations
        self.relations = relations
        self.cells = cells
        columns = lists
    }

    /// What a slack holds: more than anything could move, and little enough to add up.
    private static func room(_ values: [Int64], threshold: Int64) -> Int64 {
        let total = values.reduce(Int64(0)) { $0.addedClamped($1) }
        return min(total.addedClamped(threshold).multipliedClamped(by: 4), 1 << 36)
    }

    private static func sum(_ leaves: [UInt32], _ values: [Int64]) -> Int64 {
        leaves.reduce(Int64(0)) { $0.addedClamped(values[Int($1)]) }
    }

    /// Takes from own cells what would give a cell of any table away.
    ///
    /// - Parameters:
    ///   - kept: by own column: what may leave; only ever becomes less.
    ///   - options: strict ones refuse what is not proved in time. Cells that forced numbers give away are nobody's
    ///     fault now, strict or not.
    /// - Returns: what the separate verification found.
    func narrow(
        _ kept: inout [Bool], options: SuppressionOptions, using random: inout some RandomNumberGenerator
    ) throws(SuppressionError) -> Int {
        var lenient = options
        lenient.isStrict = false
        let engine = SuppressionEngine(options: lenient)
        for _ in 0..<Self.mostRounds {
            guard kept.contains(true) else { return 0 }
            let problem = try problem(offering: kept)
            let pattern = try engine.pattern(for: problem)
            for column in 0..<ownColumns where !pattern.isPublished[column] { kept[column] = false }
            let open = Set(pattern.unproved + pattern.openRelations.map { relations[$0].parent })
            if open.isEmpty {
                return PatternVerifier(problem).violations(
                    of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next()
                ).count
            }
            if options.isStrict { throw .unproved(cells: open.sorted()) }
            let near = ownColumns(near: open)
            let before = kept.count { $0 }
            for column in near { kept[column] = false }
            if kept.count(where: { $0 }) == before { break }
        }
        // What lies further off can only be guessed at. What everybody can compute already adds nothing.
        let known = try computable(among: kept, options: lenient)
        for column in kept.indices where !known.contains(column) { kept[column] = false }
        return 0
    }

    private static let mostRounds = 3

    /// The own cells that follow from forced numbers alone: taken for secrets, they turn out to be given away.
    private func computable(
        among kept: [Bool], options: SuppressionOptions
    ) throws(SuppressionError) -> Set<Int> {
        var options = options
        options.proof = .unique
        options.attempts = 1
        let problem = try problem(offering: [], hiding: kept)
        return Set(try SuppressionEngine(options: options).pattern(for: problem).pinned.map { Int($0.value) })
    }

    /// The own cells that share a leaf with open ones, directly or over one equation.
    private func ownColumns(near open: Set<ColumnIndex>) -> [Int] {
        var leaves = Set(open.flatMap { columns[Int($0.value)] })
        let touched = equations.filter { $0.contains(where: leaves.contains) }
        leaves.formUnion(touched.joined())
        return (0..<ownColumns).filter { columns[$0].contains(where: leaves.contains) }
    }

    /// - Parameters:
    ///   - offered: by own column; none may be left out.
    ///   - secrets: by own column: to be taken for sensitive; none may be left out.
    private func problem(
        offering offered: [Bool], hiding secrets: [Bool] = []
    ) throws(SuppressionError) -> SuppressionProblem {
        var cells = cells
        for column in 0..<ownColumns {
            let cell = cells[column]
            cells[column] = CandidateCell(
                floor: cell.floor, cost: cell.cost,
                isSensitive: cell.isSensitive || (column < secrets.count && secrets[column]),
                isForced: cell.isForced, isOffered: column < offered.count && offered[column])
        }
        let (firstColumn, tables) = (firstColumn, tables)
        return try SuppressionProblem(
            measures: [
                AdditiveMeasure(
                    values: values,
                    protection: .surrounds(percent: (header.protection ?? .standard).percent))
            ],
            columns: columns, cells: cells, relations: relations, threshold: header.threshold.devices,
            unionFloor: { parts in
                // A relation lies within one table.
                guard let first = parts.first else { return 0 }
                let table = firstColumn.lastIndex { $0 <= Int(first.value) } ?? 0
                let base = UInt32(firstColumn[table])
                return tables[table].laid.problem.unionFloor(parts.map { ColumnIndex($0.value - base) })
            })
    }
}
