package import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

extension ReleaseExplainer {
    /// Reviews a metric's release as a whole.
    ///
    /// - Throws: ``ExplanationError`` where there is no such metric or release, and where it has a margin.
    package func review(_ metric: MetricName, _ period: Period, of plan: Plan) async throws -> ReleaseReview {
        guard plan.metric(metric) != nil else {
            throw ExplanationError.unknownMetric(metric, known: plan.metrics.map(\.name.text))
        }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        guard let found = try await self.metricReview(metric, period, of: plan), let release = found.latest else {
            throw ExplanationError.notReviewed(metric, period: calendar.label(of: period))
        }
        return ReleaseReview(
            metric: metric.text, period: calendar.label(of: period), isKnown: release.reasons != nil,
            groupings: release.yields.map(ReleaseReview.Grouping.init), buckets: found.buckets, cures: found.cures)
    }

    /// The last releases of a metric up to a period's; nil where that one is not there, or has a margin.
    func metricReview(_ metric: MetricName, _ period: Period, of plan: Plan) async throws -> MetricReview? {
        let records = try await store.records(
            app: plan.app.name, metric: metric, periodKind: period.kind, through: period.start, most: MetricReview.most)
        guard records.last?.release.header.period == period else { return nil }
        return MetricReview(records, of: plan)
    }

    /// What the last releases of a plan's metrics showed, one a metric and kind of period that has any.
    ///
    /// Releases of another layout than the plan's count as far as their dimensions are the same.
    package func past(of plan: Plan, until now: UnixSeconds) async throws -> [PlanPast] {
        var pasts: [PlanPast] = []
        for metric in plan.metrics where metric.margin == nil {
            for kind in [metric.period] + metric.rollups {
                let records = try await store.records(
                    app: plan.app.name, metric: metric.name, periodKind: kind, through: now, most: MetricReview.most)
                let layout = try plan.layout(of: metric, rules: .system)
                if let review = MetricReview(records, of: plan) {
                    pasts.append(PlanPast(review, metric: metric.name, kind: kind, layout: layout))
                }
            }
        }
        return pasts
    }

    /// Which longer periods are under way, and how much of each is published: what is still to be told of numbers that
    /// people have.
    ///
    /// - Parameter plan: what is counted by.
    package func underWay(of plan: Plan) async throws -> [String] {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        var lines: [String] = []
        for rollup in try await store.openRollups(app: plan.app.name) {
            let parts = try await store.releasedParts(of: rollup)
            guard parts > 0 else { continue }
            let (kind, all) = (rollup.period.kind.rawValue, rollup.layout.period.rawValue + (parts == 1 ? "" : "s"))
            lines.append(
                """
                metric '\(rollup.layout.metric)': \(parts) \(all) of \(calendar.label(of: rollup.period)) \
                \(parts == 1 ? "is" : "are") published; the \(kind) will show nothing that tells what they withhold
                """)
        }
        return lines
    }
}
