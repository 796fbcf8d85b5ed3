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
            guard try session.run(Query.extendDelivery(claim: claim, now: now, lease: lease)) == 1 else {
                return false
            }
            try session.run(Query.insertDeliveredFile(claim: claim, place: place, status: status, now: now))
            return true
        }
    }

    /// Ends a try, and the run with its last delivery; false where another process has taken the delivery over.
    ///
    /// - Parameters:
    ///   - error: the reason why not everything arrived; nil if it did.
    ///   - retryAt: the time of the next try; nil if the delivery is given up or everything arrived.
    @discardableResult
    package func finish(_ claim: DeliveryClaim, error: String?, retryAt: UnixSeconds?, now: UnixSeconds) async throws
        -> Bool
    {
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

    package func close() { connection.close() }

    package func close(within length: Duration) { connection.close(within: length) }
}
