package import ThrongPlan

/// A scheduled run of a report: one a report, kind of period and period.
package struct ReportRun: Sendable, Hashable {
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

    package let app: AppName
    /// The period covered, as file names have it; nil in runs of earlier versions.
    package let label: String?
    package let report: ReportName
    package let partner: PartnerName
    package let period: Period
    /// The number of the try. Unit: tries, from 1.
    package let attempt: Int
    package let startedAt: UnixSeconds
    /// The time it ended; nil while it runs.
    package let finishedAt: UnixSeconds?
    package let outcome: Outcome
    /// The reason why it failed, or the place where it went.
    package let detail: String?

    package var name: ReportRunName { ReportRunName(app: app, report: report, period: period) }
}

/// The right to make one run, once.
package struct ReportRunClaim: Sendable, Hashable {
    package let app: AppName
    package let report: ReportName
    package let period: Period
    /// The number of the try; a later try takes the right away. Unit: tries, from 1.
    package let attempt: Int

    package var run: ReportRunName { ReportRunName(app: app, report: report, period: period) }
}

/// The name that tells a run of a report from all others: a day and a week that start at the same instant are two.
package struct ReportRunName: Sendable, Hashable {
    package let app: AppName
    package let report: ReportName
    package let periodKind: PeriodKind
    /// The first second of the period covered.
    package let periodStart: UnixSeconds

    package init(app: AppName, report: ReportName, periodKind: PeriodKind, periodStart: UnixSeconds) {
        self.app = app
        self.report = report
        self.periodKind = periodKind
        self.periodStart = periodStart
    }

    package init(app: AppName, report: ReportName, period: Period) {
        self.init(app: app, report: report, periodKind: period.kind, periodStart: period.start)
    }
}

extension ReportRunName: ParameterValue {
    var parameters: [Parameter] { app.parameters + report.parameters + periodKind.parameters + periodStart.parameters }
}

/// A file of a run as it was made.
package struct StoredReportFile: Sendable, Hashable {
    /// The place in the order of delivery, from 0.
    package let place: Int
    /// Its name without a folder.
    package let name: String
    package let contents: [UInt8]

    package init(place: Int, name: String, contents: [UInt8]) {
        self.place = place
        self.name = name
        self.contents = contents
    }
}
