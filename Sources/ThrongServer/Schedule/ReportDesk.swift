internal import Foundation
public import ThrongPlan
internal import ThrongRelease
public import ThrongReport
public import ThrongStore

/// Makes reports from released numbers and puts them where they belong.
public struct ReportDesk: Sendable {
    private let store: ReleaseStore
    /// Where partners find their reports; nil keeps none for them.
    private let pages: AccessStore?
    private let rules: UserAgentRules
    private let folder: String

    /// How far back a missed report is made up for. Unit: seconds.
    private static let horizon: Int64 = 32 * 86_400

    /// - Parameters:
    ///   - pages: where partners find their reports; nil keeps none for them.
    ///   - folder: where deliveries with a relative path go.
    public init(store: ReleaseStore, pages: AccessStore? = nil, rules: UserAgentRules, folder: String) {
        self.store = store
        self.pages = pages
        self.rules = rules
        self.folder = folder
    }

    /// The document of a report for a period.
    ///
    /// - Throws: ``ReportDeskError/notReleased(report:period:)`` where none of its metrics has a release.
    public func document(of report: Report, plan: Plan, period: Period) async throws -> ReportDocument {
        let releases = try await releases(for: report, plan: plan, period: period)
        guard !releases.isEmpty else {
            let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
            throw ReportDeskError.notReleased(report: report.name, period: calendar.label(of: period))
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
        if out == nil, let pages {
            let all = try ReportFiles(of: document, formats: ReportFormat.allCases)
            try await pages.keep(
                all.all.map { ($0.name, $0.contents) }, of: report.name, partner: report.partner, app: plan.app.name,
                period: period, now: UnixClock.system.now)
        }
        var paths: [String] = []
        for path in out.map({ [$0] }) ?? report.deliveries.map(self.path) {
            paths += try ReportFolder(path: path).deliver(files)
        }
        return paths
    }

    /// Makes the scheduled reports that are due and were not made yet, each once, also over many daemons.
    ///
    /// A period's report is due at the first time of its schedule after the period's end and the app's grace, and once
    /// everything of the app that lies in the period is released, rollups too. Reports that were missed are made up
    /// for, each once.
    ///
    /// - Parameter now: Unix seconds.
    /// - Returns: how many reports were delivered.
    public func deliverDue(of plan: Plan, now: Int64, failed: (Report, any Error) -> Void) async throws -> Int {
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone) else { return 0 }
        let open =
            try await store.openPeriods(app: plan.app.name).map(\.period)
            + store.openRollups(app: plan.app.name).map(\.period)
        var delivered = 0
        for report in plan.reports where report.schedule != nil {
            let made = Set(
                try await store.runs(app: plan.app.name, report: report.name)
                    .filter { $0.outcome == .delivered }.map(\.period.start))
            for period in due(report, calendar: calendar, grace: plan.app.grace, now: now)
            where !made.contains(period.start)
                && !open.contains(where: { period.start <= $0.start && $0.end <= period.end })
            {
                // An app that was not there yet has nothing to report.
                guard try await !releases(for: report, plan: plan, period: period).isEmpty else { continue }
                if try await deliverOnce(report, plan: plan, period: period, now: now, failed: failed) {
                    delivered += 1
                }
            }
        }
        return delivered
    }

    private func deliverOnce(
        _ report: Report, plan: Plan, period: Period, now: Int64, failed: (Report, any Error) -> Void
    ) async throws -> Bool {
        let claim = try await store.claimRun(
            app: plan.app.name, report: report.name, partner: report.partner, period: period, now: now)
        guard let claim else { return false }
        do {
            let paths = try await deliver(report, plan: plan, period: period)
            try await store.finishRun(claim, .delivered, detail: "\(paths.count) files", now: now)
            return true
        } catch {
            failed(report, error)
            try await store.finishRun(claim, .failed, detail: "\(type(of: error))", now: now)
            return false
        }
    }

    /// One release a metric. Where a metric's layout changed within the period, it is the one of the plan in force: the
    /// two count different things and can't be added.
    private func releases(for report: Report, plan: Plan, period: Period) async throws -> [Release] {
        let names = Set(report.insights.compactMap { plan.insight($0)?.metric })
        var chosen: [Release] = []
        for metric in plan.metrics where names.contains(metric.name) {
            let layout = try plan.layout(of: metric, rules: rules)
            let found = try await store.releases(
                app: plan.app.name,
                metric: metric.name,
                periodKind: period.kind,
                from: period.start,
                to: period.start + 1)
            if let release = found.first(where: { $0.header.layout.counted == layout }) ?? found.last {
                chosen.append(release)
            }
        }
        return chosen
    }

    /// The periods within the horizon whose report is due by now, oldest first.
    private func due(_ report: Report, calendar: PeriodCalendar, grace: Duration, now: Int64) -> [Period] {
        guard let schedule = report.schedule else { return [] }
        func before(_ period: Period) -> Period { calendar.period(report.period, containing: period.start - 1) }
        var periods: [Period] = []
        var period = before(calendar.period(report.period, containing: now))
        while period.end > now - Self.horizon {
            let ready = period.end + grace.components.seconds
            if let fires = schedule.next(after: ready - 1, in: calendar), fires <= now { periods.append(period) }
            period = before(period)
        }
        return periods.reversed()
    }

    private func path(of delivery: Delivery) -> String {
        switch delivery {
        case .folder(let path): path.hasPrefix("/") ? path : "\(folder)/\(path)"
        }
    }
}
