package import ThrongPlan
internal import ThrongSystem

/// The header of a release: everything that a reader needs to know about its numbers.
package struct ReleaseHeader: Sendable, Hashable, Codable {
    /// The layout of the cells; carries app, metric, dimensions and their buckets, learned ones with their labels.
    package private(set) var layout: MetricLayout
    package let period: Period
    /// The plan in force.
    package let plan: PlanVersion
    /// The number of devices that each number stands for, at least.
    package private(set) var threshold: Threshold
    /// Share of events that clients sent: more than 0, at most 1.
    package let sampling: Double
    /// True if reach is published.
    package let reach: Bool
    /// The margins shown, ascending.
    package internal(set) var groupings: [Margin]
    /// The margins of error of its numbers; nil before they are drawn.
    package internal(set) var margins: ReleaseMargins?
    /// The events that were counted, ascending; nil if nobody said. Metrics of the same ones share happenings.
    package private(set) var events: [EventName]?

    package init(
        layout: MetricLayout, period: Period, plan: PlanVersion, threshold: Threshold, sampling: Double, reach: Bool,
        groupings: [Margin], margins: ReleaseMargins? = nil, events: [EventName]? = nil
    ) {
        self.layout = layout
        self.period = period
        self.plan = plan
        self.threshold = threshold
        self.sampling = sampling
        self.reach = reach
        self.groupings = groupings
        self.margins = margins
        self.events = events?.sorted()
    }

    /// Returns the same header with the labels that a layout gives to its slots.
    func naming(as named: MetricLayout) -> ReleaseHeader {
        guard named.counted == layout.counted else { return self }
        var header = self
        header.layout = named
        return header
    }

    /// Returns the header under the terms under which its numbers were counted, which may only ask for more.
    ///
    /// Its events are those that were counted; nil if an edit of the plan leaves open which.
    package func tightened(by terms: ReleaseTerms?) -> ReleaseHeader {
        guard let terms, !Fault.forgetTerms.isOn else { return self }
        var header = self
        header.threshold = max(threshold, terms.threshold)
        if let counted = terms.counted { header.events = counted.names?.sorted() }
        return header
    }

    /// A key that all releases of a metric's numbers by the same kind of period share.
    package var series: [[UInt8]] { [layout.id.bytes, Array(period.kind.rawValue.utf8)] }

    /// The counters of the period's firsts by shown grouping; empty if clients are not asked for them.
    var firsts: [Margin: MeasureIndex] {
        guard reach, let firsts = layout.firsts, let places = firsts.places(of: period.kind) else { return [:] }
        var counters: [Margin: MeasureIndex] = [:]
        for (margin, place) in zip(firsts.groupings, places) where groupings.contains(margin) {
            counters[margin] = layout.measure(ofFirst: place)
        }
        return counters
    }

    /// True if numbers of devices are what clients say (`reach: client`).
    package var hasFirsts: Bool { !firsts.isEmpty }

    /// True if numbers of devices are those that proved themselves in the period (`reach: attested`).
    package var provesFirsts: Bool { reach && layout.provedFirsts?.periods.contains(period.kind) ?? false }

    /// Creates the header that a plan gives a metric's release.
    package init(plan: Plan, metric: Metric, layout: MetricLayout, period: Period) {
        self.init(
            layout: layout, period: period, plan: plan.version, threshold: metric.threshold,
            sampling: layout.sampling, reach: metric.reach, groupings: plan.groupings(of: metric),
            events: metric.countingEvents)
    }
}
