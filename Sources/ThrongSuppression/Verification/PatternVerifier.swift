internal import ThrongFaults

/// Checks a finished pattern in plain, checked arithmetic; shares no line with the search.
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

    /// What is wrong with a pattern.
    package enum Violation: Sendable, Hashable {
        /// A sensitive cell is published that no forced one gives away.
        case sensitivePublished(ColumnIndex)
        /// A cell is published that is neither offered nor forced.
        case notOffered(ColumnIndex)
        /// A forced cell is missing.
        case forcedHidden(ColumnIndex)
        /// L1: the cell can be computed from the published ones.
        case computable(ColumnIndex)
        /// L2: the unknown children of this relation have a union under k.
        case smallUnion(relation: Int)
        /// A witness contradicts this published cell.
        case contradicts(witness: Int, ColumnIndex)
        /// A witness has a negative leaf, somebody in a place that is impossible or not empty, or sums that overflow.
        case impossible(witness: Int)
        /// A witness does not move this cell in the direction it claims, by as much as it must.
        case provesNothing(witness: Int, ColumnIndex)
        /// The pattern says that all sensitive cells but the listed ones are proved, and this one is not.
        case unproved(ColumnIndex)
        /// The pattern calls a cell given away by forced ones, and these do not determine it.
        case notPinned(ColumnIndex)
        /// The pattern excuses this relation, and its union can't be computed from forced cells.
        case notOpen(relation: Int)
        /// The one device behind this singleton could compute the other cell with its own number.
        case peeled(ColumnIndex, by: Singleton)
        /// The pattern has another number of cells than the problem.
        case wrongShape
    }

    /// Checks everything that the pattern claims.
    ///
    /// - Parameters:
    ///   - prime: for the test of L1: a random prime between 2^60 and 2^61. See ``RandomPrime``.
    ///   - seed: for the random values of that test.
    /// - Returns: what is wrong; empty when all is well.
    /// - Complexity: O(incidences + witnesses' steps × columns a leaf), and one sparse elimination.
    package func violations(of pattern: SuppressionPattern, prime: UInt64, seed: UInt64) -> [Violation] {
        guard pattern.isPublished.count == problem.cells.count,
            (pattern.pinned + pattern.unproved).allSatisfy({ problem.cells.indices.contains(Int($0.value)) }),
            pattern.openRelations.allSatisfy(problem.relations.indices.contains)
        else { return [.wrongShape] }
        // What the ledger gives away is worked out here, not taken from the pattern.
        let ledger = NullProbe(
            problem.columns, leafCount: problem.leafCount, published: problem.cells.map(\.isForced), prime: prime,
            seed: seed)
        var pinned: Set<ColumnIndex> = []
        var result: [Violation] = []
        for cell in pattern.pinned {
            if problem.columns.length(of: Int(cell.value)) > 0, ledger.seesNothing(of: leaves(of: cell)) {
                pinned.insert(cell)
            } else {
                result.append(.notPinned(cell))
            }
        }
        for (place, cell) in problem.cells.enumerated() {
            let name = ColumnIndex(UInt32(place))
            let isPublished = pattern.isPublished[place]
            if cell.isForced, !isPublished, problem.columns.length(of: place) > 0 { result.append(.forcedHidden(name)) }
            if isPublished, !cell.isOffered, !cell.isForced { result.append(.notOffered(name)) }
            if cell.isSensitive, isPublished, !cell.isForced, !pinned.contains(name) {
                result.append(.sensitivePublished(name))
            }
        }
        let atoms = problem.atoms(filledBy: pattern.witnesses)
        let probe = NullProbe(
            atoms.columns, leafCount: atoms.count, published: pattern.isPublished, prime: prime,
            seed: seed)
        var isKnown = pattern.isPublished
        for place in problem.cells.indices where !isKnown[place] {
            guard problem.columns.length(of: place) > 0, probe.seesNothing(of: atoms.columns[place]) else {
                continue
            }
            isKnown[place] = true
            let name = ColumnIndex(UInt32(place))
            if problem.cells[place].isSensitive, !pinned.contains(name) { result.append(.computable(name)) }
        }
        if let place = probe.contradicted { result.append(.computable(ColumnIndex(UInt32(place)))) }
        result += unions(isKnown, open: Set(pattern.openRelations), ledger: ledger)
        result += peeled(probe, atoms.columns, ledger: ledger, pinned: pinned)
        result += witnesses(of: pattern, pinned: pinned)
        return result
    }

    private func leaves(of column: ColumnIndex) -> ArraySlice<UInt32> { problem.columns[Int(column.value)] }

    /// - Parameter open: relations that are excused if forced cells alone tell their unions.
    private func unions(_ isKnown: [Bool], open: Set<Int>, ledger: NullProbe) -> [Violation] {
        var result: [Violation] = []
        for (place, relation) in problem.relations.enumerated() {
            guard isKnown[Int(relation.parent.value)] else { continue }
            let children = relation.children.filter { !leaves(of: $0).isEmpty }
            let unknown = children.filter { !isKnown[Int($0.value)] }
            if unknown.isEmpty { continue }
            // Where nothing below is known nothing is subtracted: what is revealed is the parent.
            if unknown.count == children.count,
                problem.cells[Int(relation.parent.value)].floor >= problem.threshold
            {
                continue
            }
            if problem.unionFloor(unknown) >= problem.threshold { continue }
            if !open.contains(place) {
                result.append(.smallUnion(relation: place))
            } else if !ledger.seesNothing(of: unknown.flatMap(leaves)) {
                result.append(.notOpen(relation: place))
            }
        }
        return result
    }

    /// Something that one device knows because it is alone in it.
    package enum Singleton: Sendable, Hashable {
        /// A leaf of one event.
        case leaf(LeafIndex)
        /// A cell with a floor of one device.
        case cell(ColumnIndex)
    }

    /// Sensitive cells that follow from what is published and one singleton's number, unless forced cells did that.
    private func peeled(
        _ probe: NullProbe, _ columns: IndexLists, ledger: NullProbe, pinned: Set<ColumnIndex>
    ) -> [Violation] {
        var singletons: [(name: Singleton, leaves: ArraySlice<UInt32>)] = []
        let events = problem.measures[0].values
        // One event is one device's, unless more are proved.
        var isShared = Array(repeating: false, count: problem.leafCount)
        for (place, cell) in problem.cells.enumerated() where cell.floor > 1 && problem.columns.length(of: place) == 1 {
            for leaf in problem.columns[place] { isShared[Int(leaf)] = true }
        }
        for leaf in events.indices where events[leaf] == 1 && !isShared[leaf] {
            singletons.append((.leaf(LeafIndex(UInt32(leaf))), [UInt32(leaf)]))
        }
        for place in problem.cells.indices where problem.cells[place].floor == 1 && !problem.columns[place].isEmpty {
            singletons.append((.cell(ColumnIndex(UInt32(place))), problem.columns[place]))
        }
        var byDirection: [UInt64: [Int]] = [:]
        for (place, singleton) in singletons.enumerated() {
            let known =
                switch singleton.name {
                case .leaf: singleton.leaves
                case .cell(let column): columns[Int(column.value)]
                }
            guard let direction = probe.direction(of: known) else { continue }
            byDirection[direction, default: []].append(place)
        }
        if byDirection.isEmpty { return [] }
        var result: [Violation] = []
        for (place, cell) in problem.cells.enumerated() where cell.isSensitive && !problem.columns[place].isEmpty {
            let name = ColumnIndex(UInt32(place))
            guard !pinned.contains(name), let direction = probe.direction(of: columns[place]) else {
                continue
            }
            for singleton in (byDirection[direction] ?? []).map({ singletons[$0] }) {
                if isOwn(name, of: singleton.leaves) { continue }
                let known = ledger.direction(of: singleton.leaves)
                if let known, known == ledger.direction(of: leaves(of: name)) { continue }
                result.append(.peeled(name, by: singleton.name))
            }
        }
        return result
    }

    /// Whether nobody but a singleton's device stands behind a cell.
    private func isOwn(_ column: ColumnIndex, of singleton: ArraySlice<UInt32>) -> Bool {
        // What is empty and follows from what is published adds nothing to what the device knows.
        func isFull(_ leaf: UInt32) -> Bool { problem.measures.contains { $0.values[Int(leaf)] != 0 } }
        let cell = Set(leaves(of: column).filter(isFull))
        let own = singleton.filter(isFull)
        if cell.isSubset(of: own) { return true }
        let floor = problem.cells[Int(column.value)].floor
        let isAlone = floor == 1 || floor < 1 && problem.value(of: column, measure: 0) == 1
        return isAlone && cell.isSuperset(of: own)
    }

    private func witnesses(of pattern: SuppressionPattern, pinned: Set<ColumnIndex>) -> [Violation] {
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
        let excused = pinned.union(pattern.unproved)
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

    /// Whether these values satisfy L3, spelled out again from the specification.
    private func isProved(_ column: ColumnIndex, by reached: [Reached]) -> Bool {
        for (place, measure) in problem.measures.enumerated() {
            let value = problem.value(of: column, measure: place)
            let values = reached.filter { $0.measure == place }.map(\.value)
            // The true table is one of those that agree: it counts as a proof of its own value.
            guard let highest = values.max(), let lowest = (values + [value]).min() else { return false }
            guard highest > value else { return false }
            if Fault.skipIntervals.isOn { continue }
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

    /// How far a witness moves cells.
    private struct Moves {
        /// By column.
        private(set) var amounts: [Int64]
        /// Columns that were ever moved, some more than once.
        private(set) var touched: [Int] = []

        init(width: Int) { amounts = Array(repeating: 0, count: width) }

        /// - Returns: false where the sum overflows.
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

    /// - Returns: false where a leaf would be negative or a sum overflows.
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
        var occupied: Set<LeafGrid.Place> = []
        for arrival in witness.arrivals {
            // A grid that is not the problem's own can't be: the problem was refused with it.
            guard let grid = problem.grid, problem.measures[witness.measure].mayArrive, arrival.amount > 0,
                arrival.amount < SuppressionProblem.largestTotal,
                grid.holds(arrival.place), grid.isPossible(arrival.place), grid.leaf(at: arrival.place) == nil,
                occupied.insert(arrival.place).inserted
            else { return false }
            for grouping in grid.groupings {
                guard let column = grouping.column(at: arrival.place) else { continue }
                guard moves.add(arrival.amount, to: column) else { return false }
            }
        }
        return true
    }
}
