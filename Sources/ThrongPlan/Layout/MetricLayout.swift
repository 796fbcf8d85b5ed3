import Crypto
package import Foundation
package import ThrongWire

/// How a metric is laid out in counters: everything that gives a counter its meaning, and nothing else.
///
/// Two plans in which a metric has the same layout add to the same counters; any difference starts new ones. The
/// layout's JSON goes into the journal's folder and into PostgreSQL, so that both can be read without the plan.
package struct MetricLayout: Hashable, Sendable, Codable {
    /// The app's name.
    package let app: AppName
    /// The metric's name.
    package let metric: MetricName
    /// The purpose under whose identifiers it is counted.
    package let purpose: PurposeName
    /// The length of that purpose's windows.
    package let rotation: Rotation
    /// What a counter covers.
    package let period: PeriodKind
    /// Where days begin.
    package let timeZone: String
    /// How it is split: the base dimensions, of which the histogram is the last, then those made of their buckets.
    package internal(set) var dimensions: [DimensionLayout]
    /// The clipped sums, which follow the count.
    package let sums: [SumMeasure]
    /// Events that one identifier may add in one window.
    package let contributionBound: Int
    /// The margins whose distinct identifiers are counted: leaf first, then ascending.
    ///
    /// Each keeps every dimension that partitions devices, because summing such a dimension out needs no count of its
    /// own (design, section 5). None keeps a dimension together with one made of its buckets. Where batches do not say who
    /// sends, there is the leaf alone, and nothing is counted in it.
    package let trackedMargins: [Margin]
    /// The firsts that clients say and that follow the sums among the counters; nil where devices are not counted so.
    package let firsts: FirstsLayout?
    /// What devices prove to be in, once a period; nil where they are not asked to.
    package let provedFirsts: ProvedFirstsLayout?
    /// What is counted of identifiers instead of events, in buckets of the last base dimension; nil where events are.
    package let within: WindowLayout?
    /// Nil where there are none, so that layouts without any have the JSON that they always had.
    private let impossibleCombinations: [ImpossibleCombination]?
    /// Nil where clients send every event, so that layouts of unsampled metrics have the JSON that they always had.
    private let sampledShare: Double?
    /// Nil where all devices count, so that layouts of such purposes have the JSON that they always had.
    private let floorKind: FloorKind?
    /// Nil where batches say who sends, so that layouts of such purposes have the JSON that they always had.
    private let saysWhoSends: Bool?

    private enum CodingKeys: String, CodingKey {
        case app, metric, purpose, rotation, period, timeZone, dimensions, sums, contributionBound, trackedMargins
        case firsts, provedFirsts, within
        case impossibleCombinations = "impossible"
        case sampledShare = "sampling"
        case floorKind = "floor"
        case saysWhoSends = "identifiers"
    }

    /// One dimension as counters see it.
    package struct DimensionLayout: Hashable, Sendable, Codable {
        /// Column name.
        package let name: DimensionName
        /// The buckets in order.
        package let labels: [BucketLabel]
        /// Whether a device can be in only one bucket within a window.
        package let partitionsDevices: Bool
        /// What tells two bucketings with the same labels apart: the rule and its version.
        package let rule: String
        /// Which dimension's buckets it is made of; nil for a base dimension, which is made from a field.
        package let coarsening: Coarsening?

        /// Puts a dimension's layout together.
        package init(
            name: DimensionName, labels: [BucketLabel], partitionsDevices: Bool, rule: String,
            coarsening: Coarsening? = nil
        ) {
            self.name = name
            self.labels = labels
            self.partitionsDevices = partitionsDevices
            self.rule = rule
            self.coarsening = coarsening
        }
    }

    /// How the buckets of a base dimension fall into those of a coarser one.
    package struct Coarsening: Hashable, Sendable, Codable {
        /// The base dimension's place in the layout.
        package let place: Int
        /// By bucket of the base dimension: the bucket of the coarser one.
        package let buckets: [Int]

        /// Puts a coarsening together.
        package init(place: Int, buckets: [Int]) {
            self.place = place
            self.buckets = buckets
        }
    }

    /// Puts a layout together; `groupings` are the margins that a release will show.
    ///
    /// - Parameters:
    ///   - sampling: share of events that clients send: more than 0, at most 1.
    ///   - firstPeriods: the lengths of time whose firsts clients say; none unless `reach: client`.
    ///   - provedPeriods: the lengths of time whose firsts devices prove; none unless `reach: attested`.
    ///   - hasIdentifiers: whether batches say who sends.
    /// - Precondition: base dimensions come first, and a coarser one has a bucket for each of its base dimension's.
    package init(
        app: AppName,
        metric: MetricName,
        purpose: PurposeName,
        rotation: Rotation,
        period: PeriodKind,
        timeZone: String,
        dimensions: [DimensionLayout],
        sums: [SumMeasure],
        contributionBound: Int,
        sampling: Double = 1,
        groupings: [Margin],
        impossible: [ImpossibleCombination] = [],
        hasIdentifiers: Bool = true,
        firstPeriods: [PeriodKind] = [],
        provedPeriods: [PeriodKind] = [],
        within: WindowLayout? = nil,
        floor: FloorKind = .any
    ) {
        self.app = app
        self.metric = metric
        self.purpose = purpose
        self.rotation = rotation
        self.period = period
        self.timeZone = timeZone
        self.dimensions = dimensions
        self.sums = sums
        self.contributionBound = contributionBound
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
        // Without identifiers there are no floors.
        let counted = hasIdentifiers ? groupings : []
        let others = Set(counted.map { dimensions.trackedMargin(for: $0) }).subtracting([leaf])
        trackedMargins = [leaf] + others.sorted()
    }

    /// Combinations of buckets that cannot occur, which is public knowledge; no event is ever counted in them.
    package var impossible: [ImpossibleCombination] { impossibleCombinations ?? [] }

    /// Share of events that clients sent while these counters were counted: more than 0, at most 1.
    ///
    /// It is part of the layout because counters of two rates can be neither added nor scaled up.
    package var sampling: Double { sampledShare ?? 1 }

    /// Whether batches say who sends: false where the purpose has no identifiers. Nothing is then counted of identifiers.
    package var hasIdentifiers: Bool { saysWhoSends ?? true }

    /// The counter of a first, by its place in ``firsts``.
    package func measure(ofFirst place: Int) -> MeasureIndex { MeasureIndex(Int16(1 + sums.count + place)) }

    /// Which devices its floors count: part of the layout, because counts of the one kind are none of the other.
    package var floor: FloorKind { floorKind ?? .any }

    /// Whether what proved identifiers add is counted once more beside what all add: the part that no forger can know.
    ///
    /// Where identifiers themselves are counted, those without proof are not, and the two are the same.
    package var countsProved: Bool { floor == .attested && within == nil }

    /// The counter that has, of what a count or sum counts, the part of proved identifiers.
    package func provedMeasure(of measure: MeasureIndex) -> MeasureIndex {
        MeasureIndex(Int16(1 + sums.count + (firsts?.count ?? 0)) + measure.value)
    }

    /// The sums whose largest contributions are known: those of all identifiers, then those of proved ones.
    package var rankedMeasures: [MeasureIndex] {
        let all = sums.indices.map { MeasureIndex.sum($0) }
        return countsProved ? all + all.map(provedMeasure) : all
    }

    /// Counters of a leaf cell: the count, sums, firsts, and what proved identifiers added to count and sums.
    package var countersPerCell: Int {
        1 + sums.count + (firsts?.count ?? 0) + (countsProved ? 1 + sums.count : 0)
    }

    /// What identifies this layout: the SHA-256 of its JSON with sorted keys.
    package var id: LayoutID { LayoutID(Array(SHA256.hash(data: json))) }
}

/// The identity of a layout: 32 bytes.
package struct LayoutID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The digest.
    package let bytes: [UInt8]
    /// Wraps a digest of 32 bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// Orders by bytes.
    package static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    /// 64 lower-case hexadecimal digits.
    package var description: String { bytes.lowerHex }
}

extension MetricLayout {
    /// The layout as JSON with sorted keys: the same bytes for the same layout, on every machine.
    package var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            // A layout holds strings, whole numbers and finite numbers that the plan's reader checked.
            preconditionFailure("a layout could not be written as JSON: \(error)")
        }
    }

    /// Reads what ``json`` wrote.
    package init(json: Data) throws { self = try JSONDecoder().decode(MetricLayout.self, from: json) }
}

extension SumMeasure {
    /// What each event counts for besides its value when contributions are compared: nothing, or, where values can be
    /// negative, as much as the lowest one lacks to 0.
    ///
    /// "The largest" says something about dominance only among numbers that are not negative. Shifted contributions of
    /// a cell add up to its sum + shift · events.
    /// - Unit: 10^-decimals of the sum's unit, per event; not negative.
    package var contributionShift: Int64 { max(0, -quantum(of: lowest)) }
}
