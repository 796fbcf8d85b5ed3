package import ThrongPlan

/// A scheduled run of a report: one a report, kind of period and period.
package struct ReportRun: Sendable, Hashable {
    /// How a run stands.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
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
    package let app: AppName
    /// What it covers, as file names have it; nil in runs of earlier versions.
    package let label: String?
    /// Which report.
    package let report: ReportName
    /// For whom.
    package let partner: PartnerName
    /// What it covers.
    package let period: Period
    /// Which try. Unit: tries, from 1.
    package let attempt: Int
    /// When the last try began. Unit: Unix seconds.
    package let startedAt: Int64
    /// When it ended. Unit: Unix seconds; nil while it runs.
    package let finishedAt: Int64?
    /// How it stands.
    package let outcome: Outcome
    /// Why it failed, or where it went.
    package let detail: String?

    /// What tells it from all others.
    package var name: ReportRunName { ReportRunName(app: app, report: report, period: period) }
}

/// The right to make one run, once.
package struct ReportRunClaim: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Which report.
    package let report: ReportName
    /// What it covers.
    package let period: Period
    /// Which try; a later try takes the right away. Unit: tries, from 1.
    package let attempt: Int

    /// Which run.
    package var run: ReportRunName { ReportRunName(app: app, report: report, period: period) }
}
