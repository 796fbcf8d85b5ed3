/// A grouping of a metric: the set of dimensions that are kept, while the others are summed out.
///
/// Bit i stands for the metric's dimension i.
package struct Margin: Hashable, Sendable, Codable, Comparable {
    package let bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    /// The grand total: no dimension is kept.
    package static let total = Margin(bits: 0)

    package init(keeping places: some Sequence<Int>) {
        bits = places.reduce(0) { $0 | (1 << UInt32($1)) }
    }

    package func keeps(_ place: Int) -> Bool { bits & (1 << UInt32(place)) != 0 }

    package func union(_ other: Margin) -> Margin { Margin(bits: bits | other.bits) }

    /// True if this keeps all that the other keeps; see ``MetricLayout/refines(_:_:)`` for dimensions made of others.
    package func refines(_ other: Margin) -> Bool { bits & other.bits == other.bits }

    package static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}

/// One cell of one margin of one metric: mixed radix over the kept dimensions, the last one running fastest.
@usableFromInline package struct CellIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the margin's size, at most 10^6.
    @usableFromInline package let value: UInt32
    package init(_ value: UInt32) { self.value = value }
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    /// Compares indices. It is written out so that loops over events in other modules can inline it.
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

/// Some cells of one margin, a bit each.
package struct CellSet: Sendable, Hashable {
    private var words: [UInt64]

    /// Creates an empty set for a margin of `count` cells.
    package init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    package mutating func insert(_ cell: CellIndex) { words[Int(cell.value >> 6)] |= 1 << UInt64(cell.value & 63) }

    package func contains(_ cell: CellIndex) -> Bool { words[Int(cell.value >> 6)] & 1 << UInt64(cell.value & 63) != 0 }
}

/// The place of a counter in a cell: 0 is the count of events, i + 1 is the metric's sum i; firsts follow.
package struct MeasureIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the number of sums and firsts, and one more if events of proved identifiers are counted apart.
    package let value: Int16
    package init(_ value: Int16) { self.value = value }
    package static let count = MeasureIndex(0)
    package static func sum(_ place: Int) -> MeasureIndex { MeasureIndex(Int16(place) + 1) }
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
