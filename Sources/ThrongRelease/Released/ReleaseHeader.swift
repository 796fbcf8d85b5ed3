internal import ThrongFaults
package import ThrongPlan

/// What a release is about: everything that a reader needs to know about its numbers.
package struct ReleaseHeader: Sendable, Hashable, Codable {
    /// What the cells mean; carries app, metric, dimensions and their buckets, learned ones with their labels.
    package private(set) var layout: MetricLayout
    /// What the release covers.
    package let period: Period
    /// The plan in force.
    package let plan: PlanVersion
    /// How many devices each number stands for.
    package let threshold: Threshold
    /// Share of events that clients sent: more than 0, at most 1.
    package let sampling: Double
    /// Whether reach is published.
    package let reach: Bool
    /// The margins shown, ascending.
    package let groupings: [Margin]
    /// How far around a withheld number an interval must reach, and the p of the p % rule; nil in releases that only
    /// withheld small cells.
    package let protection: Protection?
    /// The dimensions over which no shown group may be known to sit in one bucket; nil where there are none.
    package let sensitive: [DimensionName]?
    /// How far off its numbers may be; nil where they are exact.
    package let margins: ReleaseMargins?
    /// The events that were counted, ascending; nil where the release was made without saying so. They tell which other
    /// metrics' numbers speak of the same happenings.
    package let events: [EventName]?

    /// Puts a header together.
    package init(
        layout: MetricLayout,
        period: Period,
        plan: PlanVersion,
        threshold: Threshold,
        sampling: Double,
        reach: Bool,
        groupings: [Margin],
        protection: Protection? = .standard,
        sensitive: [DimensionName] = [],
        margins: ReleaseMargins? = nil,
        events: [EventName]? = nil
    ) {
        self.layout = layout
        self.period = period
        self.plan = plan
        self.threshold = threshold
        self.sampling = sampling
        self.reach = reach
        self.groupings = groupings
        self.protection = protection
        self.sensitive = sensitive.isEmpty ? nil : sensitive.sorted { $0.text < $1.text }
        self.margins = margins
        self.events = events?.sorted()
    }

    /// The same with the labels that a layout gives to its slots.
    func naming(as named: MetricLayout) -> ReleaseHeader {
        guard named.counted == layout.counted else { return self }
        var header = self
        header.layout = named
        return header
    }

    /// The same under terms that may only ask for more: those under which its numbers were counted.
    ///
    /// Its events are those that were counted; nobody says which where a plan was edited meanwhile.
    package func tightened(by terms: ReleaseTerms?) -> ReleaseHeader {
        guard let terms, !Fault.forgetTerms.isOn else { return self }
        let wanted = Set((sensitive ?? []) + terms.sensitive)
        return ReleaseHeader(
            layout: layout, period: period, plan: plan, threshold: max(threshold, terms.threshold), sampling: sampling,
            reach: reach, groupings: groupings, protection: max(protection ?? .standard, terms.protection),
            sensitive: layout.dimensions.map(\.name).filter(wanted.contains), margins: margins,
            events: terms.counted.map { $0.names.map(Array.init) } ?? events)
    }

    /// What all releases of a metric's numbers by the same periods have in common.
    package var series: [[UInt8]] { [layout.id.bytes, Array(period.kind.rawValue.utf8)] }

    /// By shown grouping, the counter of the devices that said that this was their first in the period; empty where
    /// clients are not asked to.
    var firsts: [Margin: MeasureIndex] {
        guard reach, let firsts = layout.firsts, let places = firsts.places(of: period.kind) else { return [:] }
        var counters: [Margin: MeasureIndex] = [:]
        for (margin, place) in zip(firsts.groupings, places) where groupings.contains(margin) {
            counters[margin] = layout.measure(ofFirst: place)
        }
        return counters
    }

    /// Whether numbers of devices are what clients say (`reach: client`).
    package var hasFirsts: Bool { !firsts.isEmpty }

    /// Whether numbers of devices are those that proved themselves in the period (`reach: attested`).
    package var provesFirsts: Bool { reach && layout.provedFirsts?.periods.contains(period.kind) ?? false }

    /// The header that a plan gives a metric's release.
    package init(plan: Plan, metric: Metric, layout: MetricLayout, period: Period) {
        self.init(
            layout: layout,
            period: period,
            plan: plan.version,
            threshold: plan.releaseThreshold(of: metric),
            sampling: layout.sampling,
            reach: metric.reach,
            groupings: plan.groupings(of: metric),
            protection: metric.protection,
            sensitive: plan.sensitiveDimensions(of: metric),
            events: metric.countingEvents)
    }
}
