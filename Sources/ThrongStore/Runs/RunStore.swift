internal import Crypto
package import ThrongPlan

/// The runs of reports: the processes that make them, their outcomes and their files; as `throng_reporter`.
package final class RunStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Takes the right to make a run; nil where it was made, is being made, or has no tries left.
    ///
    /// A run that a process left unfinished for longer than `lease` may be claimed again; so may a failed one. If
    /// several processes ask at once, one gets it.
    ///
    /// - Parameter lease: long enough for a PDF, all pictures, and the rest: two minutes each, and one.
    package func claimRun(
        app: AppName, report: ReportName, partner: PartnerName, period: Period, now: UnixSeconds,
        lease: Duration = .seconds(300), tries: Int = 5
    ) async throws -> ReportRunClaim? {
        let claim = Query.claimRun(
            app: app, report: report, partner: partner, period: period, now: now, lease: lease, tries: tries)
        return try await connection.first(claim)
    }

    /// Saves the files of a claimed run and its targets, at once; false where another process has taken the run over
    /// meanwhile.
    package func keep(
        _ files: [StoredReportFile], of claim: ReportRunClaim, label: String, detail: String? = nil,
        until: UnixSeconds = .max, deliveries: [Delivery], now: UnixSeconds
    ) async throws -> Bool {
        try await connection.transaction { session in
            let run = claim.run
            guard try session.run(Query.makeRun(claim: claim, label: label, detail: detail, until: until)) == 1 else {
                return false
            }
            for file in files { try session.run(Query.insertRunFile(run: run, file: file)) }
            for delivery in deliveries {
                let key = Self.idempotencyKey(of: claim, to: delivery, files: files)
                try session.run(Query.insertDelivery(run: run, delivery: delivery, idempotencyKey: key, now: now))
            }
            if deliveries.isEmpty { try session.run(Query.settleRun(run: run, now: now)) }
            return true
        }
    }

    /// Returns the SHA-256 over the files and the target, each part after its length, so that no two deliveries share
    /// it.
    private static func idempotencyKey(
        of claim: ReportRunClaim, to delivery: Delivery, files: [StoredReportFile]
    ) -> [UInt8] {
        var hash = SHA256()
        func add(_ bytes: some Collection<UInt8>) {
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Array(bytes))
        }
        for text in [claim.app.text, claim.report.text, "\(claim.period.start)", delivery.target] { add(text.utf8) }
        for file in files {
            add(file.name.utf8)
            add(file.contents)
        }
        return Array(hash.finalize())
    }

    /// Saves the outcome of a claimed run; false where another process has taken the run over meanwhile.
    ///
    /// - Parameter detail: the place where it went, or the reason why it failed; never numbers.
    @discardableResult package func finishRun(
        _ claim: ReportRunClaim, _ outcome: ReportRun.Outcome, detail: String?, now: UnixSeconds
    ) async throws -> Bool {
        try await connection.run {
            try $0.run(Query.finishRun(claim: claim, outcome: outcome, detail: detail, now: now)) == 1
        }
    }

    /// Returns the starts, from an instant on, of the periods of a kind that a report was made of.
    package func madeStarts(
        app: AppName, report: ReportName, periodKind: PeriodKind, from: UnixSeconds
    ) async throws -> Set<UnixSeconds> {
        try await connection.run {
            Set(try $0.run(Query.selectMadeStarts(app: app, report: report, periodKind: periodKind, from: from)))
        }
    }

    /// Returns the runs of an app or of all, of one report or of all, by period.
    package func runs(app: AppName? = nil, report: ReportName? = nil) async throws -> [ReportRun] {
        try await connection.run(Query.selectRuns(app: app, report: report))
    }

    /// Returns the runs that began last, the latest first, and each report's run of its latest period, whenever it
    /// began.
    package func lastRuns(_ count: Int) async throws -> [ReportRun] {
        try await connection.run(Query.selectLastRuns(most: count))
    }

    /// Returns the runs without a file of this ending, which signatures have, the latest period first.
    package func unsignedRuns(ending: String, _ count: Int) async throws -> [ReportRun] {
        try await connection.run(Query.selectUnsignedRuns(ending: ending, most: count))
    }

    package func close(within length: Duration? = nil) { connection.close(within: length) }
}

