public import ThrongPlan
public import ThrongRelease

extension InsightAnswer {
    /// Answers an insight from a release of its metric; nil stands for "there is none".
    ///
    /// A quotient whose numerator or denominator is withheld is withheld.
    /// - Complexity: O(rows × log of the release's cells).
    public init(to insight: Insight, plan: Plan, release: Release?) {
        let metric = plan.metric(insight.metric)
        let dimensions = metric.map { plan.cubeDimensions(of: $0) } ?? []
        func title(_ name: DimensionName) -> String {
            dimensions.first { $0.name == name }?.title ?? plan.derivedDimension(name)?.title ?? name.text
        }
        self.insight = insight
        question = metric?.question ?? ""
        unit =
            switch insight.kind {
            case .count, .distribution: "events"
            case .reach, .frequency: "devices"
            case .share, .retention: "share"
            case .mean(let sum): metric?.sums.first { $0.name == sum }?.unit ?? ""
            }
        filters = insight.filters.map {
            AnswerFilter(dimension: $0.dimension, title: title($0.dimension), bucket: $0.bucket)
        }
        guard let release, let reading = InsightReading(of: insight, metric: metric, release: release) else {
            outcome = .notReleased
            return
        }
        outcome = .answered(
            Answered(
                release: release.digest,
                basis: NumberBasis(
                    counts: insight.kind.counts,
                    threshold: release.header.threshold,
                    sampling: release.header.sampling,
                    rotation: release.header.layout.rotation,
                    noise: NumberNoise(release.header),
                    devices: insight.kind.deviceBasis(release.header)),
                axes: reading.axes.map {
                    AnswerAxis(name: $0.name, title: title($0.name), labels: $0.shownLabels)
                },
                table: reading.table))
    }
}

extension Insight.Kind {
    /// Whether the numbers count events or devices.
    public var counts: Insight.Basis {
        switch self {
        case .count, .mean, .distribution, .retention, .frequency: .events
        case .reach: .devices
        case .share(let basis, _): basis
        }
    }

    /// How it is known that numbers are devices; nil where they are events.
    func deviceBasis(_ header: ReleaseHeader) -> NumberBasis.Devices? {
        switch self {
        case .retention, .frequency: .answers
        case .count, .mean, .distribution, .share(of: .events, part: _): nil
        case .reach, .share(of: .devices, part: _): header.hasFirsts ? .firsts : .floor
        }
    }
}
