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
