import Crypto
package import Foundation

/// The layout of a metric's counters: everything that gives a counter its meaning, and nothing else.
///
/// Two plans in which a metric has the same layout add to the same counters; any difference starts new ones. The
/// layout's JSON goes into the journal's folder and into PostgreSQL, so that both can be read without the plan.
package struct MetricLayout: Hashable, Sendable, Codable {
    package let app: AppName
    package let metric: MetricName
    /// The purpose under whose identifiers the metric is counted.
    package let purpose: PurposeName
    /// The length of that purpose's windows.
    package let rotation: Rotation
    package let period: PeriodKind
    package let timeZone: String
    /// The base dimensions, the histogram last, then those made of their buckets.
    package internal(set) var dimensions: [DimensionLayout]
    /// The clipped sums, which follow the count.
    package let sums: [SumMeasure]
    /// The most events that one identifier may add in one window; in a release, its period's.
    package internal(set) var contributionBound: Int
    /// The bounds of which a release chooses one, ascending; nil where the bound is fixed.
    ///
    /// An identifier's first events in its window are counted in the cells of the lowest rung, what exceeds it in those
    /// of the next, and so on: the leaf cells once for each rung, one after the other.
    package let rungs: [Int]?
    /// The margins whose distinct identifiers are counted: leaf first, then ascending.
    ///
    /// Each margin keeps every dimension that partitions devices, because summing such a dimension out needs no count
    /// of its own (design, section 5). None keeps a dimension together with one made of its buckets. If batches do not
    /// say who sends, there is the leaf alone, and nothing is counted in it.
    package let trackedMargins: [Margin]
    /// The firsts that clients say, which follow the sums among the counters; nil if devices are not counted so.
    package let firsts: FirstsLayout?
    /// The firsts that devices prove, once a period; nil if they are not asked to.
    package let provedFirsts: ProvedFirstsLayout?
    /// The measure of identifiers that is counted, in buckets of the last base dimension; nil for events.
    package let within: WindowLayout?
    /// The impossible combinations; nil if there are none, so that layouts without any keep the JSON that they had.
    private let impossibleCombinations: [ImpossibleCombination]?
    /// The sampled share; nil if clients send every event, so that layouts of unsampled metrics keep the JSON they had.
    private let sampledShare: Double?
    /// The kind of floor; nil if all devices count, so that layouts of such purposes keep the JSON that they had.
    private let floorKind: FloorKind?
    /// False if batches do not say who sends, else nil, so that layouts of other purposes keep the JSON that they had.
    private let saysWhoSends: Bool?

    private enum CodingKeys: String, CodingKey {
        case app, metric, purpose, rotation, period, timeZone, dimensions, sums, contributionBound, trackedMargins
        case firsts, provedFirsts, within, rungs
        case impossibleCombinations = "impossible"
        case sampledShare = "sampling"
        case floorKind = "floor"
        case saysWhoSends = "identifiers"
    }

    package struct DimensionLayout: Hashable, Sendable, Codable {
        /// The dimension's name, used as a column name.
        package let name: DimensionName
        package let labels: [BucketLabel]
        /// True if a device can be in only one bucket within a window.
        package let partitionsDevices: Bool
        /// The rule and its version, which tell bucketings with the same labels apart.
        package let rule: String
        /// The mapping from the buckets of a base dimension; nil for a base dimension, which is made from a field.
        package let coarsening: Coarsening?

        package init(
            name: DimensionName, labels: [BucketLabel], partitionsDevices: Bool, rule: String,
            coarsening: Coarsening? = nil
        ) {
            (self.name, self.labels, self.partitionsDevices, self.rule) = (name, labels, partitionsDevices, rule)
            self.coarsening = coarsening
        }
    }

    /// The mapping of a base dimension's buckets to those of a coarser one.
    package struct Coarsening: Hashable, Sendable, Codable {
        package let place: Int
        /// The bucket of the coarser dimension for each bucket of the base dimension.
        package let buckets: [Int]

        package init(place: Int, buckets: [Int]) { (self.place, self.buckets) = (place, buckets) }
    }

    /// Creates a layout; `groupings` are the margins that a release will show.
    ///
    /// - Parameters:
    ///   - choosesBound: true if releases choose their bound; that given is the one to begin with.
    ///   - sampling: share of events that clients send: more than 0, at most 1.
    ///   - firstPeriods: the lengths of time whose firsts clients say; none unless `reach: client`.
    ///   - provedPeriods: the lengths of time whose firsts devices prove; none unless `reach: attested`.
    ///   - hasIdentifiers: true if batches say who sends.
    /// - Precondition: base dimensions come first, and a coarser one has a bucket for each of its base dimension's.
    package init(
        app: AppName, metric: MetricName, purpose: PurposeName, rotation: Rotation, period: PeriodKind,
        timeZone: String, dimensions: [DimensionLayout], sums: [SumMeasure], contributionBound: Int,
        choosesBound: Bool = false, sampling: Double = 1, groupings: [Margin], impossible: [ImpossibleCombination] = [],
        hasIdentifiers: Bool = true, firstPeriods: [PeriodKind] = [], provedPeriods: [PeriodKind] = [],
        within: WindowLayout? = nil, floor: FloorKind = .any
    ) {
        (self.app, self.metric, self.purpose, self.rotation, self.period) = (app, metric, purpose, rotation, period)
        (self.timeZone, self.dimensions, self.sums) = (timeZone, dimensions, sums)
        self.contributionBound = contributionBound
        rungs = choosesBound ? Metric.boundRungs : nil
        impossibleCombinations = impossible.isEmpty ? nil : impossible
        sampledShare = sampling == 1 ? nil : sampling
        saysWhoSends = hasIdentifiers ? nil : false
        self.within = within
        floorKind = floor == .any ? nil : floor
        firsts = firstPeriods.isEmpty ? nil : FirstsLayout(periods: firstPeriods, groupings: Set(groupings).sorted())
        provedFirsts =
            provedPeriods.isEmpty
            ? nil
            : ProvedFirstsLayout(
                periods: provedPeriods, margins: Set(groupings.map { dimensions.trackedMargin(for: $0) }).sorted())
        let leaf = Margin(keeping: dimensions.indices.filter { dimensions[$0].coarsening == nil })
        // Floors need identifiers.
        let counted = hasIdentifiers ? groupings : []
        let others = Set(counted.map { dimensions.trackedMargin(for: $0) }).subtracting([leaf])
        trackedMargins = [leaf] + others.sorted()
    }

    /// Combinations of buckets that cannot occur, which is public knowledge; no event is ever counted in them.
    package var impossible: [ImpossibleCombination] { impossibleCombinations ?? [] }

    /// The share of events that clients sent, above 0: counters of two rates can be neither added nor scaled up.
    package var sampling: Double { sampledShare ?? 1 }

    /// True if batches say who sends; false if the purpose has no identifiers. Then nothing is counted of identifiers.
    package var hasIdentifiers: Bool { saysWhoSends ?? true }

    /// Returns the counter of a first, by its place in ``firsts``.
    package func measure(ofFirst place: Int) -> MeasureIndex { MeasureIndex(Int16(1 + sums.count + place)) }

    /// The devices that the metric's floors count. It is part of the layout: counts of one kind are none of the other.
    package var floor: FloorKind { floorKind ?? .any }

    /// True if the events of proved identifiers are counted once more; a metric that counts identifiers has no others.
    package var countsProved: Bool { floor == .attested && within == nil }

    /// The counter of proved identifiers' events, the last of a cell; that of all events if they are not counted apart.
    package var provedCount: MeasureIndex {
        countsProved ? MeasureIndex(Int16(1 + sums.count + (firsts?.count ?? 0))) : .count
    }

    /// The number of counters of a leaf cell: the count, sums, firsts, and the events of proved identifiers.
    package var countersPerCell: Int { 1 + sums.count + (firsts?.count ?? 0) + (countsProved ? 1 : 0) }

    /// The layout's identity: the SHA-256 of its JSON with sorted keys.
    package var id: LayoutID { LayoutID(Array(SHA256.hash(data: json))) }

    /// The layout as JSON with sorted keys: the same bytes for the same layout, on every machine.
    package var json: Data {
        do { return try JSONEncoder.stable().encode(self) } catch {
            // A layout holds strings, whole numbers and finite numbers that the plan's reader checked.
            preconditionFailure("a layout could not be written as JSON: \(error)")
        }
    }

    package init(json: Data) throws { self = try JSONDecoder().decode(MetricLayout.self, from: json) }

    /// Returns the dimensions that a tracked margin keeps besides those that partition devices.
    package func apart(of margin: Margin) -> Margin {
        Margin(keeping: dimensions.indices.filter { margin.keeps($0) && !partition.keeps($0) })
    }
}

/// The identity of a layout: 32 bytes.
package struct LayoutID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    /// 64 lower-case hexadecimal digits.
    package var description: String { bytes.lowerHex }
}

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
