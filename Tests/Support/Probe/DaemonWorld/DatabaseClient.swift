import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongReport

@testable import ThrongSchedule
@testable import ThrongServer
@testable import ThrongStore

/// A process's way to a ``VirtualDatabase``.
///
/// One thread uses it: that is the proof of `@unchecked Sendable`.
final class DatabaseClient: FlushTarget, MemberSource, DueReleases, DueReports, ReleaseCalendar, Retention, ClockStore,
    Settling, @unchecked Sendable
{
    private let database: VirtualDatabase
    private var attachment: (daemon: DaemonID, fence: Int64)?
    /// False once the process is gone.
    private(set) var isAlive = true
    /// Which of its two connections are there: for questions of its standing, and for all else.
    private var connections: Set<Bool> = []
    /// Whether the process stands still.
    var isStanding: () -> Bool = { false }

    init(_ database: VirtualDatabase) { self.database = database }

    /// Whether it has a daemon's place, and nobody else wants that.
    var isSettled: Bool {
        guard let (daemon, fence) = attachment, let mark = database.state.marks[daemon] else { return false }
        return mark.fence == fence && mark.claim == nil
    }

    func end() {
        isAlive = false
        database.wake()
    }

    /// Breaks its connections.
    func cut() { connections = [] }

    private let ordinary = ConnectionSettings(connectionString: "")
    private let brisk = CounterStore.watching(ConnectionSettings(connectionString: ""))

    private func hear(_ query: String) async throws {
        try await database.hear(query, of: self, within: ordinary.longestSilence)
    }

    /// Asks; what the database does with it, it does whatever becomes of the process.
    private func ask<Value>(
        _ query: String, ofStanding isOfStanding: Bool = false, _ work: () throws -> Value
    ) async throws -> Value {
        let settings = isOfStanding ? brisk : ordinary
        do {
            if !connections.contains(isOfStanding) {
                try await database.connect(self, within: settings.connectTimeoutSeconds)
                connections.insert(isOfStanding)
            }
            let end = database.elapsed + .seconds(settings.longestSilence)
            try await database.hear(query, of: self, within: settings.longestSilence)
            let result = Result { try work() }
            try await database.answer(query, self, by: end)
            return try result.get()
        } catch let error as PostgresError {
            connections.remove(isOfStanding)
            throw error
        }
    }

    // MARK: Flushing

    func register(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], by claim: PlanClaim
    ) async throws -> PlanRegistration {
        try await ask("metric_layout.register") { PlanRegistration(edited: [], standings: []) }
    }

    func announce(_ claim: PlanClaim) async throws -> [PlanStanding] { [] }

    func forgetSchema() {}

    func watermark(of daemon: DaemonID) async throws -> Watermark? {
        try await ask("watermark.select") { database.state.marks[daemon] }
    }

    func attach(
        daemon: DaemonID, replacing known: Watermark?, fence: Int64, holder: String?, address: String?, hasWaited: Bool
    ) async throws -> JournalPosition {
        let position = try await ask("watermark.attach") {
            try database.commit("watermark.attach") { state in
                let found = state.marks[daemon]
                guard (found?.fence ?? 0) == (known?.fence ?? 0), found?.claimed ?? 0 <= fence,
                    !hasWaited || (found?.claim == fence && found?.position == known?.position)
                else { throw StoreError.fenced(daemon: daemon) }
                let position = found?.position ?? .start
                state.marks[daemon] = Watermark(position: position, fence: fence, holder: holder)
                state.settled[daemon] = 0
                return position
            }
        }
        attachment = (daemon, fence)
        return position
    }

    func watermark() async throws -> JournalPosition {
        try await ask("watermark.select") { try position(in: database.state) }
    }

    private func position(in state: DatabaseState) throws -> JournalPosition {
        guard let (daemon, fence) = attachment else { throw StoreError.notAttached }
        guard let mark = state.marks[daemon], mark.fence >= fence else {
            throw StoreError.attachmentLost(daemon: daemon)
        }
        guard mark.fence == fence else { throw StoreError.fenced(daemon: daemon) }
        return mark.position
    }

    func flush(_ flush: Flush, now: UnixSeconds) async throws -> FlushOutcome {
        // There and back a few times before anything is certain.
        for query in ["watermark.advance", "pending.copy"] { try await ask(query) {} }
        return try await ask("counter.upsert") {
            try database.commit("counter.upsert") { try add(flush, now: now, to: &$0) }
        }
    }

    private func add(_ flush: Flush, now: UnixSeconds, to state: inout DatabaseState) throws -> FlushOutcome {
        let found = try position(in: state)
        guard let (daemon, fence) = attachment else { throw StoreError.notAttached }
        if found == flush.through {
            return outcome(.alreadyApplied, redirected: 0, state.recentlyClosed(now: now))
        }
        guard found == flush.after else { throw StoreError.watermarkMoved(expected: flush.after, found: found) }
        let mark = state.marks[daemon]
        state.marks[daemon] = Watermark(
            position: flush.through, fence: fence, holder: mark?.holder, claim: mark?.claim)
        if let ended = flush.closedUntil {
            state.closings[daemon] = (state.closings[daemon] ?? [:]).filter { $0.value > ended }
            state.closings[daemon]?[flush.through] = ended
        }
        let redirected = state.add(flush, now: now)
        return outcome(.applied, redirected: redirected, state.recentlyClosed(now: now))
    }

    func closedUntil(after position: JournalPosition) async throws -> UnixSeconds? {
        try await hear("window_closing.select")
        guard let (daemon, _) = attachment else { throw StoreError.notAttached }
        return database.state.closings[daemon]?.filter { $0.key > position }.values.max()
    }

    private func outcome(
        _ application: FlushOutcome.Application, redirected: Int, _ closed: Set<ClosedPeriod>
    ) -> FlushOutcome {
        FlushOutcome(
            application: application, counters: 0, distinctCounts: 0, redirected: redirected,
            droppedDistinct: 0, closedPeriods: closed)
    }

    func close() {}
    func close(within length: Duration) {}

    // MARK: The place

    func claim(daemon: DaemonID, from known: Watermark, fence: Int64) async throws -> Bool {
        try await ask("watermark.claim") {
            try database.commit("watermark.claim") { state in
                guard let mark = state.marks[daemon], mark.fence == known.fence, (mark.claim ?? 0) <= fence else {
                    return false
                }
                state.marks[daemon] = Watermark(
                    position: mark.position, fence: mark.fence, holder: mark.holder, claim: fence)
                return true
            }
        }
    }

    func hearClaim() async throws -> CounterStore.Claim {
        guard let (daemon, fence) = attachment else { throw StoreError.notAttached }
        return try await ask("watermark.hear", ofStanding: true) { () throws -> CounterStore.Claim in
            guard let mark = database.state.marks[daemon] else { return .nobody }
            guard mark.fence <= fence else { throw StoreError.fenced(daemon: daemon) }
            guard mark.claimed > fence else { return .nobody }
            guard mark.fence == fence else { return .unheard }
            guard mark.claim == mark.claimed else { return .heard }
            try database.commit("watermark.hear") { state in
                state.marks[daemon] = Watermark(
                    position: mark.position, fence: fence, holder: mark.holder, claim: -mark.claimed)
            }
            return .heard
        }
    }

    func standing(of daemon: DaemonID) async throws -> Watermark? {
        try await ask("watermark.select", ofStanding: true) { database.state.marks[daemon] }
    }

    func release() async throws {
        try await ask("watermark.release") {
            try database.commit("watermark.release") { state in
                guard let (daemon, fence) = attachment, let mark = state.marks[daemon], mark.fence == fence else {
                    return
                }
                state.marks[daemon] = Watermark(position: mark.position, fence: fence, holder: nil, claim: mark.claim)
            }
        }
    }

    // MARK: The members

    /// Whether other daemons may come into its database.
    var isShared: Bool { database.hasOthers != nil }

    func membership(of daemon: DaemonID, heard: Int64) async throws -> Membership? {
        try await hear("member.select")
        guard let hasOthers = database.hasOthers, database.state.marks[daemon] != nil else { return nil }
        let own = Member(shard: 0, daemon: "\(daemon)", address: nil)
        let other = Member(shard: 1, daemon: "another", address: nil, isRetired: !hasOthers)
        let epoch = OwnershipEpoch(
            number: 1, begins: nil, owners: Array(repeating: 0, count: Slot.count), retires: nil, isInForce: true)
        return Membership(
            own: 0, epochs: [epoch].compactMap(\.self), members: [own, other], secret: [], heard: heard)
    }

    func recall(_ epochs: [OwnershipEpoch], of known: Membership) async throws -> Bool { false }

    func hear(_ epoch: Int64, as daemon: DaemonID) async throws {}

    // MARK: The barrier

    func lastAsking() async throws -> Asking {
        try await ask("settlement.asked") { Asking(number: database.asked, read: .epoch) }
    }

    func settle(_ asking: Asking, owing until: UnixSeconds?) async throws {
        try await hear("watermark.settle")
        guard let (daemon, fence) = attachment, database.state.settled[daemon] ?? -1 < asking.number else { return }
        try database.commit("watermark.settle") { state in
            guard state.marks[daemon]?.fence == fence else { return }
            state.settled[daemon] = asking.number
        }
    }

    func askToSettle() async throws -> Int64 {
        try await hear("settlement.ask")
        database.asked += 1
        return database.asked
    }

    func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon] {
        try await hear("watermark.unsettled")
        return database.state.settled.filter { daemon, settled in
            settled < asking || Asking(number: settled, read: .epoch).owes(at: now)
        }.keys
            .sorted { $0.description < $1.description }.map { UnsettledDaemon(daemon: $0, silence: 0, unheard: 0) }
    }

    // MARK: The clock

    func clock() async throws -> StoredClock {
        try await hear("clock.select")
        return StoredClock(database: database.shown, believed: database.state.believed)
    }

    func believe(_ time: StoredClock.Believed) async throws {
        try await hear("clock.raise")
        try database.commit("clock.raise") { state in
            guard time.time > state.believed?.time ?? .min else { return }
            state.believed = time
        }
    }

    func confirm(_ time: StoredClock.Believed) async throws {
        try await hear("clock.confirm")
        try database.commit("clock.confirm") { $0.believed = time }
    }

    // MARK: The schedule

    func keepCalendar(of plan: Plan, now: UnixSeconds) async throws {}

    func giveUpRollups(of plan: Plan) async throws {}

    func releaseDue(
        of plan: Plan, now: UnixSeconds, failed: (ReleaseScheduler.Failure) throws -> Void
    ) async throws -> [ReleaseScheduler.Made] {
        try await hear("release.insert")
        let grace = plan.app.grace.components.seconds
        for (period, end) in database.state.open.sorted(by: { $0.key < $1.key }) where end + grace <= now {
            guard let layout = database.layouts[period.metric] else { continue }
            try database.commit("release.insert") { state in
                state.open[period] = nil
                state.released[period] = .init(layout: layout.id, end: end)
            }
            database.onRelease(period, end)
        }
        return []
    }

    func deliverDue(of plan: Plan, now: UnixSeconds, failed: (Report, any Error) -> Void) async throws -> Int { 0 }

    func firstDue(of plan: Plan) async throws -> UnixSeconds? {
        try await hear("open_period.first")
        return database.state.open.values.min().map { $0 + plan.app.grace.components.seconds }
    }

    /// No report of the simulation goes into a folder.
    func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome { .init() }

    func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
        try await hear("released_cell.drop")
        var cells: Int64 = 0
        for (period, released) in database.state.released.sorted(by: { $0.key < $1.key }) where released.hasCells {
            guard let plan = plans.first, let metric = plan.metric(period.metric),
                let purpose = plan.purpose(metric.purpose),
                released.end + purpose.retention.components.seconds <= now
            else { continue }
            try database.commit("released_cell.drop") { $0.released[period]?.hasCells = false }
            cells += 1
            database.onExpiry(period, released.end)
        }
        return ExpiryOutcome(cells: cells, partitions: [])
    }

    func outlook(_ plans: [Plan]) async throws -> RetentionOutlook {
        try await hear("release.select_due")
        let due = database.state.released.sorted { $0.key < $1.key }.compactMap { period, released -> RetentionDue? in
            guard released.hasCells, let plan = plans.first, let metric = plan.metric(period.metric),
                let purpose = plan.purpose(metric.purpose)
            else { return nil }
            return RetentionDue(
                app: plan.app.name, metric: period.metric, term: "delete",
                at: released.end + purpose.retention.components.seconds, releases: 1)
        }
        return RetentionOutlook(due: due)
    }
}

extension ConnectionSettings {
    fileprivate var longestSilence: Int { statementTimeoutSeconds + patienceSeconds }
}
