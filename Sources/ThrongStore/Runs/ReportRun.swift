package import ThrongPlan
internal import ThrongPostgres

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
    /// When the last try began.
    package let startedAt: UnixSeconds
    /// When it ended; nil while it runs.
    package let finishedAt: UnixSeconds?
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

/// What tells a run of a report from all others: a day and a week that start at the same instant are two.
package struct ReportRunName: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Which report.
    package let report: ReportName
    /// What kind of period it covers.
    package let periodKind: PeriodKind
    /// First second of what it covers.
    package let periodStart: UnixSeconds

    /// Names a run.
    package init(app: AppName, report: ReportName, periodKind: PeriodKind, periodStart: UnixSeconds) {
        self.app = app
        self.report = report
        self.periodKind = periodKind
        self.periodStart = periodStart
    }

    /// Names the run of a period.
    package init(app: AppName, report: ReportName, period: Period) {
        self.init(app: app, report: report, periodKind: period.kind, periodStart: period.start)
    }

    /// Its primary key as parameters.
    var key: [Parameter] {
        [.text(app.text), .text(report.text), periodKind.parameter, periodStart.parameter]
    }
}

/// A file of a run as it was made.
package struct StoredReportFile: Sendable, Hashable {
    /// In which order it is delivered: from 0.
    package let place: Int
    /// Its name without a folder.
    package let name: String
    /// Its bytes.
    package let contents: [UInt8]

    /// Puts a file together.
    package init(place: Int, name: String, contents: [UInt8]) {
        self.place = place
        self.name = name
        self.contents = contents
    }
}