extension Delivery {
    /// The name of the operator's secret that goes with it.
    package var authorization: String? {
        switch self {
        case .folder, .mail: nil
        case .http(let http): http.authorization
        }
    }

    /// Reads a target; nil for a text that is none, and of a mail, whose address the plan alone has.
    package init?(target: String, authorization: String?) {
        let halves = target.split(separator: " ", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { return nil }
        if halves[0] == "folder" {
            self = .folder(halves[1])
        } else if let method = HTTPDelivery.Method(rawValue: halves[0]),
            let http = HTTPDelivery(method, halves[1], authorization: authorization)
        {
            self = .http(http)
        } else {
            return nil
        }
    }
}

extension Query {
    static func claimRun(
        app: AppName, report: ReportName, partner: PartnerName, period: Period, now: UnixSeconds, lease: Duration,
        tries: Int
    ) -> RowQuery<ReportRunClaim> {
        RowQuery(report_run_claim_sql, app, report, partner, period.kind, period.start, period.end, now, lease, tries) {
            ReportRunClaim(app: app, report: report, period: period, attempt: $0)
        }
    }

    static func makeRun(claim: ReportRunClaim, label: String, detail: String?, until: UnixSeconds) -> Statement {
        Statement(report_run_make_sql, claim.run, claim.attempt, label, detail, until)
    }

    static func finishRun(
        claim: ReportRunClaim, outcome: ReportRun.Outcome, detail: String?, now: UnixSeconds
    ) -> Statement { Statement(report_run_finish_sql, claim.run, claim.attempt, now, outcome.rawValue, detail) }

    static func settleRun(run: ReportRunName, now: UnixSeconds) -> Statement {
        Statement(report_run_settle_sql, run, now)
    }

    static func reopenRun(run: ReportRunName) -> Statement { Statement(report_run_reopen_sql, run) }

    static func selectMadeStarts(
        app: AppName, report: ReportName, periodKind: PeriodKind, from: UnixSeconds
    ) -> RowQuery<UnixSeconds> { RowQuery(report_run_made_sql, app, report, periodKind, from) }

    static func selectRuns(app: AppName?, report: ReportName?) -> RowQuery<ReportRun> {
        RowQuery(report_run_select_sql, app, report, row: ReportRun.init)
    }

    static func selectLastRuns(most: Int) -> RowQuery<ReportRun> {
        RowQuery(report_run_select_last_sql, most, row: ReportRun.init)
    }

    static func selectUnsignedRuns(ending: String, most: Int) -> RowQuery<ReportRun> {
        RowQuery(report_run_select_unsigned_sql, ending, most, row: ReportRun.init)
    }

    static func insertRunFile(run: ReportRunName, file: StoredReportFile) -> Statement {
        Statement(run_file_insert_sql, run, file.place, file.name, file.contents)
    }

    /// Notes a target that a run is to be delivered to.
    static func insertDelivery(
        run: ReportRunName, delivery: Delivery, idempotencyKey: [UInt8], now: UnixSeconds
    ) -> Statement { Statement(delivery_insert_sql, run, delivery.target, delivery.authorization, idempotencyKey, now) }

    static func selectRunFiles(run: ReportRunName) -> RowQuery<StoredReportFile> {
        RowQuery(run_file_select_sql, run, row: StoredReportFile.init)
    }

    static func deleteRunFiles(app: AppName, before: UnixSeconds, now: UnixSeconds, report: ReportName?) -> Statement {
        Statement(run_file_delete_sql, app, before, now, report)
    }

    static func selectKeptApps() -> RowQuery<AppName> { RowQuery(report_run_apps_sql) }
}

extension ReportRun.Outcome: ColumnValue {}

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
package struct ReportRunName: Sendable, Hashable, ParameterValue {
    package let app: AppName
    package let report: ReportName
    package let periodKind: PeriodKind
    /// The first second of the period covered.
    package let periodStart: UnixSeconds

    package init(app: AppName, report: ReportName, periodKind: PeriodKind, periodStart: UnixSeconds) {
        (self.app, self.report, self.periodKind, self.periodStart) = (app, report, periodKind, periodStart)
    }

    package init(app: AppName, report: ReportName, period: Period) {
        self.init(app: app, report: report, periodKind: period.kind, periodStart: period.start)
    }

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
        (self.place, self.name, self.contents) = (place, name, contents)
    }
}
