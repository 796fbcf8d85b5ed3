/// One leaf of a ``SuppressionProblem``: an occupied combination of the finest declared dimensions.
package struct LeafIndex: Hashable, Sendable, Comparable {
    /// 0 to the number of leaves.
    package let value: UInt32
    /// Wraps a place.
    package init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
