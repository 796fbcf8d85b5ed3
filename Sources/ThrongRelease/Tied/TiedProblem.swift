internal import ThrongPlan
internal import ThrongSuppression

/// Tied metrics in the engine's terms, for one measure that they share.
///
/// An equation K + r = W between leaves of two metrics is two columns whose values everybody has: K, r and a slack c; W
/// and c. Their difference is the equation; c holds so much that it binds nothing. Where counters contradict it by so much
/// that k devices are proved, because a bound or a late start dropped events for one metric only, the values of the columns
/// say by how much: the attacker is taken to know that, too, while cells are looked at. While the differences are, nobody
/// knows any of them. What else one metric tells with the other is a cell of its own
/// that must stay unknown, unless k devices stand behind it: ``DifferenceRule``.
struct TiedProblem {
    private let board: TiedBoard
    private let header: ReleaseHeader
    private let tables: [TiedTable]
    /// Columns of the release's own.
    private let ownColumns: Int

    /// Lays tables side by side and ties them; nil where nothing ties them.
    ///
    /// - Parameters:
    ///   - sum: nil is the count of events; for a sum, tables without that sum are left out.
    ///   - knowsDifferences: see ``TiedBoard/knowsDifferences``.
    /// - Complexity: O(leaves · identities · log).
    init?(_ tied: TiedCase, sum: SumMeasure?, header: ReleaseHeader, knowsDifferences: Bool) {
        self.header = header
        var tables: [TiedTable] = []
        var measures: [Int] = []
        for table in tied.tables {
            let measure = sum.map { sum in table.layout.sums.firstIndex(of: sum).map { $0 + 1 } } ?? 0
            guard let measure else { continue }
            tables.append(table)
            measures.append(measure)
        }
        self.tables = tables
        ownColumns = tables[0].laid.problem.columns.count
        var board = TiedBoard(
            tables, measures: measures,
            rule: DifferenceRule(
                threshold: header.threshold, protection: header.protection ?? .standard,
                span: sum.map { $0.quantum(of: $0.highest).subtractedClamped($0.quantum(of: $0.lowest)) }),
            knowsDifferences: knowsDifferences)
        for identity in tied.identities {
            guard
                let share = TiedShare(
                    identity, among: tied.sources, tables: tables, firstLeaf: board.firstLeaf)
            else { continue }
            let rests = board.tie(share, periods: tied.periods)
            board.meet(share, rests: rests, periods: tied.periods)
        }
        guard !board.equations.isEmpty, knowsDifferences || board.hasSecrets else { return nil }
        self.board = board
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
        if try narrow(&kept, engine, using: &random) { return 0 }
        let all = kept
        var (faults, isAll) = try settleAround(&kept, engine, isStrict: options.isStrict, using: &random)
        // What has to give way is the finest, if that serves.
        if !isAll, let other = try settleFromTop(all, engine, using: &random),
            rank(other.kept).lexicographicallyPrecedes(rank(kept))
        {
            (kept, faults) = other
        }
        return faults
    }

    /// What is withheld of own cells, level by level from the top.
    private func rank(_ kept: [Bool]) -> [Int] {
        var hidden: [Int: Int] = [:]
        for (column, cell) in tables[0].laid.problem.cells.enumerated() {
            hidden[cell.level, default: 0] += kept[column] ? 0 : 1
        }
        return hidden.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Hides what lies around cells that are left open, until none is.
    ///
    /// - Parameter isStrict: refuses what is not proved in time.
    /// - Returns: what the separate verification found, and whether nothing was left open from the start.
    private func settleAround(
        _ kept: inout [Bool], _ engine: SuppressionEngine, isStrict: Bool,
        using random: inout some RandomNumberGenerator
    ) throws(SuppressionError) -> (faults: Int, isAll: Bool) {
        var open: Set<ColumnIndex> = []
        for round in 0..<Self.mostRounds {
            guard kept.contains(true) else { return (0, round == 0) }
            let problem = try problem(offering: kept)
            let pattern = try engine.pattern(for: problem)
            for column in 0..<ownColumns where !pattern.isPublished[column] { kept[column] = false }
            open = Set(pattern.unproved + pattern.openRelations.map { board.relations[$0].parent })
            if open.isEmpty { return (violations(of: pattern, problem, using: &random), round == 0) }
            if isStrict { throw .unproved(cells: open.sorted()) }
            let near = ownColumns(near: open)
            let before = kept.count { $0 }
            for column in near { kept[column] = false }
            if kept.count(where: { $0 }) == before { break }
        }
        // Which of those that lie further off it takes can only be guessed at. What everybody can compute already adds
        // nothing.
        let known = try computable(among: kept, options: engine.options)
        for column in ownColumns(linkedTo: open, by: kept) where !known.contains(column) { kept[column] = false }
        return (0, false)
    }

    private func violations(
        of pattern: SuppressionPattern, _ problem: SuppressionProblem, using random: inout some RandomNumberGenerator
    ) -> Int {
        PatternVerifier(problem).violations(
            of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next()
        ).count
    }

    private static let mostRounds = 3

    /// Keeps as many levels of own cells, from the top down, as leave nothing open.
    ///
    /// - Parameter offered: by own column: what may leave.
    /// - Returns: what leaves, and what the separate verification found; nil where even the first level leaves something open.
    private func settleFromTop(
        _ offered: [Bool], _ engine: SuppressionEngine, using random: inout some RandomNumberGenerator
    ) throws(SuppressionError) -> (kept: [Bool], faults: Int)? {
        let cells = tables[0].laid.problem.cells
        var settled: (kept: [Bool], faults: Int)?
        for level in Set(offered.indices.filter { offered[$0] }.map { cells[$0].level }).sorted().dropLast() {
            let problem = try problem(offering: offered.indices.map { offered[$0] && cells[$0].level <= level })
            let pattern = try engine.pattern(for: problem)
            guard pattern.unproved.isEmpty, pattern.openRelations.isEmpty else { break }
            let kept = offered.indices.map { offered[$0] && cells[$0].level <= level && pattern.isPublished[$0] }
            settled = (kept, violations(of: pattern, problem, using: &random))
        }
        return settled
    }

    /// Takes from own cells what would give one away to somebody who does not know which leaves are empty.
    ///
    /// - Returns: false, with nothing taken, where that leaves something open: then they are taken to be known.
    private func narrow(
        _ kept: inout [Bool], _ engine: SuppressionEngine, using random: inout some RandomNumberGenerator
    ) throws(SuppressionError) -> Bool {
        var listed = board.empty
        while !listed.isEmpty {
            let problem = try problem(offering: kept, listing: listed)
            let pattern = try engine.pattern(for: problem)
            guard pattern.unproved.isEmpty, pattern.openRelations.isEmpty else { return false }
            let violations = PatternVerifier(problem).violations(
                of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next())
            if violations.isEmpty {
                for column in 0..<ownColumns where !pattern.isPublished[column] { kept[column] = false }
                return true
            }
            // Where no table has anybody, anybody might work out that nobody is there.
            let fewer = listed.intersection(SuppressionProblem.filled(by: pattern.witnesses))
            guard fewer.count < listed.count else { return false }
            listed = fewer
        }
        return false
    }

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
        var leaves = Set(open.flatMap { board.columns[Int($0.value)] })
        let touched = board.equations.filter { $0.contains(where: leaves.contains) }
        leaves.formUnion(touched.joined())
        return (0..<ownColumns).filter { board.columns[$0].contains(where: leaves.contains) }
    }

