internal import Dispatch
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongStore
internal import ThrongSystem

/// The daemon's place in PostgreSQL: server started, schema checked, layouts registered, watermark attached.
///
/// PostgreSQL may start later than the daemon, and may hang: attaching goes on by itself while nobody waits for it.
final class DatabaseLink: Sendable {
    let counters: any FlushTarget
    private let prepare: @Sendable (Attempt) async throws -> Void
    /// Returns true if no earlier process can reach the server, because this one has started it.
    private let isOwnServer: @Sendable () -> Bool
    private let clock: UnixClock
    private let layouts: [MetricLayout]
    private let terms: [MetricLayout: ReleaseTerms]
    private let data: DataDirectory
    private let succession: Succession
    /// The URL by which other daemons reach this one; nil if they can't.
    private let address: String?
    private let plans: [AppName: PlanVersion]
    private let standings: PlanStandings
    private let registered = Mutex<[PlanStanding]>([])
    private let state = Mutex(State.detached)
    private let edited = Mutex<[MetricName]>([])

    private enum State {
        case detached
        case underWay(Attempt, Task<Void, Never>)
        case attached
        case closed
    }

    final class Attempt: Sendable {
        private struct State {
            var outcome: Result<JournalPosition, any Error>?
            var last = ContinuousClock.now
            var takesItsTime = false
        }

        private let state = Mutex(State())

        var outcome: Result<JournalPosition, any Error>? { state.withLock { $0.outcome } }
        /// The time since the attempt last moved on; zero during a step that takes its time.
        var silence: Duration { state.withLock { $0.takesItsTime ? .zero : .now - $0.last } }

        func moved() { state.withLock { $0.last = .now } }
        func end(_ outcome: Result<JournalPosition, any Error>) { state.withLock { $0.outcome = outcome } }
        func takesItsTime(_ does: Bool) {
            state.withLock { state in
                state.takesItsTime = does
                state.last = .now
            }
        }
    }

