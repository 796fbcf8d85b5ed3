internal import ThrongFaults

/// Everything that decides which cells of a table may be published together (disclosure, section 1).
///
/// Leaves are the occupied ones only. That is on the safe side: a cell that can't be derived when the empty leaves
/// are known to be empty can't be derived when they are unknown, and a table in which they stay empty is consistent.
/// With a ``LeafGrid`` witnesses may also put somebody where nobody is; then what can be computed is computed over the
/// places that they fill, too (``atoms(filledBy:)``).
package struct SuppressionProblem: Sendable {
    /// The measures over the leaves; all have the same number of leaves. At least one.
    package let measures: [AdditiveMeasure]
    /// The leaves of each candidate cell, ascending.
    package let columns: IndexLists
    /// What is known about each candidate cell, in the order of ``columns``.
    package let cells: [CandidateCell]
    /// Which cells add up to which, for L2.
    package let relations: [AdditiveRelation]
    /// k. Unit: devices (and events, where a measure `surrounds`).
    package let threshold: Int64
    /// The floor of the union of disjoint cells. Monotone: a larger union never has a smaller floor.
    package let unionFloor: @Sendable ([ColumnIndex]) -> Int64
    /// Where the leaves stand; nil where that is not known, and witnesses keep to the leaves.
    package let grid: LeafGrid?
    /// Leaves that nobody is in, which take part because readers can't know that. Like a grid's empty places, they count
    /// for what follows from published cells only where a witness fills them.
    package let empty: Set<UInt32>

    /// Puts a problem together and checks its shape.
    ///
    /// - Parameter unionFloor: what is proved of a union; by default the largest part's floor (disclosure, L2).
    /// - Throws: ``SuppressionError/malformed(_:)`` on anything that does not fit together.
    /// - Complexity: O(incidences).
    package init(
        measures: [AdditiveMeasure],
        columns: IndexLists,
        cells: [CandidateCell],
        relations: [AdditiveRelation],
        threshold: Int64,
        unionFloor: (@Sendable ([ColumnIndex]) -> Int64)? = nil,
        grid: LeafGrid? = nil,
        empty: Set<UInt32> = []
    ) throws(SuppressionError) {
        guard let leaves = measures.first?.values.count else { throw .malformed(.noMeasure) }
        for (place, measure) in measures.enumerated() {
            guard measure.values.count == leaves else { throw .malformed(.unequalMeasures(measure: place)) }
            guard measure.values.allSatisfy({ $0 >= 0 }) else { throw .malformed(.negativeValue(measure: place)) }
            var total: Int64 = 0
            for value in measure.values {
                let (sum, overflow) = total.addingReportingOverflow(value)
                guard !overflow, sum < Self.largestTotal else { throw .malformed(.totalTooLarge(measure: place)) }
                total = sum
            }
        }
        guard columns.count == cells.count else { throw .malformed(.cellsWithoutColumns) }
        for column in 0..<columns.count {
            var previous = -1
            for leaf in columns[column] {
                guard Int(leaf) > previous, Int(leaf) < leaves else {
                    throw .malformed(.unsortedLeaves(ColumnIndex(UInt32(column))))
                }
                previous = Int(leaf)
            }
            guard cells[column].cost >= 1 else { throw .malformed(.costUnderOne(ColumnIndex(UInt32(column)))) }
        }
        for relation in relations {
            guard ([relation.parent] + relation.children).allSatisfy({ Int($0.value) < cells.count }) else {
                throw .malformed(.relationOutside)
            }
            let parts = relation.children.flatMap { columns[Int($0.value)] }.sorted()
            guard parts.elementsEqual(columns[Int(relation.parent.value)]) else {
                throw .malformed(.relationNotASum(parent: relation.parent))
            }
        }
        self.measures = measures
        self.columns = columns
        self.cells = cells
        self.relations = relations
        self.threshold = threshold
        guard grid.map({ $0.places.count == leaves && $0.groupingOfColumn.count == columns.count }) ?? true else {
            throw .malformed(.gridOfAnother)
        }
        self.grid = grid
        self.empty = empty
        if Fault.ignoreUnions.isOn {
            self.unionFloor = { _ in .max }
            return
        }
        self.unionFloor = unionFloor ?? { parts in parts.reduce(0) { max($0, cells[Int($1.value)].floor) } }
    }

    /// Totals stay under 2^60 so that a witness plus a table never overflows, and so that values stay below the prime.
    static let largestTotal: Int64 = 1 << 60

    /// The number of occupied leaves.
    package var leafCount: Int { measures.first?.values.count ?? 0 }

    /// What follows from published cells is what is a combination of them over all leaves and over every empty place that
    /// some table has somebody in that agrees with them: between that table and the true one all of these hold something, so
    /// that from there any change may be made that leaves what is published alone, in one direction and in the other.
    ///
    /// Over leaves alone more follows: for somebody who knows which places are empty. So it does in cubes of very many places,
    /// and where a column has no grouping that tells which places it would hold.
    ///
    /// - Parameter witnesses: tables that agree with what is published.
    /// - Returns: by column, its leaves and, numbered after all leaves, the places of it that are filled; and how many leaves and
    ///   filled places there are.
    package func atoms(filledBy witnesses: [SuppressionPattern.Witness]) -> Atoms {
        let columns = columns.removing(empty.subtracting(Self.filled(by: witnesses)))
        guard let grid, grid.fitsProgram, knowsGroupings(grid) else { return Atoms(columns: columns, count: leafCount) }
        var filled: Set<LeafGrid.Place> = []
        for arrival in witnesses.flatMap(\.arrivals)
        where grid.holds(arrival.place) && grid.isPossible(arrival.place) && grid.leaf(at: arrival.place) == nil {
            filled.insert(arrival.place)
        }
        if filled.isEmpty { return Atoms(columns: columns, count: leafCount) }
        var lists = (0..<columns.count).map { Array(columns[$0]) }
        for (number, place) in filled.sorted(by: { grid.key(of: $0) < grid.key(of: $1) }).enumerated() {
            for grouping in grid.groupings {
                if let column = grouping.column(at: place) { lists[Int(column)].append(UInt32(leafCount + number)) }
            }
        }
        return Atoms(columns: IndexLists(lists), count: leafCount + filled.count)
    }

    /// The leaves to which tables add somebody.
    package static func filled(by witnesses: [SuppressionPattern.Witness]) -> Set<UInt32> {
        Set(witnesses.flatMap { $0.changes.filter { $0.amount > 0 }.map(\.leaf.value) })
    }

    private func knowsGroupings(_ grid: LeafGrid) -> Bool {
        grid.groupingOfColumn.indices.allSatisfy { grid.groupingOfColumn[$0] != nil || columns[$0].isEmpty }
    }

    /// Leaves and empty places that may hold somebody for all that anybody knows.
    package struct Atoms: Sendable {
        /// By column, ascending.
        package let columns: IndexLists
        package let count: Int
    }

    /// What a cell shows of a measure.
    package func value(of column: ColumnIndex, measure: Int) -> Int64 {
        columns[Int(column.value)].reduce(0) { $0 + measures[measure].values[Int($1)] }
    }
}

