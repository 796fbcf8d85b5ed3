public import ThrongPlan

/// A scheduled run of a report: one a report, kind of period and period.
public struct ReportRun: Sendable, Hashable {
    /// How a run stands.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A process works on it, or died while it did.
        case running
        /// Its files are made; deliveries are under way.
        case made
        /// Its files are where they should be.
        case delivered
        /// Its files are made, and a delivery was given up.
        case undelivered
        /// It is to be tried again, while tries are left.
        case failed
    }

    /// Of which app.
    public let app: AppName
    /// What it covers, as file names have it; nil in runs of earlier versions.
    public let label: String?
    /// Which report.
    public let report: ReportName
    /// For whom.
    public let partner: PartnerName
    /// What it covers.
    public let period: Period
    /// Which try. Unit: tries, from 1.
    public let attempt: Int
    /// When the last try began. Unit: Unix seconds.
    public let startedAt: Int64
    /// When it ended. Unit: Unix seconds; nil while it runs.
    public let finishedAt: Int64?
    /// How it stands.
    public let outcome: Outcome
    /// Why it failed, or where it went.
    public let detail: String?

    /// What tells it from all others.
    public var name: ReportRunName { ReportRunName(app: app, report: report, period: period) }
}

/// The right to make one run, once.
public struct ReportRunClaim: Sendable, Hashable {
    /// Of which app.
    public let app: AppName
    /// Which report.
    public let report: ReportName
    /// What it covers.
    public let period: Period
    /// Which try; a later try takes the right away. Unit: tries, from 1.
    public let attempt: Int

    /// Which run.
    public var run: ReportRunName { ReportRunName(app: app, report: report, period: period) }
}
