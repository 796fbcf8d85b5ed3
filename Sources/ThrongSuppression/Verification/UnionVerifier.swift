/// Looks once more for sums of small leaves that can be computed though no shown sum tells them; shares no line with the
/// search for them.
///
/// Leaves are put in an order in which the large ones come first, and published columns into row echelon form by it, modulo a
/// random prime. Rows that begin with a small leaf have no large one, and every vector that can be computed and has none is a sum of
/// them. In reduced form such a vector has at each row's first leaf the factor of that row: so of d rows that have leaves in common
/// there are 2^d vectors of zeros and ones at most, and these are gone through one by one.
package struct UnionVerifier {
    private let problem: SuppressionProblem
    private let prime: UInt64
    private let ledger: NullProbe
    /// By column, its leaves and the empty places of it that some witness fills.
    private let columns: IndexLists
    /// By leaf: the one cell that is this leaf alone, of several the one with most devices.
    private let alone: [Int?]
    /// By leaf: fewer than k devices are proved there, or nobody is there.
    private let isSmall: [Bool]

    /// Rows with leaves in common up to which all of their sums are gone through: the search has gone through them as well.
    private static let mostRows = 14

    /// What was found.
    package struct Outcome: Sendable, Hashable {
        /// Unions under k, one for each part of the table.
        package var faults: Int
        /// Parts of the table that are too large to go through, or for which there was no time.
        package var unexamined: Int
    }

    /// Prepares to look at patterns of a problem.
    ///
    /// - Parameters:
    ///   - witnesses: tables that agree with the patterns.
    ///   - prime: see ``RandomPrime``.
    ///   - seed: for the test of what forced cells tell by themselves, which nothing can take back.
    package init(
        _ problem: SuppressionProblem, witnesses: [SuppressionPattern.Witness] = [], prime: UInt64, seed: UInt64
    ) {
        self.problem = problem
        self.prime = prime
        let atoms = problem.atoms(filledBy: witnesses)
        columns = atoms.columns
        ledger = NullProbe(
            atoms.columns, leafCount: atoms.count, published: problem.cells.map(\.isForced),
            prime: prime, seed: seed)
        var alone = [Int?](repeating: nil, count: atoms.count)
        for (column, cell) in problem.cells.enumerated() where problem.columns.length(of: column) == 1 {
            for leaf in problem.columns[column] {
                if let other = alone[Int(leaf)], problem.cells[other].floor >= cell.floor { continue }
                alone[Int(leaf)] = column
            }
        }
        self.alone = alone
        isSmall = alone.enumerated().map { leaf, column in
            column.map { problem.cells[$0].floor < problem.threshold } ?? !Self.isAnybody(at: UInt32(leaf), of: problem)
        }
    }

    /// What a pattern lets anybody compute of small leaves alone.
    ///
    /// - Complexity: one elimination, and 2^14 steps for each part of the table.
    package func outcome(publishing isPublished: [Bool], until deadline: ContinuousClock.Instant) -> Outcome {
        guard let rows = rows(isPublished, until: deadline) else { return Outcome(faults: 0, unexamined: 1) }
        var outcome = Outcome(faults: 0, unexamined: 0)
        for part in parts(of: rows) {
            guard part.count <= Self.mostRows, ContinuousClock().now < deadline else {
                outcome.unexamined += 1
                continue
            }
            if hasUnion(part) { outcome.faults += 1 }
        }
        return outcome
    }

    // MARK: Elimination

    /// A vector over leaves, without zeros.
    private typealias Row = [UInt32: UInt64]

    /// The reduced rows that have small leaves only, by their first leaf; nil where there was no time.
    private func rows(_ isPublished: [Bool], until deadline: ContinuousClock.Instant) -> [UInt32: Row]? {
        let large = isSmall.indices.filter { !isSmall[$0] }
        let small = isSmall.indices.filter { isSmall[$0] }
        var rankOfLeaf = Array(repeating: 0, count: isSmall.count)
        for (rank, leaf) in (large + small).enumerated() { rankOfLeaf[leaf] = rank }
        let leafOfRank = (large + small).map { UInt32($0) }
        let order = problem.cells.indices.filter { isPublished[$0] && problem.columns.length(of: $0) > 0 }
            .sorted { columns.length(of: $0) < columns.length(of: $1) }
        var rowOfRank: [[(rank: Int, factor: UInt64)]?] = Array(repeating: nil, count: isSmall.count)
        var value = Array(repeating: UInt64(0), count: isSmall.count)
        var isWaiting = Array(repeating: false, count: isSmall.count)
        for column in order {
            guard ContinuousClock().now < deadline else { return nil }
            var waiting = RankQueue()
            var touched: [Int] = []
            func add(_ rank: Int, _ amount: UInt64) {
                value[rank] = sum(value[rank], amount)
                if !isWaiting[rank] {
                    isWaiting[rank] = true
                    touched.append(rank)
                    waiting.push(rank)
                }
            }
            for leaf in columns[column] { add(rankOfLeaf[Int(leaf)], 1) }
            while let rank = waiting.pop() {
                guard value[rank] != 0 else { continue }
                guard let row = rowOfRank[rank] else {
                    let scale = inverse(value[rank])
                    let rest = touched.filter { $0 > rank && value[$0] != 0 }
                    rowOfRank[rank] = rest.map { ($0, product(scale, value[$0])) }
                    break
                }
                let factor = prime - value[rank]
                value[rank] = 0
                for term in row { add(term.rank, product(factor, term.factor)) }
            }
            for rank in touched {
                value[rank] = 0
                isWaiting[rank] = false
            }
        }
        var reduced: [UInt32: Row] = [:]
        for rank in (large.count..<isSmall.count).reversed() {
            guard let row = rowOfRank[rank] else { continue }
            var vector: Row = [leafOfRank[rank]: 1]
            for term in row { add(term.factor, [leafOfRank[term.rank]: 1], to: &vector) }
            for term in row {
                guard let later = reduced[leafOfRank[term.rank]], let factor = vector[leafOfRank[term.rank]] else {
                    continue
                }
                add(prime - factor, later, to: &vector)
            }
            reduced[leafOfRank[rank]] = vector
        }
        return reduced
    }

    private func add(_ factor: UInt64, _ row: Row, to vector: inout Row) {
        for (leaf, amount) in row {
            let sum = sum(vector[leaf] ?? 0, product(factor, amount))
            vector[leaf] = sum == 0 ? nil : sum
        }
    }

    // MARK: Unions

    /// Rows that have leaves in common, directly or through others.
    private func parts(of rows: [UInt32: Row]) -> [[Row]] {
        var homeOfLeaf: [UInt32: UInt32] = [:]
        func home(_ leaf: UInt32) -> UInt32 {
            var leaf = leaf
            while let next = homeOfLeaf[leaf], next != leaf { leaf = next }
            return leaf
        }
        for (first, row) in rows {
            for leaf in row.keys { homeOfLeaf[home(leaf)] = home(first) }
        }
        return Dictionary(grouping: rows.keys.sorted(), by: home).sorted { $0.key < $1.key }
            .map { $0.value.compactMap { rows[$0] } }
    }

    /// Whether any sum of some rows is a union under k: goes through all, one row more or less at a time (Gray).
    private func hasUnion(_ part: [Row]) -> Bool {
        var vector: Row = [:]
        var isTaken = part.map { _ in false }
        for step in 1..<(1 << part.count) {
            let place = step.trailingZeroBitCount
            add(isTaken[place] ? prime - 1 : 1, part[place], to: &vector)
            isTaken[place].toggle()
            if vector.values.allSatisfy({ $0 == 1 }), isUnderThreshold(vector.keys.sorted()) { return true }
        }
        return false
    }

    /// Whether somebody is at a leaf; places after the leaves are empty.
    private static func isAnybody(at leaf: UInt32, of problem: SuppressionProblem) -> Bool {
        Int(leaf) < problem.leafCount && problem.measures[0].values[Int(leaf)] > 0
    }

    /// Whether a union is somebody's, fewer than k devices are proved behind it, and more than earlier releases tell.
    private func isUnderThreshold(_ leaves: [UInt32]) -> Bool {
        guard leaves.contains(where: { Self.isAnybody(at: $0, of: problem) }) else { return false }
        let cells = leaves.compactMap { alone[Int($0)] }.map { ColumnIndex(UInt32($0)) }
        guard problem.unionFloor(cells) < problem.threshold else { return false }
        let union = Set(leaves)
        // A cell of k devices may be in it that was counted by itself.
        let holdsProof = problem.cells.indices.contains { column in
            problem.cells[column].floor >= problem.threshold && problem.columns.length(of: column) > 0
                && problem.columns.length(of: column) <= union.count
                && problem.columns[column].allSatisfy(union.contains)
        }
        return !holdsProof && !ledger.seesNothing(of: leaves)
    }

    // MARK: Arithmetic

    private func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let sum = one + other
        return sum >= prime ? sum - prime : sum
    }

    private func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
        prime.dividingFullWidth(one.multipliedFullWidth(by: other)).remainder
    }

    private func inverse(_ value: UInt64) -> UInt64 {
        var (result, base, exponent) = (UInt64(1), value, prime - 2)
        while exponent > 0 {
            if exponent & 1 == 1 { result = product(result, base) }
            base = product(base, base)
            exponent >>= 1
        }
        return result
    }
}
