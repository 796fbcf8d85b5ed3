internal import Crypto
package import ThrongPlan
internal import ThrongPostgres

extension ReleaseStore {
    /// Writes down what a claimed run made and where it is to go, at once; false where another process has taken the run
    /// over meanwhile.
    ///
    /// - Parameters:
    ///   - label: What it covers, as file names have it.
    ///   - detail: What the run could not make, for operators.
    ///   - until: When the first number in the files may be kept no longer. Unit: Unix seconds.
    ///   - now: Unit: Unix seconds.
    package func keep(
        _ files: [StoredReportFile], of claim: ReportRunClaim, label: String, detail: String? = nil,
        until: Int64 = .max, deliveries: [Delivery], now: Int64
    ) async throws -> Bool {
        try await connection.run { session in
            try session.transaction {
                let run = claim.run.key
                let made = try session.query(
                    Query.makeRun(
                        run + [
                            .integer(Int64(claim.attempt)), .text(label), detail.map { .text($0) } ?? .null,
                            .instant(until),
                        ]))
                guard made.affected == 1 else { return false }
                for file in files {
                    try session.query(
                        Query.insertRunFile(
                            run + [.integer(Int64(file.place)), .text(file.name), .bytes(file.contents)]))
                }
                for delivery in deliveries {
                    try session.query(
                        Query.insertDelivery(
                            run + [
                                .text(delivery.target), delivery.authorization.map { .text($0) } ?? .null,
                                .bytes(Self.idempotencyKey(of: claim, to: delivery, files: files)), .integer(now),
                            ]))
                }
                if deliveries.isEmpty { try session.query(Query.settleRun(run + [.integer(now)])) }
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

    /// Begins a try of a delivery that is due and that nobody is at; nil where there is none.
    ///
    /// A try that a process left unfinished for longer than `lease` may be begun again by another.
    ///
    /// - Parameters:
    ///   - run: Only of this run of the app; nil takes any.
    ///   - foldersOnly: Leaves what goes over the network.
    ///   - now: Unit: Unix seconds.
    package func claimDelivery(
        app: AppName, run: ReportRunName? = nil, foldersOnly: Bool, lease: Duration, now: Int64
    ) async throws -> DeliveryClaim? {
        try await connection.run { session in
            let rows = try session.query(
                Query.claimDelivery(
                    (run?.key ?? [.text(app.text), .null, .null, .null]) + [
                        .integer(now), .integer(lease.components.seconds), .text(foldersOnly ? "true" : "false"),
                    ]))
            guard rows.count == 1 else { return nil }
            guard let kind = PeriodKind(code: try rows.integer(0, 1)) else {
                throw PostgresError.unexpectedAnswer(query: Query.claimDelivery.name)
            }
            return DeliveryClaim(
                run: ReportRunName(
                    app: app, report: ReportName(try rows.text(0, 0)), periodKind: kind,
                    periodStart: try rows.integer(0, 2)),
                target: try rows.text(0, 3),
                authorization: rows.isNull(0, 4) ? nil : try rows.text(0, 4),
                idempotencyKey: try rows.bytes(0, 5),
                attempt: Int(try rows.integer(0, 6)))
        }
    }

    /// The files of a run, in the order of delivery.
    package func files(of run: ReportRunName) async throws -> [StoredReportFile] {
        try await connection.run { session in
            let rows = try session.query(Query.selectRunFiles(run.key))
            return try rows.indices.map {
                StoredReportFile(
                    place: Int(try rows.integer($0, 0)), name: try rows.text($0, 1), contents: try rows.bytes($0, 2))
            }
        }
    }

    /// The places of the files that arrived in earlier tries.
    package func arrived(_ claim: DeliveryClaim) async throws -> Set<Int> {
        try await connection.run { session in
            let rows = try session.query(Query.selectDeliveredFiles(claim.key))
            return Set(try rows.indices.map { Int(try rows.integer($0, 0)) })
        }
    }

    /// Keeps a try alive; false where another process has taken it over, and nothing may be sent any more.
    package func extend(_ claim: DeliveryClaim, lease: Duration, now: Int64) async throws -> Bool {
        try await connection.run { try Self.extend(claim, lease, now, $0) }
    }

    private static func extend(
        _ claim: DeliveryClaim, _ lease: Duration, _ now: Int64, _ session: Session
    ) throws -> Bool {
        try session.query(
            Query.extendDelivery(
                claim.key + [.integer(Int64(claim.attempt)), .integer(now), .integer(lease.components.seconds)])
        ).affected == 1
    }

    /// Writes down that a file arrived, and keeps the try alive; false where another process has taken it over.
    ///
    /// - Parameter status: what HTTP answered; nil in folders.
    package func noteArrival(
        of place: Int, status: Int?, by claim: DeliveryClaim, lease: Duration, now: Int64
    ) async throws -> Bool {
        try await connection.run { session in
            try session.transaction {
                guard try Self.extend(claim, lease, now, session) else { return false }
                try session.query(
                    Query.insertDeliveredFile(
                        claim.key + [
                            .integer(Int64(place)), status.map { .integer(Int64($0)) } ?? .null, .integer(now),
                        ]))
                return true
            }
        }
    }

    /// Ends a try, and the run with its last delivery; false where another process has taken the delivery over.
    ///
    /// - Parameters:
    ///   - error: Why not everything arrived; nil where it did.
    ///   - retryAt: When it is tried again; nil gives it up, or is for what arrived. Unit: Unix seconds.
    @discardableResult
    package func finish(_ claim: DeliveryClaim, error: String?, retryAt: Int64?, now: Int64) async throws -> Bool {
        let state: ReportDelivery.State = error == nil ? .sent : retryAt == nil ? .failed : .pending
        return try await connection.run { session in
            try session.transaction {
                let ended = try session.query(
                    Query.finishDelivery(
                        claim.key + [
                            .integer(Int64(claim.attempt)), .text(state.rawValue), error.map { .text($0) } ?? .null,
                            .integer(retryAt ?? now), .integer(now),
                        ]))
                guard ended.affected == 1 else { return false }
                if state != .pending {
                    try session.query(Query.settleRun(claim.run.key + [.integer(now)]))
                }
                return true
            }
        }
    }

    /// Lets the deliveries of a run be made again: those that were given up, and folders. What arrived over HTTP is not
    /// sent again.
    package func reopenDeliveries(of run: ReportRunName, now: Int64) async throws {
        try await connection.run { session in
            try session.transaction {
                try session.query(Query.reopenDeliveries(run.key + [.integer(now)]))
                try session.query(Query.reopenRun(run.key))
            }
        }
    }

    /// How the deliveries of a run stand, by target.
    package func deliveries(of run: ReportRunName) async throws -> [ReportDelivery] {
        try await connection.run { session in
            let rows = try session.query(Query.selectDeliveries(run.key))
            return try rows.indices.map { row in
                guard let state = ReportDelivery.State(rawValue: try rows.text(row, 1)) else {
                    throw PostgresError.unexpectedAnswer(query: Query.selectDeliveries.name)
                }
                return ReportDelivery(
                    target: try rows.text(row, 0),
                    state: state,
                    attempts: Int(try rows.integer(row, 2)),
                    nextAt: try rows.integer(row, 3),
                    lastError: rows.isNull(row, 4) ? nil : try rows.text(row, 4),
                    finishedAt: rows.isNull(row, 5) ? nil : try rows.integer(row, 5),
                    idempotencyKey: try rows.bytes(row, 6),
                    files: Int(try rows.integer(row, 7)))
            }
        }
    }

    /// When the periods of a kind start of which an app has releases, from an instant on. Unit: Unix seconds.
    package func releasedStarts(app: AppName, periodKind: PeriodKind, from: Int64) async throws -> Set<Int64> {
        try await connection.run { session in
            let rows = try session.query(
                Query.selectReleaseStarts([.text(app.text), periodKind.parameter, .instant(from)]))
            return Set(try rows.indices.map { try rows.integer($0, 0) })
        }
    }

    /// What became of the events of an app whose windows began within a period: `accepted`, `late`, or why they were
    /// refused. Unit: events.
    package func coverage(app: AppName, period: Period) async throws -> [String: Int64] {
        try await connection.run { session in
            let rows = try session.query(
                Query.selectCoverage([.text(app.text), period.start.parameter, period.end.parameter]))
            var kinds: [String: Int64] = [:]
            for row in rows.indices { kinds[try rows.text(row, 0)] = try rows.integer(row, 1) }
            return kinds
        }
    }

    /// Deletes the files of an app's reports as soon as one number in them may be kept no longer, and coverage.
    ///
    /// - Parameters:
    ///   - plan: The plan in force; nil where the app has none any more.
    ///   - shortest: How long the numbers of the app are kept that are kept the shortest. Unit: seconds.
    static func expireFiles(
        app: AppName, plan: Plan?, shortest: Int64, now: Int64, _ session: Session
    ) throws {
        func delete(keptFor seconds: Int64, of report: Parameter) throws {
            try session.query(
                Query.deleteRunFiles([.text(app.text), .instant(now - seconds), .instant(now), report]))
        }
        try delete(keptFor: shortest, of: .null)
        for report in plan?.reports ?? [] {
            try delete(keptFor: plan?.seconds(keeping: report) ?? 0, of: .text(report.name.text))
        }
        // An age counts from the end of a period, and none is longer than a month.
        try session.query(Query.deleteCoverage([.text(app.text), .instant(now - shortest - 31 * 86_400)]))
    }
}

extension DeliveryClaim {
    /// Its primary key as parameters.
    fileprivate var key: [Parameter] { run.key + [.text(target)] }
}
