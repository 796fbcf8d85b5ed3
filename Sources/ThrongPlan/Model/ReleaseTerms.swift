/// The terms that a plan sets for a metric's releases beyond its layout. They are kept with the layout, so that numbers
/// are released under the terms of all plans.
package struct ReleaseTerms: Sendable, Hashable {
    package private(set) var threshold: Threshold
    /// The ages at which the metric's numbers go, retention last; empty if nobody said so.
    package private(set) var expiry: [DecayStep]
    /// The events that are counted, and of whom; nil if nobody said so.
    package private(set) var counted: CountedEvents?
    /// The origins of the base dimensions; none if nobody said so.
    package let origins: [DimensionName: DimensionOrigin]
    /// The explanation, for people, of what the metric is counted for; nil if nobody said so.
    package let explanation: String?
    /// The partners whose reports show the metric's numbers, ascending; nil if nobody said so.
    package let recipients: [PartnerName]?

    package init(
        threshold: Threshold, expiry: [DecayStep] = [], counted: CountedEvents? = nil,
        origins: [DimensionName: DimensionOrigin] = [:], explanation: String? = nil, recipients: [PartnerName]? = nil
    ) {
        (self.threshold, self.expiry, self.counted, self.origins) = (threshold, expiry, counted, origins)
        (self.explanation, self.recipients) = (explanation, recipients)
    }

    /// Returns terms that satisfy both. The events, the origins, and what people are told are the first one's.
    package func stricter(with other: ReleaseTerms) -> ReleaseTerms {
        var terms = self
        terms.threshold = max(threshold, other.threshold)
        terms.expiry += other.expiry.filter { !expiry.contains($0) }
        return terms
    }

    package func counting(_ counted: CountedEvents?) -> ReleaseTerms {
        var terms = self
        terms.counted = counted
        return terms
    }
}

extension Plan {
    package func releaseTerms(of metric: Metric) -> ReleaseTerms {
        ReleaseTerms(
            threshold: metric.threshold, expiry: expirySteps(of: metric), counted: counted(by: metric),
            origins: origins(of: metric), explanation: explanation(of: metric), recipients: recipients(of: metric.name))
    }

    package func explanation(of metric: Metric) -> String? { purpose(metric.purpose)?.explanation }

    /// Returns the partners whose reports show numbers of a metric, ascending.
    package func recipients(of metric: MetricName) -> [PartnerName] {
        Set(reports.filter { $0.insights.contains { insight($0)?.metric == metric } }.map(\.partner)).sorted()
    }

    /// Returns the decay steps of a metric and, last, the end of its purpose's retention.
    package func expirySteps(of metric: Metric) -> [DecayStep] {
        let retention = purpose(metric.purpose)?.retention ?? purposes.map(\.retention).min() ?? .zero
        return metric.decay + [DecayStep(after: retention, action: .delete)]
    }

    /// Returns the time for which a report may be kept after the end of a period whose numbers of a metric are in it:
    /// until the first age that takes any of them. Unit: seconds.
    ///
    /// - Parameter age: the period's age when the report is made. The report no longer holds what age has taken by
    ///   then; what stands there instead may be split by anything that is left. Unit: seconds.
    package func seconds(keeping report: Report, with metric: Metric, at age: Int64 = 0) -> Int64 {
        let steps = expirySteps(of: metric)
        let taking = steps.filter { takes($0, of: report, metric) }.map(\.after.components.seconds)
        guard let first = taking.min() else { return 0 }
        if first > age { return first }
        return steps.map(\.after.components.seconds).filter { $0 > age }.min() ?? first
    }

    private func takes(_ step: DecayStep, of report: Report, _ metric: Metric) -> Bool {
        let shown = report.insights.compactMap { insight($0) }.filter { $0.metric == metric.name }
            .flatMap { $0.groupings(histogram: metric.histogram?.name) }
        return shown.contains { step.action.takes(splitBy: Set($0), by: report.period) }
    }

    /// Returns the first step that takes a released number, after the end of its period; nil if none does.
    ///
    /// - Parameter names: the dimensions that it is split by.
    package func end(of metric: Metric, splitBy names: Set<DimensionName>, by period: PeriodKind) -> DecayStep? {
        expirySteps(of: metric).filter { $0.action.takes(splitBy: names, by: period) }.min { $0.after < $1.after }
    }

    /// Returns the longest time for which a report may be kept after the end of its own period. Unit: seconds.
    package func seconds(keeping report: Report) -> Int64 {
        let names = Set(report.insights.compactMap { insight($0)?.metric })
        return metrics.filter { names.contains($0.name) }.map { seconds(keeping: report, with: $0) }.min() ?? 0
    }
}

extension DecayStep.Action {
    fileprivate func takes(splitBy names: Set<DimensionName>, by period: PeriodKind) -> Bool {
        switch self {
        case .delete: true
        case .drop(let dimension), .coarsen(let dimension, to: _): names.contains(dimension)
        case .keep(let kind): period < kind
        case .keepTotals: !names.isEmpty
        }
    }
}