/// One number that a release could show: a sum of leaves with coefficients 0 or 1.
package struct CandidateCell: Sendable, Hashable {
    /// The proved lower bound on devices. Given, because floors are maxima over windows and do not add. Unit: devices.
    package let floor: Int64
    /// What hiding it costs: more useful cells are published first. At least 1.
    package let cost: Int64
    /// Under k, failing the dominance rule, or marked: never to be published nor derived.
    package let isSensitive: Bool
    /// In the ledger already: the attacker has it whatever is decided now.
    package let isForced: Bool
    /// Somebody asked for it. A cell that nobody asked for belongs to the universe all the same: it may be sensitive and
    /// must then be protected, and relations may name it, but it is never published and hiding it costs nothing. What is
    /// forced is published whether offered or not.
    package let isOffered: Bool
    /// Where there is a grid: lower levels are settled first, and nothing in a higher one takes them back.
    package let level: Int

    /// Puts a candidate together.
    package init(
        floor: Int64, cost: Int64, isSensitive: Bool, isForced: Bool = false, isOffered: Bool = true, level: Int = 0
    ) {
        self.level = level
        self.floor = floor
        self.cost = cost
        self.isSensitive = isSensitive
        self.isForced = isForced
        self.isOffered = isOffered
    }
}

/// A parent that is the sum of its children, all of them candidate cells; empty children are left out.
package struct AdditiveRelation: Sendable, Hashable {
    /// The sum.
    package let parent: ColumnIndex
    /// The parts, disjoint.
    package let children: [ColumnIndex]

    /// Puts a relation together.
    package init(parent: ColumnIndex, children: [ColumnIndex]) {
        self.parent = parent
        self.children = children
    }
}

/// One candidate cell of a ``SuppressionProblem``, by its place in the problem's list.
package struct ColumnIndex: Hashable, Sendable, Comparable {
    /// 0 to the number of columns.
    package let value: UInt32
    /// Wraps a place.
    package init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// One leaf of a ``SuppressionProblem``: an occupied combination of the finest declared dimensions.
package struct LeafIndex: Hashable, Sendable, Comparable {
    /// 0 to the number of leaves.
    package let value: UInt32
    /// Wraps a place.
    package init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