    /// The own cells that have anything to do with open ones, over whatever is or would be published. About all others
    /// nothing is left open.
    ///
    /// - Complexity: O(columns · leaves of one), as often as a chain of columns is long.
    private func ownColumns(linkedTo open: Set<ColumnIndex>, by kept: [Bool]) -> [Int] {
        var leaves = Set(open.flatMap { board.columns[Int($0.value)] })
        var waiting = board.cells.indices.filter { board.cells[$0].isForced || ($0 < ownColumns && kept[$0]) }
        var isMore = true
        while isMore {
            let linked = waiting.filter { board.columns[$0].contains(where: leaves.contains) }
            isMore = !linked.isEmpty
            for column in linked { leaves.formUnion(board.columns[column]) }
            let done = Set(linked)
            waiting.removeAll(where: done.contains)
        }
        return (0..<ownColumns).filter { board.columns[$0].contains(where: leaves.contains) }
    }

    /// - Parameters:
    ///   - offered: by own column; none may be left out.
    ///   - secrets: by own column: to be taken for sensitive; none may be left out.
    ///   - listed: the empty leaves that take part.
    private func problem(
        offering offered: [Bool], hiding secrets: [Bool] = [], listing listed: Set<UInt32> = []
    ) throws(SuppressionError) -> SuppressionProblem {
        var cells = board.cells
        for column in 0..<ownColumns {
            let cell = cells[column]
            cells[column] = CandidateCell(
                floor: cell.floor, cost: cell.cost,
                isSensitive: cell.isSensitive || (column < secrets.count && secrets[column]),
                isForced: cell.isForced, isOffered: column < offered.count && offered[column])
        }
        let (firstColumn, tables) = (board.firstColumn, tables)
        let (mostOfOne, values) = (board.mostOfOne, board.values)
        let columns = board.columns.removing(board.empty.subtracting(listed))
        let threshold = header.threshold.devices
        let floors = cells.map(\.floor)
        return try SuppressionProblem(
            measures: [
                AdditiveMeasure(
                    values: board.values,
                    protection: .surrounds(percent: (header.protection ?? .standard).percent))
            ],
            columns: columns, cells: cells, relations: board.relations, threshold: threshold,
            unionFloor: { parts in
                // A relation lies within one table, or is of differences.
                guard let first = parts.first else { return 0 }
                // An empty rest gives nobody away.
                let isEmpty = parts.allSatisfy { part in columns[Int(part.value)].allSatisfy { values[Int($0)] == 0 } }
                if isEmpty { return threshold }
                if let most = mostOfOne[first.value] {
                    let all = parts.reduce(Int64(0)) { total, part in
                        columns[Int(part.value)].reduce(total) { $0.addedClamped(values[Int($1)]) }
                    }
                    if all > most.multipliedClamped(by: threshold - 1) { return threshold }
                    return parts.reduce(0) { max($0, floors[Int($1.value)]) }
                }
                let table = firstColumn.lastIndex { $0 <= Int(first.value) } ?? 0
                let base = UInt32(firstColumn[table])
                return tables[table].laid.problem.unionFloor(parts.map { ColumnIndex($0.value - base) })
            }, empty: listed)
    }
}
