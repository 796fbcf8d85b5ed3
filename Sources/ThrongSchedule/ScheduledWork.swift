package import ThrongPlan
internal import ThrongReport
package import ThrongStore

/// Makes releases that are due; ``ReleaseScheduler`` is the real one.
package protocol DueReleases: Sendable {
    func releaseDue(
        of plan: Plan, now: UnixSeconds, failed: (ReleaseScheduler.Failure) throws -> Void
    ) async throws -> [ReleaseScheduler.Made]
}

/// Delivers reports that are due; ``ReportScheduler`` is the real one, whose function this is.
package protocol DueReports: Sendable {
    func deliverDue(of plan: Plan, now: UnixSeconds, failed: (Report, any Error) -> Void) async throws -> Int
}

/// Knows what is due next; `CalendarStore` is the real one, whose function this is.
package protocol ReleaseCalendar: Sendable {
    func firstOpenEnd(app: AppName) async throws -> UnixSeconds?
}

/// Takes away what is too old; `RetentionStore` is the real one.
package protocol Retention: Sendable {
    func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome
    /// What goes next, the soonest first.
    func due(_ plans: [Plan]) async throws -> [RetentionDue]
}

extension ReleaseScheduler: DueReleases {
    package func releaseDue(
        of plan: Plan, now: UnixSeconds, failed: (Failure) throws -> Void
    ) async throws -> [Made] {
        try await releaseDue(of: plan, now: now, only: nil, failed: failed)
    }
}

extension ReportScheduler: DueReports {}

extension CalendarStore: ReleaseCalendar {}

extension RetentionStore: Retention {
    package func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
        try await expire(plans: plans, now: now, countersKept: .seconds(Self.countersKept))
    }
}
