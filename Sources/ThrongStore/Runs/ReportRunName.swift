package import ThrongPlan
internal import ThrongPostgres

/// What tells a run of a report from all others: a day and a week that start at the same instant are two.
package struct ReportRunName: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Which report.
    package let report: ReportName
    /// What kind of period it covers.
    package let periodKind: PeriodKind
    /// First second of what it covers. Unit: Unix seconds.
    package let periodStart: Int64

    /// Names a run.
    package init(app: AppName, report: ReportName, periodKind: PeriodKind, periodStart: Int64) {
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
