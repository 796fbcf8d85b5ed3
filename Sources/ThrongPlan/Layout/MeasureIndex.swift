/// Which counter of a cell: 0 is the count of events, i + 1 is the metric's sum i; firsts follow.
package struct MeasureIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the number of sums and firsts.
    package let value: Int16
    /// Wraps an index.
    package init(_ value: Int16) { self.value = value }
    /// The count of events.
    package static let count = MeasureIndex(0)
    /// The counter of the metric's sum at that place.
    package static func sum(_ place: Int) -> MeasureIndex { MeasureIndex(Int16(place) + 1) }
    /// Orders by index.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
