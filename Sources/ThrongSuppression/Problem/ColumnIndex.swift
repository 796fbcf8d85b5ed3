/// One candidate cell of a ``SuppressionProblem``, by its place in the problem's list.
public struct ColumnIndex: Hashable, Sendable, Comparable {
    /// 0 to the number of columns.
    public let value: UInt32
    /// Wraps a place.
    public init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
