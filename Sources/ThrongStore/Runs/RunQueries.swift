internal import ThrongPlan

extension Query {
    static func claimRun(
        app: AppName, report: ReportName, partner: PartnerName, period: Period, now: UnixSeconds, lease: Duration,
        tries: Int
    ) -> RowQuery<ReportRunClaim> {
        RowQuery(
            "report_run.claim", PackageResources.report_run_claim_sql,
            app, report, partner, period.kind, period.start, period.end, now, lease, tries
        ) { ReportRunClaim(app: app, report: report, period: period, attempt: $0) }
    }

    static func makeRun(claim: ReportRunClaim, label: String, detail: String?, until: UnixSeconds) -> Statement {
        Statement(
            "report_run.make", PackageResources.report_run_make_sql, claim.run, claim.attempt, label, detail, until)
    }

    static func finishRun(
        claim: ReportRunClaim, outcome: ReportRun.Outcome, detail: String?, now: UnixSeconds
    ) -> Statement {
        Statement(
            "report_run.finish", PackageResources.report_run_finish_sql,
            claim.run, claim.attempt, now, outcome.rawValue, detail)
    }

    static func settleRun(run: ReportRunName, now: UnixSeconds) -> Statement {
        Statement("report_run.settle", PackageResources.report_run_settle_sql, run, now)
    }

    static func reopenRun(run: ReportRunName) -> Statement {
        Statement("report_run.reopen", PackageResources.report_run_reopen_sql, run)
    }

    static func selectMadeStarts(
        app: AppName, report: ReportName, periodKind: PeriodKind, from: UnixSeconds
    ) -> RowQuery<UnixSeconds> {
        RowQuery("report_run.made", PackageResources.report_run_made_sql, app, report, periodKind, from)
    }

    static func selectRuns(app: AppName?, report: ReportName?) -> RowQuery<ReportRun> {
        RowQuery("report_run.select", PackageResources.report_run_select_sql, app, report, row: ReportRun.init)
    }

    static func selectLastRuns(most: Int) -> RowQuery<ReportRun> {
        RowQuery("report_run.select_last", PackageResources.report_run_select_last_sql, most, row: ReportRun.init)
    }

    static func selectUnsignedRuns(ending: String, most: Int) -> RowQuery<ReportRun> {
        RowQuery(
            "report_run.select_unsigned", PackageResources.report_run_select_unsigned_sql, ending, most,
            row: ReportRun.init)
    }
}

extension ReportRun.Outcome: ColumnValue {}
