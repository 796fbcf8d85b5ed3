internal import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

extension ReportScheduler {
    /// Whom plans named as those who receive what a report shows, by metric.
    func recipients(_ report: Report, plan: Plan) async throws -> [MetricName: PromisedRecipients] {
        var promised: [MetricName: PromisedRecipients] = [:]
        for metric in Set(report.insights.compactMap { plan.insight($0)?.metric }) {
            promised[metric] = try await store.recipients(of: metric, app: plan.app.name)
        }
        return promised
    }
}

extension [MetricName: PromisedRecipients] {
    /// Whether plans named a partner as one who receives a release's numbers when these were counted.
    func name(_ partner: PartnerName, in header: ReleaseHeader) -> Bool {
        self[header.layout.metric]?.name(partner, in: header.period) ?? true
    }
}
