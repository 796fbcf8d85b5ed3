package import ThrongPlan
package import ThrongRelease
package import ThrongReport
internal import ThrongStore

extension ReportScheduler {
    /// Returns the document of a report about a period that is still open, from numbers that were decided for a trial, and
    /// what was released before. Nothing is delivered, and nothing goes on record.
    package func trial(
        of report: Report, plan: Plan, period: Period, by decided: [Release]
    ) async throws -> ReportDocument {
        let insights = report.insights.compactMap { plan.insight($0) }
        var releases = decided.filter { $0.header.period == period }
        for metric in Set(insights.map(\.metric)).sorted() {
            let asked = insights.filter { $0.metric == metric }.flatMap {
                report.earlierPeriods(of: period, for: $0, in: plan.calendar)
            }
            guard let first = asked.map(\.start).min() else { continue }
            releases += try await store.releases(
                app: plan.app.name, metric: metric, periodKind: period.kind, from: first, to: period.start
            ).filter { asked.contains($0.header.period) }
        }
        return ReportDocument(plan: plan, report: report, period: period, releases: releases)
    }
}