    /// The folder of the journal remembers its last attachment; the standings of the plans are updated. Others reach
    /// this daemon by the address.
    init(
        counters: any FlushTarget, layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], data: DataDirectory,
        clock: UnixClock, succession: Succession, address: String? = nil, plans: [AppName: PlanVersion] = [:],
        standings: PlanStandings = PlanStandings(), isOwnServer: @escaping @Sendable () -> Bool = { false },
        prepare: @escaping @Sendable (Attempt) async throws -> Void
    ) {
        (self.counters, self.layouts, self.terms, self.data, self.clock) = (counters, layouts, terms, data, clock)
        (self.succession, self.address, self.plans, self.standings) = (succession, address, plans, standings)
        (self.isOwnServer, self.prepare) = (isOwnServer, prepare)
    }

    /// Returns a function that starts the private server, if there is one, and migrates the schema to this version.
    static func preparation(
        of settings: ConnectionSettings, cluster: PrivateCluster?
    ) -> @Sendable (Attempt) async throws -> Void {
        { attempt in
            if let cluster {
                // The first start has much to do, and nothing yet that could hang.
                attempt.takesItsTime(!cluster.isMade)
                try await cluster.start()
            }
            attempt.takesItsTime(false)
            let owner = Connection(settings)
            defer { owner.close() }
            // Each step that PostgreSQL answers shows that it is there, and slow.
            try await owner.run { _ in }
            attempt.moved()
            let migrator = Migrator(owner)
            do { try await migrator.verify() } catch SchemaError.outdated {
                try await migrator.migrate { attempt.moved() }
            }
        }
    }

    var isAttached: Bool { if case .attached = state.withLock({ $0 }) { true } else { false } }

    /// Makes the next flush attach anew: the database is not the one that it was.
    func detach() { state.withLock { state in if case .attached = state { state = .detached } } }

    /// Returns the metrics for which the former plan asked something else, and forgets them.
    func takeEdited() -> [MetricName] {
        edited.withLock { edited in
            defer { edited = [] }
            return edited
        }
    }

    /// Gives the place back, so that the next process need not wait.
    func giveBack() async throws {
        guard isAttached else { return }
        try await counters.release()
    }

    /// Attaches no more, and cancels an attempt that is still under way after `length`.
    func close(within length: Duration) {
        counters.close(within: length)
        let nanoseconds = Int(length / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
            let task: Task<Void, Never>? = state.withLock { state in
                defer { state = .closed }
                if case .underWay(_, let task) = state { return task }
                return nil
            }
            task?.cancel()
        }
    }

    /// Attaches unless that has happened; joins an attempt that is under way.
    ///
    /// - Parameter patience: the longest silence of the attempt, which goes on after that; nil waits for its end.
    /// - Returns: the watermark; nil if the daemon was attached before.
    /// - Throws: ``PostgresError``; `ClusterError` if the private server can't run; ``SchemaError`` if the schema is
    ///   not this version's and can't be migrated; ``DaemonError/superseded(daemon:)`` if a copy of the data directory
    ///   has attached since; ``DaemonError/succeeding(daemon:)`` while another process may still hold the place.
    func attachedNow(patience: Duration? = nil) async throws -> JournalPosition? {
        guard data.machine.hasThreads else { return try await attachedOnCallersThread() }
        let attempt: Attempt? = try state.withLock { state in
            switch state {
            case .attached: return nil
            case .closed: throw PostgresError.closed
            case .underWay(let attempt, _): return attempt
            case .detached:
                let attempt = Attempt()
                // The task is no child of its first caller: it may outlive the caller's patience. ``close(within:)`` ends it.
                let task = Task {
                    do { attempt.end(.success(try await self.attach(attempt))) } catch { attempt.end(.failure(error)) }
                }
                state = .underWay(attempt, task)
                return attempt
            }
        }
        guard let attempt else { return nil }
        while true {
            if let outcome = attempt.outcome {
                state.withLock { state in
                    guard case .underWay(let current, _) = state, current === attempt else { return }
                    if case .success = outcome { state = .attached } else { state = .detached }
                }
                return try outcome.get()
            }
            if let patience, attempt.silence > patience {
                throw PostgresError.timedOut(query: "attach", seconds: Int(patience.components.seconds))
            }
            if case .closed = state.withLock({ $0 }) { throw PostgresError.closed }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Attaches like ``attachedNow(patience:)`` on a machine without threads, where nothing may go on by itself.
    private func attachedOnCallersThread() async throws -> JournalPosition? {
        switch state.withLock({ $0 }) {
        case .attached: return nil
        case .closed: throw PostgresError.closed
        case .underWay, .detached: break
        }
        let watermark = try await attach(Attempt())
        state.withLock { $0 = .attached }
        return watermark
    }

    private func attach(_ attempt: Attempt) async throws -> JournalPosition {
        let watermark: JournalPosition
        do {
            try await prepare(attempt)
            attempt.moved()
            counters.forgetSchema()
            watermark = try await takePlace(attempt)
        } catch let error as PostgresError {
            succession.interrupt()
            throw error
        }
        attempt.moved()
        // Only a daemon with its place says by which plans it counts.
        try await register(claim())
        return watermark
    }

    /// Tells PostgreSQL the plans by which this daemon counts, and learns which ones are in force.
    func renewPlans() async throws {
        guard isAttached else { return }
        let claim = claim()
        let found = try await counters.announce(claim)
        standings.note(found)
        let last = registered.withLock { $0 }
        // Terms of other daemons hold until all have changed over; the last to do so may be another one.
        let isOld = zip(found, last).contains {
            ($0.isInForce, $0.isEverywhere, $0.inForce) != ($1.isInForce, $1.isEverywhere, $1.inForce)
        }
        if isOld || found.count != last.count { return try await register(claim) }
        forgetApplied(claim)
    }

    private func claim() -> PlanClaim {
        let applied = plans.filter { RunningPlans(dataPath: data.path).isApplied($0.value, of: $0.key) }
        return PlanClaim(daemon: DaemonID(data.daemon), plans: plans, applied: Set(applied.keys))
    }

    private func register(_ claim: PlanClaim) async throws {
        let found = try await counters.register(layouts, terms: terms, by: claim)
        edited.withLock { $0 = found.edited.isEmpty ? $0 : found.edited }
        registered.withLock { $0 = found.standings }
        standings.note(found.standings)
        forgetApplied(claim)
    }

    /// Forgets that an operator applied the plans: that holds once, and must not undo a later edit elsewhere.
    private func forgetApplied(_ claim: PlanClaim) {
        for app in claim.applied { RunningPlans(dataPath: data.path).forgetApplied(app) }
    }

    /// Returns the fence under which this folder has attached last.
    ///
    /// If the file of the fence is damaged, the folder is known to be the last copy only if PostgreSQL says that nobody
    /// attached or that this very folder did, or if the server lies in it.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)`` otherwise.
    private func attachment(_ known: Watermark?) throws -> Int64? {
        do throws(JournalError) { return try data.attachment() } catch {
            guard case .damagedFile(let damage) = error else { throw error }
            if case .newer = damage.flaw { throw error }
            guard let known, !isOwnServer() else {
                try data.setAside(damage)
                return nil
            }
            // No other process may have announced itself since, either.
            guard let holder = known.holder, holder == data.holder, known.claimed <= known.fence else { throw error }
            try data.setAside(damage)
            return known.fence
        }
    }

    private func takePlace(_ attempt: Attempt) async throws -> JournalPosition {
        let daemon = DaemonID(data.daemon)
        let known = try await counters.watermark(of: daemon)
        attempt.moved()
        if known?.isRetired == true { throw StoreError.retired(daemon: daemon) }
        let last = try attachment(known)
        if let last, let known, max(known.fence, known.claimed) > last {
            throw DaemonError.superseded(daemon: data.daemon)
        }
        // Two processes that start within one second don't choose the same fence.
        let chosen = clock.now.value * 1_000_000 + Int64(data.machine.random() % 1_000_000)
        let next = max(chosen, (known?.fence ?? 0) + 1, (known?.claimed ?? 0) + 1, (last ?? 0) + 1)
        let fence = succession.fence ?? next
        try data.note(attachment: max(fence, last ?? 0))
        // A private server that this process has started itself can be reached by no earlier one.
        let mustWait = known.map { isHeld($0) } ?? false
        if let known, mustWait {
            let asked = data.machine.elapsed()
            // The claim is made once more each time, so that a flush under way shows.
            let isMade = try await counters.claim(daemon: daemon, from: known, fence: fence)
            let now = data.machine.elapsed()
            attempt.moved()
            guard succession.announce(fence, over: known, isMade: isMade, answer: now - asked, now: now) else {
                throw DaemonError.succeeding(daemon: data.daemon)
            }
        }
        do {
            let watermark = try await counters.attach(
                daemon: daemon, replacing: known, fence: fence, holder: data.holder, address: address,
                hasWaited: mustWait)
            succession.end()
            return watermark
        } catch StoreError.fenced where mustWait {
            // The other one was heard of at the last moment, or somebody else has the place, which shows the next time.
            succession.interrupt()
            throw DaemonError.succeeding(daemon: data.daemon)
        }
    }

    private func isHeld(_ known: Watermark) -> Bool {
        !isOwnServer() && !Succession.isVacant(known, holder: data.holder)
    }

    /// Looks whether another process waits to take this one's place, and lets that one know that it was heard.
    ///
    /// - Returns: the claim; nil while this process has no place, and another one may have it.
    /// - Throws: ``StoreError/fenced(daemon:)`` if another one has the place, or is about to.
    func hearClaim() async throws -> CounterStore.Claim? {
        do { return try await counters.hearClaim() } catch StoreError.notAttached {
            let daemon = DaemonID(data.daemon)
            // If PostgreSQL knows no such place, no process came after an earlier one of this folder. A process without
            // a place can't flush and give it back.
            guard let known = try await counters.standing(of: daemon) else { return .nobody }
            if let last = try data.attachment(), max(known.fence, known.claimed) > last {
                throw StoreError.fenced(daemon: daemon)
            }
            return isHeld(known) ? nil : .nobody
        }
    }
}

/// The functions of PostgreSQL that flushing needs; ``CounterStore`` is the real one.
protocol FlushTarget: Sendable {
    func register(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], by claim: PlanClaim
    ) async throws -> PlanRegistration
    func announce(_ claim: PlanClaim) async throws -> [PlanStanding]
    func forgetSchema()
    func watermark(of daemon: DaemonID) async throws -> Watermark?
    func attach(
        daemon: DaemonID, replacing known: Watermark?, fence: Int64, holder: String?, address: String?, hasWaited: Bool
    ) async throws -> JournalPosition
    func claim(daemon: DaemonID, from known: Watermark, fence: Int64) async throws -> Bool
    func hearClaim() async throws -> CounterStore.Claim
    func standing(of daemon: DaemonID) async throws -> Watermark?
    func release() async throws
    func lastAsking() async throws -> Asking
    func settle(_ asking: Asking, owing until: UnixSeconds?) async throws
    func watermark() async throws -> JournalPosition
    func closedUntil(after position: JournalPosition) async throws -> UnixSeconds?
    func flush(_ flush: Flush, now: UnixSeconds) async throws -> FlushOutcome
    func close()
    func close(within length: Duration)
}

extension CounterStore: FlushTarget {}
