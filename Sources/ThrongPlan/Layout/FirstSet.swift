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
