internal import Foundation
package import ThrongNoise
internal import ThrongWire

/// The lattices of a metric's groupings. One is for its events and sums, by all fields. The others are for devices, by
/// the fields of which a device has one bucket: one lattice for each way to tell occasions apart.
///
/// Events add up over all dimensions. Devices add up only over the dimensions that partition them, so each combination
/// of buckets of the other dimensions, an occasion, asks a question of its own.
package struct MarginShape: Sendable {
    /// One grouping, as it is made from the lattices.
    package struct Part: Sendable, Hashable {
        package let grouping: Margin
        /// The base dimensions that its events are made of.
        package let base: Margin
        /// The dimensions that tell its occasions apart; devices do not add up over them.
        package let occasions: Margin
        /// The base dimensions of which a device has one bucket each.
        package let fields: Margin
        /// The numbers of buckets that are added up, by base dimension; 1 if the grouping keeps the dimension.
        package let sums: [Int: [Int]]
    }

    /// The groupings, in the order of asking.
    package let parts: [Part]
    package let events: Lattice
    /// The lattice of devices for each margin of occasions; none without identifiers.
    package let devices: [Margin: Lattice]
    private let eventPlaces: [Int]
    private let devicePlaces: [Int]

    /// Works out a layout's lattices for some groupings.
    ///
    /// - Throws: ``NoiseError/tooManyFields(found:limit:)``, ``NoiseError/tooManyCells(found:limit:)`` and
    ///   ``NoiseError/emptyUniverse``.
    package init(_ layout: MetricLayout, groupings: [Margin]) throws(NoiseError) {
        parts = groupings.map { Part($0, layout) }
        let used = parts.reduce(Margin.total) { $0.union($1.base) }
        // A dimension of one bucket splits nothing.
        let places = layout.dimensions.indices.filter { used.keeps($0) && layout.dimensions[$0].labels.count > 1 }
        let partitioning = places.filter { layout.dimensions[$0].partitionsDevices }
        (eventPlaces, devicePlaces) = (places, partitioning)
        func lattice(_ places: [Int], _ margins: [Margin]) throws(NoiseError) -> Lattice {
            let fields = try places.map { place throws(NoiseError) in
                try Field(buckets: layout.dimensions[place].labels.count)
            }
            // A lattice has names for so many fields and refuses more.
            guard fields.count <= Lattice.mostFields else {
                throw .tooManyFields(found: fields.count, limit: Lattice.mostFields)
            }
            return try Lattice(fields: fields, groupings: margins.map { FieldSet(Self.fields(of: $0, among: places)) })
        }
        events = try lattice(places, parts.map(\.base))
        var devices: [Margin: Lattice] = [:]
        if layout.hasIdentifiers {
            for occasions in Set(parts.map(\.occasions)) {
                devices[occasions] = try lattice(partitioning, parts.filter { $0.occasions == occasions }.map(\.fields))
            }
        }
        self.devices = devices
    }

    package func eventFields(of margin: Margin) -> FieldSet { FieldSet(Self.fields(of: margin, among: eventPlaces)) }

    package func deviceFields(of margin: Margin) -> FieldSet { FieldSet(Self.fields(of: margin, among: devicePlaces)) }

    /// Returns the dimensions of some of the events' fields, ascending.
    package func eventDimensions(of fields: FieldSet) -> [Int] { fields.places.map { eventPlaces[$0] } }

    /// Returns the dimensions of some of the devices' fields, ascending.
    package func deviceDimensions(of fields: FieldSet) -> [Int] { fields.places.map { devicePlaces[$0] } }

    private static func fields(of margin: Margin, among places: [Int]) -> [Int] {
        places.indices.filter { margin.keeps(places[$0]) }
    }
}

extension MarginShape.Part {
    fileprivate init(_ grouping: Margin, _ layout: MetricLayout) {
        let kept = layout.dimensions.indices.filter(grouping.keeps)
        func base(_ places: [Int]) -> Margin {
            Margin(keeping: places.map { layout.dimensions[$0].coarsening?.place ?? $0 })
        }
        self.grouping = grouping
        self.base = base(kept)
        fields = base(kept.filter { layout.dimensions[$0].partitionsDevices })
        occasions = Margin(keeping: kept.filter { !layout.dimensions[$0].partitionsDevices })
        var sums: [Int: [Int]] = [:]
        for (place, dimension) in layout.dimensions.enumerated()
        where self.base.keeps(place) && dimension.labels.count > 1 {
            let coarse = kept.compactMap { layout.dimensions[$0].coarsening }.filter { $0.place == place }
            let added = Dictionary(grouping: dimension.labels.indices) { bucket in coarse.map { $0.buckets[bucket] } }
            sums[place] = grouping.keeps(place) ? [1] : Set(added.values.map(\.count)).sorted()
        }
        self.sums = sums
    }

    /// Returns all combinations of the numbers of buckets that are added up, one number per dimension.
    package func combinations(of places: [Int]) -> [[Int]] {
        places.reduce([[]]) { all, place in all.flatMap { start in (sums[place] ?? [1]).map { start + [$0] } } }
    }
}

