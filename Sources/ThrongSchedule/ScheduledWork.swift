package import ThrongPlan
internal import ThrongReport
package import ThrongStore

/// Makes releases that are due; ``ReleaseScheduler`` is the real one.
package protocol DueReleases: Sendable {
    func releaseDue(
        of plan: Plan, now: Int64, failed: (ReleaseScheduler.Failure) throws -> Void
    ) async throws -> [ReleaseScheduler.Made]
}

/// Delivers reports that are due; ``ReportScheduler`` is the real one, whose function this is.
package protocol DueReports: Sendable {
    func deliverDue(of plan: Plan, now: Int64, failed: (Report, any Error) -> Void) async throws -> Int
}

/// Knows what is due next, and takes away what is too old; `ReleaseStore` is the real one, whose functions these are.
package protocol Retention: Sendable {
    func firstOpenEnd(app: AppName) async throws -> Int64?
    func expire(plans: [Plan], now: Int64) async throws -> ExpiryOutcome
}

/// Knows what time it is by PostgreSQL, and keeps what was believed; `DatabaseClock` is the real one, whose functions these
/// are.
package protocol ClockStore: Sendable {
    /// What time it is by PostgreSQL, and what was believed last.
    func clock() async throws -> StoredClock
    /// Writes down a time of day that is believed.
    func believe(_ time: StoredClock.Believed) async throws
    /// Writes down what time it is, on an operator's word.
    func confirm(_ time: StoredClock.Believed) async throws
}

/// Asks daemons whether PostgreSQL has what they acknowledged; `SettlementStore` is the real one, whose functions these
/// are.
package protocol Settling: Sendable {
    /// Asks all daemons; returns the asking's number.
    func askToSettle() async throws -> Int64
    /// The daemons that have not answered an asking.
    func unsettled(_ asking: Int64) async throws -> [UnsettledDaemon]
}

extension DatabaseClock: ClockStore {}

extension SettlementStore: Settling {}

extension ReleaseScheduler: DueReleases {
    package func releaseDue(
        of plan: Plan, now: Int64, failed: (Failure) throws -> Void
    ) async throws -> [Made] {
        try await releaseDue(of: plan, now: now, only: nil, failed: failed)
    }
}

extension ReportScheduler: DueReports {}

extension ReleaseStore: Retention {
    package func expire(plans: [Plan], now: Int64) async throws -> ExpiryOutcome {
        try await expire(plans: plans, now: now, countersKept: .seconds(7 * 86_400))
    }
}
