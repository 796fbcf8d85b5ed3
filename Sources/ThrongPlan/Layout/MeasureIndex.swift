/// Which counter of a cell: 0 is the count of events, i + 1 is the metric's sum i; firsts follow.
public struct MeasureIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the number of sums and firsts.
    public let value: Int16
    /// Wraps an index.
    public init(_ value: Int16) { self.value = value }
    /// The count of events.
    public static let count = MeasureIndex(0)
    /// The counter of the metric's sum at that place.
    public static func sum(_ place: Int) -> MeasureIndex { MeasureIndex(Int16(place) + 1) }
    /// Orders by index.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
