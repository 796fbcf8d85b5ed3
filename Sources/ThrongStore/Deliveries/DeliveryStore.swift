package import ThrongPlan

/// The targets of the files of runs, and the state of each delivery, as `throng_reporter`.
package final class DeliveryStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Begins a try of a delivery that is due and that no other process is trying; nil where there is none.
    ///
    /// A try that a process left unfinished for longer than `lease` may be begun again by another.
    package func claimDelivery(
        app: AppName, run: ReportRunName? = nil, foldersOnly: Bool, lease: Duration, now: UnixSeconds
    ) async throws -> DeliveryClaim? {
        let claim = Query.claimDelivery(app: app, run: run, now: now, lease: lease, foldersOnly: foldersOnly)
        return try await connection.first(claim)
    }

    /// Returns the files of a run, in the order of delivery.
    package func files(of run: ReportRunName) async throws -> [StoredReportFile] {
        try await connection.run(Query.selectRunFiles(run: run))
    }

    /// Returns the places of the files that arrived in earlier tries.
    package func arrived(_ claim: DeliveryClaim) async throws -> Set<Int> {
        try await connection.run { Set(try $0.run(Query.selectDeliveredFiles(claim: claim))) }
    }

    /// Keeps a try alive; false where another process has taken it over, and nothing may be sent any more.
    package func extend(_ claim: DeliveryClaim, lease: Duration, now: UnixSeconds) async throws -> Bool {
        try await connection.run { try $0.run(Query.extendDelivery(claim: claim, now: now, lease: lease)) == 1 }
    }

    /// Writes down that a file arrived, and keeps the try alive; false where another process has taken it over.
    package func noteArrival(
        of place: Int, status: Int?, by claim: DeliveryClaim, lease: Duration, now: UnixSeconds
    ) async throws -> Bool {
        try await connection.transaction { session in
            guard try session.run(Query.extendDelivery(claim: claim, now: now, lease: lease)) == 1 else { return false }
            try session.run(Query.insertDeliveredFile(claim: claim, place: place, status: status, now: now))
            return true
        }
    }

    /// Ends a try, and the run with its last delivery; false where another process has taken the delivery over.
    ///
    /// - Parameters:
    ///   - error: the reason why not everything arrived; nil if it did.
    ///   - retryAt: the time of the next try; nil if the delivery is given up or everything arrived.
    @discardableResult package func finish(
        _ claim: DeliveryClaim, error: String?, retryAt: UnixSeconds?, now: UnixSeconds
    ) async throws -> Bool {
        let state: ReportDelivery.State = error == nil ? .sent : retryAt == nil ? .failed : .pending
        let finish = Query.finishDelivery(claim: claim, state: state, error: error, retryAt: retryAt ?? now, now: now)
        return try await connection.transaction { session in
            guard try session.run(finish) == 1 else { return false }
            if state != .pending { try session.run(Query.settleRun(run: claim.run, now: now)) }
            return true
        }
    }

    /// Reopens the deliveries of a run: those that were given up, and folders. Files that arrived over HTTP are not
    /// sent again.
    package func reopenDeliveries(of run: ReportRunName, now: UnixSeconds) async throws {
        try await connection.transaction { session in
            try session.run(Query.reopenDeliveries(run: run, now: now))
            try session.run(Query.reopenRun(run: run))
        }
    }

    package func deliveries(of run: ReportRunName) async throws -> [ReportDelivery] {
        try await connection.run(Query.selectDeliveries(run: run))
    }

    package func close(within length: Duration? = nil) { connection.close(within: length) }
}

/// The right to try one delivery, once.
package struct DeliveryClaim: Sendable, Hashable {
    package let run: ReportRunName
    /// The target: see ``Delivery/target``.
    package let target: String
    /// The name of the operator's secret that goes with it.
    package let authorization: String?
    /// The key that is the same for every try: 32 bytes.
    package let idempotencyKey: [UInt8]
    /// The number of the try; a later one takes the right away. Unit: tries, from 1.
    package let attempt: Int
    /// The partner that the run's files were made for.
    package let partner: PartnerName
}

package struct ReportDelivery: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        /// It is to be tried, or is being tried.
        case pending
        /// Everything arrived.
        case sent
        /// It was given up.
        case failed
        /// Age took it from its folder.
        case removed
    }

    /// The target: see ``Delivery/target``.
    package let target: String
    package let state: State
    package let attempts: Int
    /// The earliest time of the next try.
    package let nextAt: UnixSeconds
    package let lastError: String?
    /// The time it was over; nil while it is pending.
    package let finishedAt: UnixSeconds?
    /// The key that is the same for every try: 32 bytes.
    package let idempotencyKey: [UInt8]
    package let files: Int
}

extension Query {
    static func claimDelivery(
        app: AppName, run: ReportRunName?, now: UnixSeconds, lease: Duration, foldersOnly: Bool
    ) -> RowQuery<DeliveryClaim> {
        RowQuery(delivery_claim_sql, app, run?.report, run?.periodKind, run?.periodStart, now, lease, foldersOnly) {
            DeliveryClaim(
                run: ReportRunName(app: app, report: $0, periodKind: $1, periodStart: $2), target: $3,
                authorization: $4, idempotencyKey: $5, attempt: $6, partner: $7)
        }
    }

    static func extendDelivery(claim: DeliveryClaim, now: UnixSeconds, lease: Duration) -> Statement {
        Statement(delivery_extend_sql, claim, claim.attempt, now, lease)
    }

    static func finishDelivery(
        claim: DeliveryClaim, state: ReportDelivery.State, error: String?, retryAt: UnixSeconds, now: UnixSeconds
    ) -> Statement { Statement(delivery_finish_sql, claim, claim.attempt, state.rawValue, error, retryAt, now) }

    static func reopenDeliveries(run: ReportRunName, now: UnixSeconds) -> Statement {
        Statement(delivery_reopen_sql, run, now)
    }

    static func selectDeliveries(run: ReportRunName) -> RowQuery<ReportDelivery> {
        RowQuery(delivery_select_sql, run, row: ReportDelivery.init)
    }

    static func insertDeliveredFile(claim: DeliveryClaim, place: Int, status: Int?, now: UnixSeconds) -> Statement {
        Statement(delivered_file_insert_sql, claim, place, status, now)
    }

    static func selectDeliveredFiles(claim: DeliveryClaim) -> RowQuery<Int> {
        RowQuery(delivered_file_select_sql, claim)
    }
}

/// The delivery's primary key.
extension DeliveryClaim: ParameterValue { var parameters: [Parameter] { run.parameters + [.text(target)] } }

extension ReportDelivery.State: ColumnValue {}
