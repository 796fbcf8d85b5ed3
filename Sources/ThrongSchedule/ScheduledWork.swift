package import ThrongPlan
package import ThrongStore

/// Makes releases that are due; ``ReleaseScheduler`` is the real one.
package protocol DueReleases: Sendable {
    func releaseDue(
        of plan: Plan, now: UnixSeconds, failed: (ReleaseScheduler.Failure) throws -> Void
    ) async throws -> [ReleaseScheduler.Made]
    func keepCalendar(of plan: Plan, now: UnixSeconds) async throws
    func giveUpRollups(of plan: Plan) async throws
}

/// A lease on work that one of many daemons does for all; ``LeaseStore`` is the real one.
package protocol ScheduleLease: Sendable {
    /// Takes or keeps the lease for `length` seconds; returns false if another daemon has it.
    func take(_ name: String, for length: Int) async throws -> Bool
    func release(_ name: String) async throws
}

extension LeaseStore: ScheduleLease {}

/// Delivers reports that are due; ``ReportScheduler`` is the real one, whose function this is.
package protocol DueReports: Sendable {
    func deliverDue(of plan: Plan, now: UnixSeconds, failed: (Report, any Error) -> Void) async throws -> Int
}

/// Knows what is due next; `CalendarStore` is the real one, whose function this is.
package protocol ReleaseCalendar: Sendable { func firstDue(of plan: Plan) async throws -> UnixSeconds? }

/// Deletes expired data; the daemon has the real one.
package protocol Retention: Sendable {
    func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome
    /// Destroys the backup keys of data that was deleted, whichever daemon deleted it.
    func destroyKeys(now: UnixSeconds) async throws
    func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome
    func rewritePages() async throws
    func outlook(_ plans: [Plan]) async throws -> RetentionOutlook
}

extension Retention {
    package func rewritePages() async throws {}
    package func destroyKeys(now: UnixSeconds) async throws {}
}

extension ReleaseScheduler: DueReleases {
    package func releaseDue(of plan: Plan, now: UnixSeconds, failed: (Failure) throws -> Void) async throws -> [Made] {
        try await releaseDue(of: plan, now: now, only: nil, failed: failed)
    }
}

extension ReportScheduler: DueReports {}

extension CalendarStore: ReleaseCalendar {}
