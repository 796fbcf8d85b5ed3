/// The firsts that a metric counts (`reach: client`): one more counter per leaf cell, length of time and grouping.
///
/// A client says for which groupings an event is the device's first in an hour, day, week or month. A device has one
/// first per period, grouping and cell of the grouping, in the leaf cell where it happened to begin. So the firsts of a
/// grouping's cell, added over its leaves and over the periods that make up a longer one, are the devices of that cell.
package struct FirstsLayout: Hashable, Sendable, Codable {
    /// The metric's own period, then its rollups.
    package let periods: [PeriodKind]
    /// The groupings that a release shows, ascending.
    package let groupings: [Margin]

    /// The number of counters per leaf cell; at most ``FirstSet/most``.
    package var count: Int { periods.count * groupings.count }

    /// Returns the counter of a length of time and a grouping, by their places in ``periods`` and ``groupings``.
    package func place(period: Int, grouping: Int) -> Int { period * groupings.count + grouping }

    /// Returns the places of a length of time's counters, one per grouping; nil if its firsts are not counted.
    package func places(of period: PeriodKind) -> Range<Int>? {
        periods.firstIndex(of: period).map { $0 * groupings.count..<($0 + 1) * groupings.count }
    }
}

/// The firsts that an event is: some counters of a ``FirstsLayout``, a bit each.
package struct FirstSet: Hashable, Sendable, Sequence {
    /// The most counters of firsts that a metric has.
    package static let most = 64

    /// Bit i stands for counter i.
    package private(set) var bits: UInt64

    package init(bits: UInt64) { self.bits = bits }

    package static let none = FirstSet(bits: 0)

    package var isEmpty: Bool { bits == 0 }

    /// Adds a counter: 0 to ``most`` - 1.
    package mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    package func contains(_ place: Int) -> Bool { bits & 1 << UInt64(place) != 0 }

    package func union(_ other: FirstSet) -> FirstSet { FirstSet(bits: bits | other.bits) }

    package func intersection(_ places: Range<Int>) -> FirstSet {
        FirstSet(bits: bits & (places.reduce(0) { $0 | 1 << UInt64($1) }))
    }

    /// The counters, ascending.
    package func makeIterator() -> Iterator { Iterator(rest: bits) }

    /// Walks over the counters, ascending.
    package struct Iterator: IteratorProtocol, Sendable {
        fileprivate var rest: UInt64

        package mutating func next() -> Int? {
            guard rest != 0 else { return nil }
            defer { rest &= rest - 1 }
            return rest.trailingZeroBitCount
        }
    }
}
