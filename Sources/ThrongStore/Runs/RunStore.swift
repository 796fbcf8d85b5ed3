internal import Crypto
package import ThrongPlan
package import ThrongPostgres

/// The runs of reports: who makes which, how each ended, and the files that it made.
///
/// Works as `throng_reporter`.
package final class RunStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Works over a connection of its own.
    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Takes the right to make a run; nil where it was made, is being made, or has no tries left.
    ///
    /// A run that a process left unfinished for longer than `lease` may be taken again; so may a failed one. Of any
    /// number of processes that ask at once, one gets it.
    ///
    /// - Parameter lease: long enough for two tries at a PDF, a minute each, and for all the rest.
    package func claimRun(
        app: AppName,
        report: ReportName,
        partner: PartnerName,
        period: Period,
        now: UnixSeconds,
        lease: Duration = .seconds(180),
        tries: Int = 5
    ) async throws -> ReportRunClaim? {
        let claim = ClaimRun(
            app: app, report: report, partner: partner, period: period, now: now, lease: lease, tries: tries)
        return try await connection.run { try $0.first(claim) }
    }

    /// Writes down what a claimed run made and where it is to go, at once; false where another process has taken the run
    /// over meanwhile.
    ///
    /// - Parameters:
    ///   - label: What it covers, as file names have it.
    ///   - detail: What the run could not make, for operators.
    ///   - until: When the first number in the files may be kept no longer.
    package func keep(
        _ files: [StoredReportFile], of claim: ReportRunClaim, label: String, detail: String? = nil,
        until: UnixSeconds = .max, deliveries: [Delivery], now: UnixSeconds
    ) async throws -> Bool {
        try await connection.run { session in
            try session.transaction {
                let run = claim.run
                guard try session.run(MakeRun(claim: claim, label: label, detail: detail, until: until)) == 1 else {
                    return false
                }
                for file in files { try session.run(InsertRunFile(run: run, file: file)) }
                for delivery in deliveries {
                    let key = Self.idempotencyKey(of: claim, to: delivery, files: files)
                    try session.run(InsertDelivery(run: run, delivery: delivery, idempotencyKey: key, now: now))
                }
                if deliveries.isEmpty { try session.run(SettleRun(run: run, now: now)) }
                return true
            }
        }
    }

    /// SHA-256 over what is delivered and where, each part after its length, so that no two deliveries share it.
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

    /// Writes down how a claimed run ended; false where another process has taken the run over meanwhile.
    ///
    /// - Parameters:
    ///   - outcome: delivered or failed.
    ///   - detail: Where it went, or why it failed; never numbers.
    @discardableResult
    package func finishRun(
        _ claim: ReportRunClaim, _ outcome: ReportRun.Outcome, detail: String?, now: UnixSeconds
    ) async throws -> Bool {
        try await connection.run {
            try $0.run(FinishRun(claim: claim, outcome: outcome, detail: detail, now: now)) == 1
        }
    }

    /// When the periods of a kind start of which a report was made, from an instant on.
    package func madeStarts(
        app: AppName, report: ReportName, periodKind: PeriodKind, from: UnixSeconds
    ) async throws -> Set<UnixSeconds> {
        try await connection.run {
            Set(try $0.run(SelectMadeStarts(app: app, report: report, periodKind: periodKind, from: from)))
        }
    }

    /// The runs of an app or of all, of one report or of all, by period.
    package func runs(app: AppName? = nil, report: ReportName? = nil) async throws -> [ReportRun] {
        try await connection.run { try $0.run(SelectRuns(app: app, report: report)) }
    }

    /// The runs that began last, the latest first, and among them each report's of its latest period, whenever it began.
    package func lastRuns(_ count: Int) async throws -> [ReportRun] {
        try await connection.run { try $0.run(SelectLastRuns(most: count)) }
    }

    /// The runs whose files are here and were signed by nobody, the latest period first.
    ///
    /// - Parameter ending: what names of signatures end in.
    package func unsignedRuns(ending: String, _ count: Int) async throws -> [ReportRun] {
        try await connection.run { try $0.run(SelectUnsignedRuns(ending: ending, most: count)) }
    }

    /// Closes the connection.
    package func close() { connection.close() }

    /// Closes the connection after so long, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }
}

extension Delivery {
    /// Which secret of the operator goes with it.
    package var authorization: String? {
        switch self {
        case .folder: nil
        case .http(let http): http.authorization
        }
    }

    /// What a target names; nil for a text that is none.
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
