internal import Foundation
public import ThrongPlan
internal import ThrongRelease
public import ThrongReport
public import ThrongStore

/// Makes reports from released numbers and puts them where they belong.
public struct ReportDesk: Sendable {
    private let store: ReleaseStore
    private let folder: String

    /// - Parameter folder: where deliveries with a relative path go.
    public init(store: ReleaseStore, folder: String) {
        self.store = store
        self.folder = folder
    }

    /// The document of a report for a period.
    public func document(of report: Report, plan: Plan, period: Period) async throws -> ReportDocument {
        let metrics = Set(report.insights.compactMap { plan.insight($0)?.metric }).sorted()
        var releases: [Release] = []
        for metric in metrics {
            releases += try await store.releases(
                app: plan.app.name,
                metric: metric,
                periodKind: period.kind,
                from: period.start,
                to: period.start + 1)
        }
        return ReportDocument(plan: plan, report: report, period: period, releases: releases)
    }

    /// Makes a report's files and delivers them.
    ///
    /// - Parameter out: a folder that takes the place of the report's deliveries.
    /// - Returns: the paths that were written.
    public func deliver(_ report: Report, plan: Plan, period: Period, out: String? = nil) async throws -> [String] {
        let document = try await document(of: report, plan: plan, period: period)
        let files = try ReportFiles(of: document, formats: report.formats)
        let folders =
            out.map { [$0] }
            ?? report.deliveries.map { delivery in
                switch delivery {
                case .folder(let path): path.hasPrefix("/") ? path : "\(folder)/\(path)"
                }
            }
        var paths: [String] = []
        for path in folders { paths += try ReportFolder(path: path).deliver(files) }
        return paths
    }

    /// Makes the scheduled reports that are due and were not made yet, each once, also over many daemons.
    ///
    /// A period's report is due at the first time of its schedule after the period's end, if no later period has ended by
    /// then, and once everything of the app and that period is released.
    ///
    /// - Parameter now: Unix seconds.
    /// - Returns: the reports that were delivered.
    public func deliverDue(of plan: Plan, now: Int64, failed: (Report, any Error) -> Void) async throws -> Int {
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone) else { return 0 }
        let open = Set(try await store.openPeriods(app: plan.app.name).map(\.period))
        var delivered = 0
        for report in plan.reports {
            for period in due(report, calendar: calendar, grace: plan.app.grace, now: now) where !open.contains(period)
            {
                let metrics = Set(report.insights.compactMap { plan.insight($0)?.metric })
                guard try await isReleased(metrics, plan: plan, period: period) else { continue }
                let claim = try await store.claimRun(
                    app: plan.app.name, report: report.name, partner: report.partner, period: period, now: now)
                guard let claim else { continue }
                do {
                    let paths = try await deliver(report, plan: plan, period: period)
                    try await store.finishRun(claim, .delivered, detail: "\(paths.count) files", now: now)
                    delivered += 1
                } catch {
                    failed(report, error)
                    try await store.finishRun(claim, .failed, detail: "\(type(of: error))", now: now)
                }
            }
        }
        return delivered
    }

    /// Whether anything was released for the period: an app that was not there yet has nothing to report.
    private func isReleased(_ metrics: Set<MetricName>, plan: Plan, period: Period) async throws -> Bool {
        for metric in metrics.sorted() {
            let releases = try await store.releases(
                app: plan.app.name, metric: metric, periodKind: period.kind, from: period.start, to: period.start + 1)
            if !releases.isEmpty { return true }
        }
        return false
    }

    /// The periods of the last 32 days whose report is due by now, oldest first.
    private func due(_ report: Report, calendar: PeriodCalendar, grace: Duration, now: Int64) -> [Period] {
        guard let schedule = report.schedule else { return [] }
        var periods: [Period] = []
        var period = calendar.period(
            report.period, containing: calendar.period(report.period, containing: now).start - 1)
        while period.end > now - 32 * 86_400 {
            let following = calendar.period(report.period, containing: period.end)
            if let fires = schedule.next(after: period.end - 1, in: calendar), fires <= now, fires < following.end,
                period.end + grace.components.seconds <= now
            {
                periods.append(period)
            }
            period = calendar.period(report.period, containing: period.start - 1)
        }
        return periods.reversed()
    }
}
