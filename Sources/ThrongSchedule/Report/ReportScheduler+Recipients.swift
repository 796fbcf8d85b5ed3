internal import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

extension ReportScheduler {
    func recipients(_ report: Report, plan: Plan) async throws -> [MetricName: PromisedRecipients] {
        var promised: [MetricName: PromisedRecipients] = [:]
        for metric in Set(report.insights.compactMap { plan.insight($0)?.metric }) {
            promised[metric] = try await store.recipients(of: metric, app: plan.app.name)
        }
        return promised
    }
}

extension [MetricName: PromisedRecipients] {
    /// Returns true if the plans in force when a release's numbers were counted named a partner as a recipient.
    func name(_ partner: PartnerName, in header: ReleaseHeader) -> Bool {
        self[header.layout.metric]?.name(partner, in: header.period) ?? true
    }
}
