internal import ThrongPlan

/// Claims a run that no process has made: new, failed with tries left, or abandoned by a process that died. Returns the
/// number of the try.
struct ClaimRun: RowQuery {
    static let text = Query("report_run.claim", PackageResources.report_run_claim_sql)

    let app: AppName
    let report: ReportName
    let partner: PartnerName
    let period: Period
    let now: UnixSeconds
    let lease: Duration
    let tries: Int

    var parameters: [Parameter] {
        [
            .text(app.text), .text(report.text), .text(partner.text), period.kind.parameter, period.start.parameter,
            period.end.parameter, now.parameter, .integer(lease.components.seconds), .integer(Int64(tries)),
        ]
    }

    func row(_ columns: inout RowReader) throws -> ReportRunClaim {
        ReportRunClaim(app: app, report: report, period: period, attempt: try columns.int())
    }
}

/// Notes that a run is made.
struct MakeRun: Command {
    static let text = Query("report_run.make", PackageResources.report_run_make_sql)

    let claim: ReportRunClaim
    let label: String
    let detail: String?
    let until: UnixSeconds

    var parameters: [Parameter] {
        claim.run.key + [
            .integer(Int64(claim.attempt)), .text(label), .text(orNull: detail), .instant(until),
        ]
    }
}

/// Ends a run that is not made.
struct FinishRun: Command {
    static let text = Query("report_run.finish", PackageResources.report_run_finish_sql)

    let claim: ReportRunClaim
    let outcome: ReportRun.Outcome
    let detail: String?
    let now: UnixSeconds

    var parameters: [Parameter] {
        claim.run.key + [
            .integer(Int64(claim.attempt)), now.parameter, .text(outcome.rawValue), .text(orNull: detail),
        ]
    }
}

/// Ends a run that is made once none of its deliveries is pending.
struct SettleRun: Command {
    static let text = Query("report_run.settle", PackageResources.report_run_settle_sql)

    let run: ReportRunName
    let now: UnixSeconds

    var parameters: [Parameter] { run.key + [now.parameter] }
}

/// Reopens a run whose deliveries are made again.
struct ReopenRun: Command {
    static let text = Query("report_run.reopen", PackageResources.report_run_reopen_sql)

    let run: ReportRunName

    var parameters: [Parameter] { run.key }
}

/// The starts of the periods of a kind that a report was made of.
struct SelectMadeStarts: RowQuery {
    static let text = Query("report_run.made", PackageResources.report_run_made_sql)

    let app: AppName
    let report: ReportName
    let periodKind: PeriodKind
    let from: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), .text(report.text), periodKind.parameter, .instant(from)] }

    func row(_ columns: inout RowReader) throws -> UnixSeconds { try columns.time() }
}

/// The runs of an app or of all, of one report or of all, by period.
struct SelectRuns: RowQuery {
    static let text = Query("report_run.select", PackageResources.report_run_select_sql)

    let app: AppName?
    let report: ReportName?

    var parameters: [Parameter] { [.text(orNull: app?.text), .text(orNull: report?.text)] }

    func row(_ columns: inout RowReader) throws -> ReportRun { try ReportRun(&columns) }
}

/// The runs that began last, and of each report the one of its latest period.
struct SelectLastRuns: RowQuery {
    static let text = Query("report_run.select_last", PackageResources.report_run_select_last_sql)

    let most: Int

    var parameters: [Parameter] { [.integer(Int64(most))] }

    func row(_ columns: inout RowReader) throws -> ReportRun { try ReportRun(&columns) }
}

/// The runs whose files are here without a signature.
struct SelectUnsignedRuns: RowQuery {
    static let text = Query("report_run.select_unsigned", PackageResources.report_run_select_unsigned_sql)

    let ending: String
    let most: Int

    var parameters: [Parameter] { [.text(ending), .integer(Int64(most))] }

    func row(_ columns: inout RowReader) throws -> ReportRun { try ReportRun(&columns) }
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