/// The factors by which variances are raised if several metrics count some of the same events of the same people.
///
/// A combination of n metrics' numbers into one about a happening takes some share c of each. The shares add up to 1,
/// so that Σc² is at least 1/n (Cauchy and Schwarz). n times the variance of each is therefore enough, whatever the
/// combination.
package struct MarginFactors: Sendable, Hashable {
    /// The factor of events and sums: counts of events are linear in each other, as in A∪B + B∪C − A∪C, which is twice
    /// B.
    package let events: Int64
    /// The factor of devices: numbers of different events are independent, and those of the same events are one
    /// question, unless metrics split a field by different rules.
    package let devices: Int64

    package static let none = MarginFactors(events: 1, devices: 1)

    package init(events: Int64, devices: Int64) { (self.events, self.devices) = (events, devices) }
}

extension Plan {
    /// Returns the factors of a metric beside the plan's others.
    ///
    /// - Complexity: O(kinds · metrics²).
    package func marginFactors(of metric: Metric) -> MarginFactors {
        let (base, widening) = (ownFactors(of: metric), budgetFactor(of: metric))
        return MarginFactors(events: base.events * widening, devices: base.devices * widening)
    }

    /// The factor by which the budget raises all variances: the cost of a draw falls as its variance grows.
    private func budgetFactor(of metric: Metric) -> Int64 {
        guard let budget = app.budget else { return 1 }
        let total = metrics(ofOneWith: metric).reduce(0) { $0 + (cost(of: $1, ownFactors(of: $1)) ?? 0) }
        return Int64(min(max(1, (total / budget - 1e-9).rounded(.up)), 0x1p31))
    }

    private func ownFactors(of metric: Metric) -> MarginFactors {
        let all = metrics.map { ($0, counted(by: $0).kinds) }
        var (events, devices): (Int64, Int64) = (1, 1)
        for kind in counted(by: metric).kinds ?? [] {
            let sharing = all.filter { $0.1?.contains(kind) ?? true }.map(\.0)
            // Numbers of identifiers are not linear in events.
            events = max(events, Self.groups(of: sharing.filter { $0.within == nil }, where: asksAlike))
            devices = max(devices, Self.groups(of: sharing, where: splitsAlike))
        }
        return MarginFactors(events: events, devices: devices)
    }

    /// Returns the number of groups in which any two metrics are alike; perhaps not the fewest.
    private static func groups(of metrics: [Metric], where areAlike: (Metric, Metric) -> Bool) -> Int64 {
        var groups: [[Metric]] = []
        for metric in metrics {
            if let place = groups.firstIndex(where: { $0.allSatisfy { areAlike($0, metric) } }) {
                groups[place].append(metric)
            } else {
                groups.append([metric])
            }
        }
        return Int64(groups.count)
    }

    private func asksAlike(_ one: Metric, _ other: Metric) -> Bool {
        // Identifiers of another rotation are a question of their own about the same events.
        let (mine, its) = (purpose(one.purpose), purpose(other.purpose))
        return mine?.hasIdentifiers == its?.hasIdentifiers && mine?.rotation == its?.rotation
            && counted(by: one).kinds == counted(by: other).kinds && one.sampling == other.sampling
            && one.period == other.period && one.contributionBound == other.contributionBound
            && one.choosesBound == other.choosesBound && one.within == other.within && splitsAlike(one, other)
    }

    /// True if each field that both metrics split is split by one rule, or by rules without a common bucket.
    private func splitsAlike(_ one: Metric, _ other: Metric) -> Bool {
        let (mine, its) = (origins(of: one).values, origins(of: other).values)
        return mine.allSatisfy { origin in
            its.allSatisfy {
                $0.field != origin.field || $0.rule == origin.rule || $0.rule.bucketKind != origin.rule.bucketKind
            }
        }
    }
}

extension BucketingRule {
    /// The kind of things in the rule's buckets: rules of other kinds do not have the same bucket.
    package var bucketKind: String {
        switch self {
        case .list, .region, .version, .language, .host, .route, .fileType: "values"
        case .bands, .powers, .significantFigures: "numbers"
        case .screen: "screens"
        case .browser: "browsers"
        case .operatingSystem: "systems"
        case .deviceClass: "classes of devices"
        case .utcOffset: "offsets"
        case .time(let part, _): "parts of time: \(part)"
        case .revealed: "learned values"
        }
    }
}

