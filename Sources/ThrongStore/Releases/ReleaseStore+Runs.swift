package import ThrongPlan
internal import ThrongPostgres

extension ReleaseStore {
    /// Takes the right to make a run; nil where it was made, is being made, or has no tries left.
    ///
    /// A run that a process left unfinished for longer than `lease` may be taken again; so may a failed one. Of any
    /// number of processes that ask at once, one gets it.
    ///
    /// - Parameter now: Unit: Unix seconds.
    package func claimRun(
        app: AppName,
        report: ReportName,
        partner: PartnerName,
        period: Period,
        now: Int64,
        lease: Duration = .seconds(900),
        tries: Int = 5
    ) async throws -> ReportRunClaim? {
        try await connection.run { session in
            let rows = try session.query(
                Query.claimRun([
                    .text(app.text), .text(report.text), .text(partner.text), period.kind.parameter,
                    period.start.parameter, period.end.parameter, .integer(now),
                    .integer(lease.components.seconds), .integer(Int64(tries)),
                ]))
            guard rows.count == 1 else { return nil }
            return ReportRunClaim(
                app: app, report: report, period: period, attempt: Int(try rows.integer(0, 0)))
        }
    }

    /// Writes down how a claimed run ended; false where another process has taken the run over meanwhile.
    ///
    /// - Parameters:
    ///   - outcome: delivered or failed.
    ///   - detail: Where it went, or why it failed; never numbers.
    @discardableResult
    package func finishRun(
        _ claim: ReportRunClaim,
        _ outcome: ReportRun.Outcome,
        detail: String?,
        now: Int64
    ) async throws -> Bool {
        try await connection.run { session in
            try session.query(
                Query.finishRun(
                    claim.run.key + [
                        .integer(Int64(claim.attempt)), .integer(now), .text(outcome.rawValue),
                        detail.map { .text($0) } ?? .null,
                    ])
            ).affected == 1
        }
    }

    /// When the periods of a kind start of which a report was made, from an instant on. Unit: Unix seconds.
    package func madeStarts(
        app: AppName, report: ReportName, periodKind: PeriodKind, from: Int64
    ) async throws -> Set<Int64> {
        try await connection.run { session in
            let rows = try session.query(
                Query.selectMadeRuns([
                    .text(app.text), .text(report.text), periodKind.parameter, .instant(from),
                ]))
            return Set(try rows.indices.map { try rows.integer($0, 0) })
        }
    }

    /// The runs of an app or of all, of one report or of all, by period.
    package func runs(app: AppName? = nil, report: ReportName? = nil) async throws -> [ReportRun] {
        try await runs(Query.selectRuns([app.map { .text($0.text) } ?? .null, report.map { .text($0.text) } ?? .null]))
    }

    /// The runs that began last, the latest first, and among them each report's of its latest period, whenever it began.
    package func lastRuns(_ count: Int) async throws -> [ReportRun] {
        try await runs(Query.selectLastRuns([.integer(Int64(count))]))
    }

    private func runs(_ query: Statement) async throws -> [ReportRun] {
        try await connection.run { session in
            let rows = try session.query(query)
            return try rows.indices.map { row in
                guard let kind = PeriodKind(code: try rows.integer(row, 2)),
                    let outcome = ReportRun.Outcome(rawValue: try rows.text(row, 8))
                else { throw PostgresError.unexpectedAnswer(query: query.name) }
                return ReportRun(
                    app: AppName(try rows.text(row, 10)),
                    label: rows.isNull(row, 11) ? nil : try rows.text(row, 11),
                    report: ReportName(try rows.text(row, 0)),
                    partner: PartnerName(try rows.text(row, 1)),
                    period: Period(kind: kind, start: try rows.integer(row, 3), end: try rows.integer(row, 4)),
                    attempt: Int(try rows.integer(row, 5)),
                    startedAt: try rows.integer(row, 6),
                    finishedAt: rows.isNull(row, 7) ? nil : try rows.integer(row, 7),
                    outcome: outcome,
                    detail: rows.isNull(row, 9) ? nil : try rows.text(row, 9))
            }
        }
    }
}
