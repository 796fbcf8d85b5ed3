/// One stretch of time that a budget is given for; the whole life of the purpose is slot 0 alone.
package struct BudgetSlot: Sendable, Hashable, Comparable, Codable {
    /// When it begins. Unit: Unix seconds.
    package let start: Int64

    /// Wraps a beginning.
    package init(start: Int64) { self.start = start }
    /// Orders by time.
    package static func < (left: Self, right: Self) -> Bool { left.start < right.start }
}
