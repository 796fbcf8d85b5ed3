/// Which firsts a metric counts (`reach: client`): one more counter of its leaf cells a length of time and grouping.
///
/// Clients say of an event for which groupings it is the device's first in an hour, day, week or month. A device has one
/// first a period, grouping and cell of it, in whichever leaf it happened to begin; so the firsts of a grouping's cell,
/// added over its leaves and the periods that a longer one is made of, are the devices of that cell.
package struct FirstsLayout: Hashable, Sendable, Codable {
    /// The metric's own period, then its rollups.
    package let periods: [PeriodKind]
    /// The groupings that a release shows, ascending.
    package let groupings: [Margin]

    /// Puts a layout of firsts together.
    package init(periods: [PeriodKind], groupings: [Margin]) {
        self.periods = periods
        self.groupings = groupings
    }

    /// How many counters of a leaf cell that makes; at most ``FirstSet/most``.
    package var count: Int { periods.count * groupings.count }

    /// The counter of a length of time (by its place in ``periods``) and a grouping (by its place in ``groupings``).
    package func place(period: Int, grouping: Int) -> Int { period * groupings.count + grouping }

    /// Where the counters of a length of time lie, a grouping each; nil where its firsts are not counted.
    package func places(of period: PeriodKind) -> Range<Int>? {
        periods.firstIndex(of: period).map { $0 * groupings.count..<($0 + 1) * groupings.count }
    }
}

/// Which firsts an event is: some counters of a ``FirstsLayout``, a bit each.
package struct FirstSet: Hashable, Sendable, Sequence {
    /// Most counters of firsts that a metric has.
    package static let most = 64

    /// Bit i stands for counter i.
    package private(set) var bits: UInt64

    /// Wraps bits.
    package init(bits: UInt64) { self.bits = bits }

    /// The event is no first.
    package static let none = FirstSet(bits: 0)

    /// Whether it is no first at all.
    package var isEmpty: Bool { bits == 0 }

    /// Adds a counter: 0 to ``most`` - 1.
    package mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    /// Whether a counter is among them.
    package func contains(_ place: Int) -> Bool { bits & 1 << UInt64(place) != 0 }

    /// What either has.
    package func union(_ other: FirstSet) -> FirstSet { FirstSet(bits: bits | other.bits) }

    /// Only those counters of it.
    package func intersection(_ places: Range<Int>) -> FirstSet {
        FirstSet(bits: bits & (places.reduce(0) { $0 | 1 << UInt64($1) }))
    }

    /// The counters, ascending.
    package func makeIterator() -> Iterator { Iterator(rest: bits) }

    /// Walks over the counters, ascending.
    package struct Iterator: IteratorProtocol, Sendable {
        fileprivate var rest: UInt64

        /// The next counter.
        package mutating func next() -> Int? {
            guard rest != 0 else { return nil }
            defer { rest &= rest - 1 }
            return rest.trailingZeroBitCount
        }
    }
}
