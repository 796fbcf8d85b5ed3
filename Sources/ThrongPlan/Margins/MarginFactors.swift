internal import ThrongWire

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
