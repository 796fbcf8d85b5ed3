/// A grouping of a metric: which of its dimensions are kept, the others being summed out.
///
/// Bit i stands for the metric's dimension i.
public struct Margin: Hashable, Sendable, Codable, Comparable {
    /// The kept dimensions as a bit set.
    public let bits: UInt32

    /// Wraps a bit set.
    public init(bits: UInt32) { self.bits = bits }

    /// The grand total: no dimension is kept.
    public static let total = Margin(bits: 0)

    /// The margin that keeps the dimensions at these places.
    public init(keeping places: some Sequence<Int>) {
        bits = places.reduce(0) { $0 | (1 << UInt32($1)) }
    }

    /// Whether the dimension at that place is kept.
    public func keeps(_ place: Int) -> Bool { bits & (1 << UInt32(place)) != 0 }

    /// The margin that keeps what either keeps.
    public func union(_ other: Margin) -> Margin { Margin(bits: bits | other.bits) }

    /// Whether everything that the other keeps is kept here too; ``MetricLayout/refines(_:_:)`` also knows which
    /// dimensions are made of the buckets of others.
    public func refines(_ other: Margin) -> Bool { bits & other.bits == other.bits }

    /// Orders by the bit set.
    public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}

/// One cell of one margin of one metric: mixed radix over the kept dimensions, the last one running fastest.
public struct CellIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the margin's size, at most 10^6.
    public let value: UInt32
    /// Wraps an index.
    public init(_ value: UInt32) { self.value = value }
    /// Orders by index.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
