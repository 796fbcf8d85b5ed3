/// A parent that is the sum of its children, all of them candidate cells; empty children are left out.
public struct AdditiveRelation: Sendable, Hashable {
    /// The sum.
    public let parent: ColumnIndex
    /// The parts, disjoint.
    public let children: [ColumnIndex]

    /// Puts a relation together.
    public init(parent: ColumnIndex, children: [ColumnIndex]) {
        self.parent = parent
        self.children = children
    }
}
