internal import ThrongPlan
internal import ThrongReport
public import ThrongStore

/// Makes releases that are due; ``ReleaseDesk`` is the real one.
protocol DueReleases: Sendable {
    func releaseDue(
        of plan: Plan, now: Int64, failed: (ReleaseDesk.Failure) throws -> Void
    ) async throws -> [ReleaseDesk.Made]
}

/// Delivers reports that are due; ``ReportDesk`` is the real one, whose function this is.
protocol DueReports: Sendable {
    func deliverDue(of plan: Plan, now: Int64, failed: (Report, any Error) -> Void) async throws -> Int
}

/// Knows what is due next, and takes away what is too old; `ReleaseStore` is the real one, whose functions these are.
protocol Retention: Sendable {
    func firstOpenEnd(app: AppName) async throws -> Int64?
    func expire(plans: [Plan], now: Int64) async throws -> ExpiryOutcome
}

/// Knows what time it is by PostgreSQL, and keeps what was believed; `ReleaseStore` is the real one, whose functions these
/// are.
public protocol ClockStore: Sendable {
    /// What time it is by PostgreSQL, and what was believed last.
    func clock() async throws -> StoredClock
    /// Writes down a time of day that is believed.
    func believe(_ time: StoredClock.Believed) async throws
    /// Writes down what time it is, on an operator's word.
    func confirm(_ time: StoredClock.Believed) async throws
}

/// Asks daemons whether PostgreSQL has what they acknowledged; `ReleaseStore` is the real one, whose functions these are.
public protocol Settling: Sendable {
    /// Asks all daemons; returns the asking's number.
    func askToSettle() async throws -> Int64
    /// The daemons that have not answered an asking.
    func unsettled(_ asking: Int64) async throws -> [UnsettledDaemon]
}

extension ReleaseStore: ClockStore, Settling {}

extension ReleaseDesk: DueReleases {
    func releaseDue(
        of plan: Plan, now: Int64, failed: (Failure) throws -> Void
    ) async throws -> [Made] {
        try await releaseDue(of: plan, now: now, only: nil, failed: failed)
    }
}

extension ReportDesk: DueReports {}

extension ReleaseStore: Retention {
    func expire(plans: [Plan], now: Int64) async throws -> ExpiryOutcome {
        try await expire(plans: plans, now: now, countersKept: .seconds(7 * 86_400))
    }
}
