/// One candidate cell of a ``SuppressionProblem``, by its place in the problem's list.
package struct ColumnIndex: Hashable, Sendable, Comparable {
    /// 0 to the number of columns.
    package let value: UInt32
    /// Wraps a place.
    package init(_ value: UInt32) { self.value = value }
    /// Orders by place.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
