/// The problem of which cells of a table may be published together, with all data that decides it.
///
/// Leaves are the occupied ones only. That is on the safe side: a cell that can't be derived when the empty leaves
/// are known to be empty can't be derived when they are unknown, and a table in which they stay empty is consistent.
package struct SuppressionProblem: Sendable {
    /// The measures over the leaves; all have the same number of leaves. At least one: the first counts contributors.
    package let measures: [AdditiveMeasure]
    /// The leaves of each candidate cell, ascending.
    package let columns: IndexLists
    /// The candidate cells, in the order of ``columns``.
    package let cells: [CandidateCell]
    /// The sums among cells, for L2.
    package let relations: [AdditiveRelation]
    /// The least number of contributors that the unknown parts of a known whole have. Unit: contributors (and the
    /// measure's, for one that `surrounds`).
    package let threshold: Int64
    /// The number of contributors by column.
    let counts: [Int64]

    /// Creates a problem and checks its shape.
    ///
    /// - Throws: ``SuppressionError/malformed(_:)`` on anything that does not fit together.
    /// - Complexity: O(incidences).
    package init(
        measures: [AdditiveMeasure],
        columns: IndexLists,
        cells: [CandidateCell],
        relations: [AdditiveRelation],
        threshold: Int64
    ) throws(SuppressionError) {
        guard let contributors = measures.first?.values else { throw .malformed(.noMeasure) }
        let leaves = contributors.count
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
        counts = (0..<columns.count).map { columns[$0].reduce(0) { $0 + contributors[Int($1)] } }
    }

    /// Totals stay under 2^60 so that a witness plus a table never overflows, and so that values stay below the prime.
    static let largestTotal: Int64 = 1 << 60

    /// The number of occupied leaves.
    package var leafCount: Int { measures.first?.values.count ?? 0 }

    /// Returns the number of contributors in some cells together, which have no leaf in common.
    func count(ofUnion parts: [ColumnIndex]) -> Int64 { parts.reduce(0) { $0 + counts[Int($1.value)] } }

    /// Returns a cell's value of a measure.
    package func value(of column: ColumnIndex, measure: Int) -> Int64 {
        columns[Int(column.value)].reduce(0) { $0 + measures[measure].values[Int($1)] }
    }
}

/// One number that a table could show: a sum of leaves with coefficients 0 or 1.
package struct CandidateCell: Sendable, Hashable {
    /// The cost of hiding it: more useful cells are published first. At least 1.
    package let cost: Int64
    /// True if it is under k or fails the dominance rule: it must be neither published nor derivable.
    package let isSensitive: Bool

    package init(cost: Int64, isSensitive: Bool) {
        self.cost = cost
        self.isSensitive = isSensitive
    }
}

/// A parent that is the sum of its children, all of them candidate cells; empty children are left out.
package struct AdditiveRelation: Sendable, Hashable {
    /// The sum.
    package let parent: ColumnIndex
    /// The parts, disjoint.
    package let children: [ColumnIndex]

    package init(parent: ColumnIndex, children: [ColumnIndex]) {
        self.parent = parent
        self.children = children
    }
}

/// One candidate cell of a ``SuppressionProblem``, by its place in the problem's list.
package struct ColumnIndex: Hashable, Sendable {
    /// The place: 0 to the number of columns, exclusive.
    package let value: UInt32
    /// Wraps a place.
    package init(_ value: UInt32) { self.value = value }
}

/// One leaf of a ``SuppressionProblem``: an occupied combination of the finest codes.
package struct LeafIndex: Hashable, Sendable, Comparable {
    /// The place: 0 to the number of leaves, exclusive.
    package let value: UInt32
    /// Wraps a place.
    package init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
