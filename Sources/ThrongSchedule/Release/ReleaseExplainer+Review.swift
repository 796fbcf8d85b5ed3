package import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

extension ReleaseExplainer {
    /// Reviews a metric's release as a whole.
    ///
    /// - Throws: ``ExplanationError`` where there is no such metric or release, and where it carries noise.
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

    /// The last releases of a metric up to a period's; nil where that one is not there, or carries noise.
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
        for metric in plan.metrics where metric.noise == nil {
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
}