/// The cost of everything that is drawn for one release: the ρ of zero-concentrated differential privacy of one device
/// and day, or of one event if nobody has an identifier.
///
/// It is the largest cost that one device can cause: the device reaches its bound, and meets all occasions it can.
package struct MarginCost: Sendable, Hashable {
    let rho: Double

    /// Adds up the questions of a layout.
    ///
    /// - Parameters:
    ///   - factors: see ``Plan/marginFactors(of:)``.
    ///   - drawsEvents: false for a sum over periods, whose numbers were drawn for these.
    ///   - kindsOfDevices: draws of devices: one of identifiers, and one where devices are known in a whole period.
    ///   - periods: of the layout in which events of one identifier may lie; nil for what is drawn of one period.
    /// - Throws: ``NoiseError/overflow``.
    package init(
        _ shape: MarginShape, _ layout: MetricLayout, _ threshold: Threshold, factors: MarginFactors = .none,
        drawsEvents: Bool = true, kindsOfDevices: Int = 1, periods: Int? = nil
    ) throws(NoiseError) {
        var rho = 0.0
        let (shares, periods) = (layout.rungs == nil || periods == nil ? 1 : Metric.boundShares, periods ?? 1)
        for measure in 0...layout.sums.count where drawsEvents {
            let change = Rational(layout.bound(of: measure) ?? 1)
            let least = try layout.width(of: measure, threshold, factor: factors.events).least
            rho += shares * (try shape.events.cost(change: change, least: least).approximate)
        }
        let least = try NoiseWidth(threshold: threshold.devices, factor: factors.devices).least
        for (occasions, lattice) in shape.devices.sorted(by: { $0.key < $1.key }) {
            let met = min(layout.size(of: occasions) * periods, layout.rungs?.last ?? layout.contributionBound)
            rho += Double(met * kindsOfDevices) * (try lattice.cost(change: Rational(1), least: least).approximate)
        }
        // The choice of the busiest window: a day has several, too, where identifiers of the next came with what had waited offline.
        if layout.hasIdentifiers { rho += Double(periods) / (2 * least.approximate) }
        self.rho = rho
    }

    /// ρ with two decimals, rounded up.
    package var text: String { Self.text(rho) }

    package static func text(_ rho: Double) -> String { String(format: "%.2f", (rho * 100).rounded(.up) / 100) }

    /// The share of right guesses whether a device is there, at most, of somebody who knows all others and sees everything that
    /// costs ρ; half of such devices are. Unit: percent, rounded up, from 99 on to a tenth; 50 is a coin.
    ///
    /// A guess is right in (1 + TV)/2 of cases at best. The total variation TV is at most √(ρ/2), as the divergence is at most
    /// ρ (Pinsker), and at most √(1 − e^−ρ) (Bretagnolle and Huber).
    static func bestGuess(_ rho: Double) -> Double {
        let percent = 50 * (1 + min((rho / 2).squareRoot(), (1 - exp(-rho)).squareRoot()))
        return percent > 99 ? (percent * 10).rounded(.up) / 10 : percent.rounded(.up)
    }
}

extension MetricLayout {
    /// The most of its periods that events of one identifier may lie in: in each of them it is drawn again. An identifier is taken in its own
    /// window and in the neighbours, with events of 48 hours before and five minutes ahead. Local midnights and hours lie at quarters of an hour.
    /// Where identifiers are counted in the place of events, one counts in the period of its first event only.
    var periodsOfIdentifier: Int {
        guard within == nil else { return 1 }
        func common(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : common(b, a % b) }
        let (window, isLocal) = (rotation.seconds, timeZone != "UTC")
        // A clock that is put forward takes an hour; one that goes by half an hour cuts an hour in two.
        let length = period.shortestSeconds - (isLocal && period > .hour ? 3600 : 0)
        // The steps in which its first instant may lie behind a period's start.
        let step = common(!isLocal && period <= .day ? common(window, 48 * 3600) : 900, length)
        return Int((2 * length - step + 3 * window + 48 * 3600 + 299) / length) + (isLocal && period == .hour ? 1 : 0)
    }

    /// Returns the most that one device adds to a measure in a window, at least 1; nil if the measure counts devices.
    ///
    /// - Parameter measure: 0 is the count; then the sums. Unit: the measure's.
    package func bound(of measure: Int) -> Int64? {
        guard measure > 0 || within == nil else { return nil }
        let (bound, overflow) = most(of: measure).multipliedReportingOverflow(by: Int64(contributionBound))
        return overflow ? .max : bound
    }

    /// Returns the most that one event adds to a measure, at least 1. Unit: the measure's.
    private func most(of measure: Int) -> Int64 {
        guard measure > 0 else { return 1 }
        let sum = sums[measure - 1]
        let ends = (sum.quantum(of: sum.lowest).magnitude, sum.quantum(of: sum.highest).magnitude)
        return max(1, Int64(clamping: max(ends.0, ends.1)))
    }

    /// Returns the width of a measure's noise. For events and sums it goes by what one device adds at most; for
    /// identifiers that are counted in the place of events it is that of devices.
    ///
    /// - Parameter factor: see ``Plan/marginFactors(of:)``.
    /// - Throws: ``NoiseError/overflow``.
    package func width(of measure: Int, _ threshold: Threshold, factor: Int64) throws(NoiseError) -> NoiseWidth {
        try NoiseWidth(
            threshold: threshold.devices, bound: bound(of: measure), event: most(of: measure), factor: factor)
    }
}
