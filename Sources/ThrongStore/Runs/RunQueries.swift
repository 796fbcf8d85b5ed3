internal import ThrongPlan

extension Query {
    static func claimRun(
        app: AppName, report: ReportName, partner: PartnerName, period: Period, now: UnixSeconds, lease: Duration,
        tries: Int
    ) -> RowQuery<ReportRunClaim> {
        RowQuery(
            "report_run.claim", PackageResources.report_run_claim_sql,
            .text(app.text), .text(report.text), .text(partner.text), period.kind.parameter, period.start.parameter,
            period.end.parameter, now.parameter, .integer(lease.components.seconds), .integer(Int64(tries))
        ) { columns in
            ReportRunClaim(app: app, report: report, period: period, attempt: try columns.int())
        }
    }

    static func makeRun(claim: ReportRunClaim, label: String, detail: String?, until: UnixSeconds) -> Statement {
        Statement(
            "report_run.make", PackageResources.report_run_make_sql,
            all: claim.run.key + [
                .integer(Int64(claim.attempt)), .text(label), .text(orNull: detail), .instant(until),
            ])
    }

    static func finishRun(claim: ReportRunClaim, outcome: ReportRun.Outcome, detail: String?, now: UnixSeconds)
        -> Statement
    {
        Statement(
            "report_run.finish", PackageResources.report_run_finish_sql,
            all: claim.run.key + [
                .integer(Int64(claim.attempt)), now.parameter, .text(outcome.rawValue), .text(orNull: detail),
            ])
    }

    static func settleRun(run: ReportRunName, now: UnixSeconds) -> Statement {
        Statement("report_run.settle", PackageResources.report_run_settle_sql, all: run.key + [now.parameter])
    }

    static func reopenRun(run: ReportRunName) -> Statement {
        Statement("report_run.reopen", PackageResources.report_run_reopen_sql, all: run.key)
    }

    static func selectMadeStarts(app: AppName, report: ReportName, periodKind: PeriodKind, from: UnixSeconds)
        -> RowQuery<UnixSeconds>
    {
        RowQuery(
            "report_run.made", PackageResources.report_run_made_sql,
            .text(app.text), .text(report.text), periodKind.parameter, .instant(from)
        ) { try $0.time() }
    }

    static func selectRuns(app: AppName?, report: ReportName?) -> RowQuery<ReportRun> {
        RowQuery(
            "report_run.select", PackageResources.report_run_select_sql,
            .text(orNull: app?.text), .text(orNull: report?.text)
        ) { columns in
            try ReportRun(&columns)
        }
    }

    static func selectLastRuns(most: Int) -> RowQuery<ReportRun> {
        RowQuery("report_run.select_last", PackageResources.report_run_select_last_sql, .integer(Int64(most))) {
            columns in
            try ReportRun(&columns)
        }
    }

    static func selectUnsignedRuns(ending: String, most: Int) -> RowQuery<ReportRun> {
        RowQuery(
            "report_run.select_unsigned", PackageResources.report_run_select_unsigned_sql,
            .text(ending), .integer(Int64(most))
        ) { columns in
            try ReportRun(&columns)
        }
    }
}

extension ReportRun {
    /// Reads the columns that all three queries have.
    fileprivate init(_ columns: inout RowReader) throws(PostgresError) {
        self.init(
            app: AppName(try columns.text()),
            label: try columns.optionalText(),
            report: ReportName(try columns.text()),
            partner: PartnerName(try columns.text()),
            period: try columns.period(),
            attempt: try columns.int(),
            startedAt: try columns.time(),
            finishedAt: try columns.optionalTime(),
            outcome: try columns.value(Outcome.init(rawValue:)),
            detail: try columns.optionalText())
    }
}
