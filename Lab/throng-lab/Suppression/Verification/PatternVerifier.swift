/// Checks a finished pattern in plain, checked arithmetic. It shares no line with the search.
///
/// A pattern that passes is safe whatever the search did: witnesses are tables that anybody can add up, and the test of
/// L1 needs only a vector that is orthogonal to every published column, however that was found.
package struct PatternVerifier: Sendable {
    private let problem: SuppressionProblem
    private let columnsOfLeaf: IndexLists

    /// Prepares to check patterns of a problem.
    package init(_ problem: SuppressionProblem) {
        self.problem = problem
        columnsOfLeaf = problem.columns.transposed(width: problem.leafCount)
    }

    /// A fault of a pattern.
    package enum Violation: Sendable, Hashable {
        /// A sensitive cell is published.
        case sensitivePublished(ColumnIndex)
        /// L1: the cell can be computed from the published ones.
        case computable(ColumnIndex)
        /// L2: the unknown children of this relation have a union under k.
        case smallUnion(relation: Int)
        /// A witness contradicts this published cell.
        case contradicts(witness: Int, ColumnIndex)
        /// A witness has a negative leaf, one leaf twice, or sums that overflow.
        case impossible(witness: Int)
        /// A witness does not move this cell in the direction it claims, by as much as it must.
        case provesNothing(witness: Int, ColumnIndex)
        /// The pattern says that all sensitive cells but the listed ones are proved, and this one is not.
        case unproved(ColumnIndex)
        /// The one contributor behind this singleton could compute the other cell with its own number.
        case peeled(ColumnIndex, by: Singleton)
        /// The pattern has another number of cells than the problem.
        case wrongShape
    }

    /// Checks everything that the pattern claims.
    ///
    /// - Parameters:
    ///   - prime: a random prime between 2^60 and 2^61 for the test of L1. See ``RandomPrime``.
    ///   - seed: the seed of the random values of that test.
    /// - Returns: the faults; empty if there are none.
    /// - Complexity: O(incidences + witnesses' steps × columns of a leaf), and one sparse elimination.
    package func violations(of pattern: SuppressionPattern, prime: UInt64, seed: UInt64) -> [Violation] {
        guard pattern.isPublished.count == problem.cells.count,
            pattern.unproved.allSatisfy({ problem.cells.indices.contains(Int($0.value)) })
        else { return [.wrongShape] }
        let probe = NullProbe(
            problem.columns, leafCount: problem.leafCount, published: pattern.isPublished, prime: prime, seed: seed)
        var result: [Violation] = []
        var isKnown = pattern.isPublished
        for (place, cell) in problem.cells.enumerated() {
            let name = ColumnIndex(UInt32(place))
            if isKnown[place] {
                if cell.isSensitive { result.append(.sensitivePublished(name)) }
            } else if problem.columns.length(of: place) > 0, probe.seesNothing(of: leaves(of: name)) {
                isKnown[place] = true
                if cell.isSensitive { result.append(.computable(name)) }
            }
        }
        if let place = probe.contradicted { result.append(.computable(ColumnIndex(UInt32(place)))) }
        result += unions(isKnown)
        result += peeled(probe)
        result += witnesses(of: pattern)
        return result
    }

    private func leaves(of column: ColumnIndex) -> ArraySlice<UInt32> { problem.columns[Int(column.value)] }

    private func unions(_ isKnown: [Bool]) -> [Violation] {
        var result: [Violation] = []
        for (place, relation) in problem.relations.enumerated() where isKnown[Int(relation.parent.value)] {
            let unknown = relation.children.filter { !leaves(of: $0).isEmpty && !isKnown[Int($0.value)] }
            if !unknown.isEmpty, problem.count(ofUnion: unknown) < problem.threshold {
                result.append(.smallUnion(relation: place))
            }
        }
        return result
    }

    /// A leaf or a cell that one contributor is alone in, and knows.
    package enum Singleton: Sendable, Hashable {
        /// A leaf.
        case leaf(LeafIndex)
        /// A cell.
        case cell(ColumnIndex)
    }

    /// Returns the sensitive cells that can be computed from the published ones and one singleton's number.
    private func peeled(_ probe: NullProbe) -> [Violation] {
        var singletons: [(name: Singleton, leaves: ArraySlice<UInt32>)] = []
        let contributors = problem.measures[0].values
        for leaf in contributors.indices where contributors[leaf] == 1 {
            singletons.append((.leaf(LeafIndex(UInt32(leaf))), [UInt32(leaf)]))
        }
        for place in problem.cells.indices where problem.counts[place] == 1 {
            singletons.append((.cell(ColumnIndex(UInt32(place))), problem.columns[place]))
        }
        var byDirection: [UInt64: [Int]] = [:]
        for (place, singleton) in singletons.enumerated() {
            guard let direction = probe.direction(of: singleton.leaves) else { continue }
            byDirection[direction, default: []].append(place)
        }
        if byDirection.isEmpty { return [] }
        var result: [Violation] = []
        for (place, cell) in problem.cells.enumerated() where cell.isSensitive && !problem.columns[place].isEmpty {
            let name = ColumnIndex(UInt32(place))
            guard let direction = probe.direction(of: leaves(of: name)) else { continue }
            for singleton in (byDirection[direction] ?? []).map({ singletons[$0] })
            where !isOwn(name, of: singleton.leaves) {
                result.append(.peeled(name, by: singleton.name))
            }
        }
        return result
    }

    /// True if nobody but a singleton's contributor stands behind a cell.
    private func isOwn(_ column: ColumnIndex, of singleton: ArraySlice<UInt32>) -> Bool {
        let cell = Set(leaves(of: column))
        return cell.isSubset(of: singleton)
            || problem.counts[Int(column.value)] == 1 && cell.isSuperset(of: singleton)
    }

    private func witnesses(of pattern: SuppressionPattern) -> [Violation] {
        var result: [Violation] = []
        var reached: [ColumnIndex: [Reached]] = [:]
        var moves = Moves(width: problem.cells.count)
        for (place, witness) in pattern.witnesses.enumerated() {
            moves.clear()
            guard problem.measures.indices.contains(witness.measure), add(witness, to: &moves) else {
                result.append(.impossible(witness: place))
                continue
            }
            let seen = moves.touched.filter { moves.amounts[$0] != 0 && pattern.isPublished[$0] }
            for column in Set(seen).sorted() {
                result.append(.contradicts(witness: place, ColumnIndex(UInt32(column))))
            }
            for column in witness.proves {
                let value = problem.value(of: column, measure: witness.measure)
                let amount = moves.amounts[Int(column.value)]
                if amount == 0 { result.append(.provesNothing(witness: place, column)) }
                reached[column, default: []].append(Reached(measure: witness.measure, value: value + amount))
            }
        }
        let excused = Set(pattern.unproved)
        for (place, cell) in problem.cells.enumerated() where cell.isSensitive && problem.columns.length(of: place) > 0
        {
            let name = ColumnIndex(UInt32(place))
            if excused.contains(name) { continue }
            if !isProved(name, by: reached[name] ?? []) { result.append(.unproved(name)) }
        }
        return result
    }

    /// A value that a witness gives a cell.
    private struct Reached {
        let measure: Int
        let value: Int64
    }

    /// True if these values satisfy L3, written again from the specification.
    private func isProved(_ column: ColumnIndex, by reached: [Reached]) -> Bool {
        for (place, measure) in problem.measures.enumerated() {
            let value = problem.value(of: column, measure: place)
            let values = reached.filter { $0.measure == place }.map(\.value)
            // The true table is one of those that agree: it counts as a proof of its own value.
            guard let highest = values.max(), let lowest = (values + [value]).min() else { return false }
            guard highest > value else { return false }
            guard highest >= problem.threshold else { return false }
            if case .surrounds(let percent) = measure.protection {
                let share = (Double(value) * Double(percent) / 100).rounded(.up)
                let width = share < 1e18 ? Int64(share) : Int64.max / 2
                guard highest > problem.threshold, highest - value >= width,
                    lowest <= max(0, value - max(problem.threshold, width))
                else { return false }
            }
        }
        return true
    }

    /// The amounts by which a witness moves cells.
    private struct Moves {
        /// The amounts by column.
        private(set) var amounts: [Int64]
        /// Columns that were ever moved, some more than once.
        private(set) var touched: [Int] = []

        init(width: Int) { amounts = Array(repeating: 0, count: width) }

        /// - Returns: false if the sum overflows.
        mutating func add(_ amount: Int64, to column: UInt32) -> Bool {
            let (sum, overflow) = amounts[Int(column)].addingReportingOverflow(amount)
            amounts[Int(column)] = sum
            touched.append(Int(column))
            return !overflow
        }

        mutating func clear() {
            for column in touched { amounts[column] = 0 }
            touched.removeAll(keepingCapacity: true)
        }
    }

    /// - Returns: false if a leaf would be negative or a sum overflows.
    private func add(_ witness: SuppressionPattern.Witness, to moves: inout Moves) -> Bool {
        var seen: Set<LeafIndex> = []
        let values = problem.measures[witness.measure].values
        for change in witness.changes {
            guard Int(change.leaf.value) < problem.leafCount, seen.insert(change.leaf).inserted else { return false }
            let (after, overflow) = values[Int(change.leaf.value)].addingReportingOverflow(change.amount)
            guard !overflow, after >= 0 else { return false }
            for column in columnsOfLeaf[Int(change.leaf.value)] {
                guard moves.add(change.amount, to: column) else { return false }
            }
        }
        return true
    }
}
