/// What a plan asks of a metric's releases beyond what its layout says.
///
/// Kept with each layout from when the plan comes into force, so that what was counted under one plan and is released under
/// another is released under the terms of both.
package struct ReleaseTerms: Sendable, Hashable {
    /// How many devices a published number stands for.
    package let threshold: Threshold
    /// The dimensions over which no shown group may be known to sit in one bucket, ascending.
    package let sensitive: [DimensionName]
    /// How far around a withheld number an interval must reach, and the p of the p % rule.
    package let protection: Protection
    /// How far off published numbers are on purpose; nil where they are exact.
    package let margin: MetricMargin?
    /// At which ages its numbers go, retention last; empty where nobody said so.
    package let expiry: [DecayStep]
    /// What is counted, and of whom; nil where nobody said so.
    package let counted: CountedEvents?
    /// What the base dimensions are made from; none where nobody said so.
    package let origins: [DimensionName: DimensionOrigin]
    /// What people are told that it is counted for; nil where nobody said so.
    package let explanation: String?
    /// The partners whose reports show its numbers, ascending; nil where nobody said so.
    package let recipients: [PartnerName]?

    /// Puts terms together.
    package init(
        threshold: Threshold, sensitive: [DimensionName] = [], protection: Protection = .standard,
        margin: MetricMargin? = nil, expiry: [DecayStep] = [], counted: CountedEvents? = nil,
        origins: [DimensionName: DimensionOrigin] = [:], explanation: String? = nil, recipients: [PartnerName]? = nil
    ) {
        self.threshold = threshold
        self.sensitive = Set(sensitive).sorted()
        self.protection = protection
        self.margin = margin
        self.expiry = expiry
        self.counted = counted
        self.origins = origins
        self.explanation = explanation
        self.recipients = recipients
    }

    /// What satisfies both. What is counted, what dimensions are made from, and what people are told are the first one's.
    package func stricter(with other: ReleaseTerms) -> ReleaseTerms {
        ReleaseTerms(
            threshold: max(threshold, other.threshold), sensitive: sensitive + other.sensitive,
            protection: max(protection, other.protection), margin: margin ?? other.margin,
            expiry: expiry + other.expiry.filter { !expiry.contains($0) }, counted: counted, origins: origins,
            explanation: explanation, recipients: recipients)
    }

    /// The same about what is known to have been counted.
    package func counting(_ counted: CountedEvents?) -> ReleaseTerms {
        ReleaseTerms(
            threshold: threshold, sensitive: sensitive, protection: protection, margin: margin, expiry: expiry,
            counted: counted, origins: origins, explanation: explanation, recipients: recipients)
    }
}

/// How far from the truth the closest estimate of a withheld number or of one contributor's part has to stay.
///
/// The p of the p % rule, and of the interval around a withheld number (disclosure page, sections 1 and 4).
package struct Protection: Hashable, Sendable, Comparable, Codable {
    /// Unit: percent of the true number, 1 to 100.
    package let percent: Int64

    /// What a metric gets that names none.
    package static let standard = Protection(percent: 10)

    /// Wraps a percentage that the plan's reader has checked.
    package init(percent: Int64) { self.percent = percent }

    /// Orders by strength.
    package static func < (left: Self, right: Self) -> Bool { left.percent < right.percent }
}

extension Plan {
    /// What this plan asks of a metric's releases; what tied metrics ask for is part of it.
    package func releaseTerms(of metric: Metric) -> ReleaseTerms {
        ReleaseTerms(
            threshold: releaseThreshold(of: metric), sensitive: sensitiveDimensions(of: metric),
            protection: metric.protection, margin: metric.margin, expiry: expirySteps(of: metric),
            counted: counted(by: metric), origins: origins(of: metric),
            explanation: explanation(of: metric), recipients: recipients(of: metric.name))
    }

    /// What people are told that a metric is counted for.
    package func explanation(of metric: Metric) -> String? { purpose(metric.purpose)?.explanation }

    /// The partners whose reports show numbers of a metric, ascending.
    package func recipients(of metric: MetricName) -> [PartnerName] {
        Set(reports.filter { $0.insights.contains { insight($0)?.metric == metric } }.map(\.partner)).sorted()
    }

    /// The decay steps of a metric and, last, the end of its purpose's retention.
    package func expirySteps(of metric: Metric) -> [DecayStep] {
        let retention = purpose(metric.purpose)?.retention ?? purposes.map(\.retention).min() ?? .zero
        return metric.decay + [DecayStep(after: retention, action: .delete)]
    }

    /// How long a report may be kept after the end of a period whose numbers of a metric are in it: until the first age
    /// takes any of them. Unit: seconds.
    ///
    /// - Parameter age: how old the period is when the report is made. What age has taken by then is not in it; what stands there
    ///   instead may be split by anything that is left. Unit: seconds.
    package func seconds(keeping report: Report, with metric: Metric, at age: Int64 = 0) -> Int64 {
        let steps = expirySteps(of: metric)
        let taking = steps.filter { takes($0, of: report, metric) }.map(\.after.components.seconds)
        guard let first = taking.min() else { return 0 }
        if first > age { return first }
        return steps.map(\.after.components.seconds).filter { $0 > age }.min() ?? first
    }

    /// Whether a step of age takes numbers that a report shows.
    private func takes(_ step: DecayStep, of report: Report, _ metric: Metric) -> Bool {
        let shown = report.insights.compactMap { insight($0) }.filter { $0.metric == metric.name }
            .flatMap { $0.groupings(histogram: metric.histogram?.name) }
        return shown.contains { step.action.takes(splitBy: Set($0), by: report.period) }
    }

    /// What takes a released number, after the end of its period; nil where nothing does.
    ///
    /// - Parameter names: the dimensions that it is split by.
    package func end(of metric: Metric, splitBy names: Set<DimensionName>, by period: PeriodKind) -> DecayStep? {
        expirySteps(of: metric).filter { $0.action.takes(splitBy: names, by: period) }.min { $0.after < $1.after }
    }

    /// How long a report may be kept after the end of its own period at most. Unit: seconds.
    package func seconds(keeping report: Report) -> Int64 {
        let names = Set(report.insights.compactMap { insight($0)?.metric })
        return metrics.filter { names.contains($0.name) }.map { seconds(keeping: report, with: $0) }.min() ?? 0
    }
}

extension DecayStep.Action {
    /// Whether it takes numbers that are split by some dimensions, of a kind of periods.
    fileprivate func takes(splitBy names: Set<DimensionName>, by period: PeriodKind) -> Bool {
        switch self {
        case .delete: true
        case .drop(let dimension), .coarsen(let dimension, to: _): names.contains(dimension)
        case .keep(let kind): period < kind
        case .keepTotals: !names.isEmpty
        }
    }
}
