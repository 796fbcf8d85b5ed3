/// One leaf of a ``SuppressionProblem``: an occupied combination of the finest declared dimensions.
public struct LeafIndex: Hashable, Sendable, Comparable {
    /// 0 to the number of leaves.
    public let value: UInt32
    /// Wraps a place.
    public init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
