internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of a partner's feed: which reports are there, and nothing of what they say.
enum FeedView {
    /// The most entries, the latest first.
    static let most = 50

    /// - Parameter place: the pages' address, without a path.
    static func of(_ files: [KeptReportFile], plan: Plan, partner: Partner, at place: String) -> TemplateView {
        struct Run: Hashable {
            let report: ReportName
            let period: Period
        }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let runs = Dictionary(grouping: files) { Run(report: $0.report, period: $0.period) }.map { run, files in
            (
                run: run, made: files.map(\.madeAt).max() ?? run.period.end,
                page: files.first { $0.name.hasSuffix(".html") }
            )
        }.sorted { ($1.made, $1.run.period, $0.run.report) < ($0.made, $0.run.period, $1.run.report) }
        let entries = runs.prefix(most).map { one -> TemplateView in
            let title = plan.report(one.run.report)?.title ?? one.run.report.text
            return [
                "entryTitle": "\(title): \(calendar.title(of: one.run.period))", "entryMade": Instant.text(one.made),
                "entryHref": place + (one.page.map { "/reports/\($0.report)/\($0.name)" } ?? "/reports"),
                "entryID": "\(place)/reports/\(one.run.report)#\(calendar.label(of: one.run.period))",
            ]
        }
        return [
            "feedTitle": "\(plan.app.title): reports for \(partner.title)", "feedHref": place + "/reports",
            "entries": entries,
            "feedMade": Instant.text(runs.first?.made ?? .epoch), "feedID": "\(place)/reports#\(partner.name)",
        ]
    }
}
