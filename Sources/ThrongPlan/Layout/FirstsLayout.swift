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

/// The firsts that devices prove by a credential (`reach: attested`): one per length of time and cell of a margin.
///
/// A first lies in a cell of a tracked margin, so it keeps every dimension that partitions devices. The proof is for
/// the cell without these dimensions: a device has one first in it per period, in one bucket of the partition, as an
/// identifier is in one bucket per window. So numbers of different buckets add.
package struct ProvedFirstsLayout: Hashable, Sendable, Codable {
    /// The metric's own period, then its rollups.
    package let periods: [PeriodKind]
    /// The tracked margins of what a release shows, ascending.
    package let margins: [Margin]
}

extension MetricLayout {
    /// Returns the dimensions that a tracked margin keeps besides those that partition devices.
    package func apart(of margin: Margin) -> Margin {
        Margin(keeping: dimensions.indices.filter { margin.keeps($0) && !partition.keeps($0) })
    }
}

/// The measure of what an identifier did within its window, as counters know it: a progress that only grows.
package enum WindowLayout: Sendable, Hashable, Codable {
    /// Progress is events, in bands by their lower edges: ascending, 1 is the first.
    case frequency(bands: [Int])
    /// Progress is the number of steps taken, of so many.
    case funnel(steps: Int)

    /// The greatest progress that counts; beyond it, progress says nothing more.
    package var most: Int {
        switch self {
        case .frequency(let bands): bands.last ?? 1
        case .funnel(let steps): steps
        }
    }

    /// Returns the bucket in which an identifier counts.
    ///
    /// - Precondition: progress is at least 1.
    package func bucket(of progress: Int) -> Int {
        switch self {
        case .frequency(let bands): (bands.lastIndex { $0 <= progress }) ?? 0
        case .funnel(let steps): min(progress, steps) - 1
        }
    }

    /// Returns an identifier's progress after an event.
    ///
    /// - Parameters:
    ///   - steps: the funnel's steps that the event is: bit i is step i; unused for a frequency.
    ///   - count: the number of times that the event happened.
    package func advanced(_ progress: Int, by steps: UInt16, count: UInt32) -> Int {
        switch self {
        case .frequency: return min(most, progress + Int(min(count, UInt32(most))))
        case .funnel:
            var reached = progress
            for _ in 0..<min(Int(count), most) {
                guard reached < most, steps >> UInt16(reached) & 1 == 1 else { break }
                reached += 1
            }
            return reached
        }
    }
}

extension WindowMeasure {
    package var layout: WindowLayout {
        switch kind {
        case .frequency(let bands): .frequency(bands: bands)
        case .funnel(let steps): .funnel(steps: steps.count)
        }
    }
}
