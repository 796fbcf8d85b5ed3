package import ThrongDelivery
package import ThrongPlan
internal import ThrongReport
package import ThrongStore

/// Makes releases that are due; ``ReleaseScheduler`` is the real one.
package protocol DueReleases: Sendable {
    func releaseDue(
        of plan: Plan, now: UnixSeconds, failed: (ReleaseScheduler.Failure) throws -> Void
    ) async throws -> [ReleaseScheduler.Made]
    /// Opens the periods of a plan's metrics by the clock.
    func keepCalendar(of plan: Plan, now: UnixSeconds) async throws
    /// Gives up the coarser periods for which a plan in force asks no more.
    func giveUpRollups(of plan: Plan) async throws
}

/// What one daemon of many does for all; ``LeaseStore`` is the real one, whose functions these are.
package protocol ScheduleLease: Sendable {
    /// Takes it or keeps it for so many seconds; false where another daemon has it.
    func take(_ name: String, for length: Int) async throws -> Bool
    /// Gives it back.
    func release(_ name: String) async throws
}

extension LeaseStore: ScheduleLease {}

/// Delivers reports that are due; ``ReportScheduler`` is the real one, whose function this is.
package protocol DueReports: Sendable {
    func deliverDue(of plan: Plan, now: UnixSeconds, failed: (Report, any Error) -> Void) async throws -> Int
}

/// Knows what is due next; `CalendarStore` is the real one, whose function this is.
package protocol ReleaseCalendar: Sendable {
    func firstDue(of plan: Plan) async throws -> UnixSeconds?
}

/// Takes away what is too old; ``HouseRetention`` is the real one.
package protocol Retention: Sendable {
    func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome
    /// Takes from this daemon's own backups what the house no longer has, whichever daemon took it from the house.
    func destroyKeys(now: UnixSeconds) async throws
    /// Takes reports from folders on this machine.
    func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome
    /// Takes what went out of files of PostgreSQL, too, where it is the house's own.
    func rewritePages() async throws
    /// What goes next.
    func outlook(_ plans: [Plan]) async throws -> RetentionOutlook
}

extension Retention {
    package func rewritePages() async throws {}
    package func destroyKeys(now: UnixSeconds) async throws {}
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

/// Takes away what is too old in the database, and of what reports left in folders.
package struct HouseRetention: Retention {
    private let store: RetentionStore
    private let copies: CopyRetention

    /// - Parameter folder: where deliveries with a relative path go.
    package init(_ store: RetentionStore, folder: String) {
        self.store = store
        copies = CopyRetention(store: store, folder: folder)
    }

    package func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
        try await store.expire(plans: plans, now: now)
    }

    package func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome {
        try await copies.remove(plans, now: now)
    }

    package func outlook(_ plans: [Plan]) async throws -> RetentionOutlook { try await store.outlook(plans) }
}
