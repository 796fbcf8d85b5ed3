package import ThrongPlan
package import ThrongRelease
internal import ThrongStore

/// What releases of a metric say about the plan at hand: how much of each grouping they show, and what costs most.
///
/// They are the last ones that were made, or what would be released of some devices.
package struct PlanPast: Sendable, Hashable, Encodable {
    /// The metric.
    package let metric: String
    /// hour, day, week or month.
    package let kind: PeriodKind
    /// How many devices it would be released of; nil where it was.
    package let devices: Int?
    /// What each grouping shows; those that the plan would split otherwise are left out.
    package let groupings: [MetricReview.Grouping]
    /// What small buckets cost; those that the plan no longer has are left out.
    package let buckets: [MetricReview.Bucket]
    /// What would help the most.
    package let cures: [Cure]

    init(_ review: MetricReview, metric: MetricName, kind: PeriodKind, layout: MetricLayout, devices: Int? = nil) {
        self.metric = metric.text
        self.kind = kind
        self.devices = devices
        let same = Set(
            review.latest?.layout.dimensions.filter { was in
                layout.dimensions.contains { $0.name == was.name && $0.isSplit(as: was) }
            }.map(\.name.text) ?? [])
        groupings = review.groupings.filter { same.isSuperset(of: $0.dimensions) }
        buckets = review.lasting.filter { same.contains($0.dimension) }
        cures = review.cures(for: buckets, groupings)
    }

    /// What releases would say that were decided and not made; nil where there are none.
    ///
    /// - Parameters:
    ///   - decided: of one metric, by start; each with what was counted.
    ///   - devices: how many came.
    package init?(_ decided: [(decision: ReleaseDecision, cube: StoredCube)], of plan: Plan, devices: Int) {
        guard let header = decided.last?.decision.release.header else { return nil }
        let records = decided.map { decision, cube in
            ReleaseRecord(
                release: decision.release, withheld: decision.withheld,
                counts: Dictionary(
                    cube.counters.filter { $0.measure == .count }.map { ($0.cell, $0.value) },
                    uniquingKeysWith: { first, _ in first }))
        }
        guard let review = MetricReview(records, of: plan, isExpected: true) else { return nil }
        self.init(
            review, metric: header.layout.metric, kind: header.period.kind, layout: header.layout, devices: devices)
    }

    /// A line for each grouping, and one for each cure.
    package var lines: [String] {
        let head = "metric '\(metric)' by \(kind.rawValue)"
        return groupings.map { "\(head): \(words(for: $0))" } + cures.map { "\(head): \($0.sentence)" }
    }

    private func words(for grouping: MetricReview.Grouping) -> String {
        let name = grouping.dimensions.isEmpty ? "total" : grouping.dimensions.joined(separator: " \u{00d7} ")
        let plural = grouping.periods == 1 ? kind.rawValue : "\(grouping.periods) \(kind.rawValue)s"
        let span = devices == nil ? " in the last \(plural)" : ""
        guard let shown = grouping.shown else {
            return "\(name) was left out \(grouping.leftOut) times\(span)"
        }
        let verb = devices == nil ? "showed" : "would show"
        let only = grouping.isPoor ? "only " : ""
        var words = "\(name) \(verb) \(only)\(MetricReview.percent(shown)) of its events\(span)"
        guard let publishable = grouping.publishableShown else { return words }
        words += ", and \(MetricReview.percent(publishable)) of the publishable ones"
        if grouping.known < grouping.periods { words += " in the \(grouping.known) whose reasons are known" }
        return words
    }
}
