internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongJournal
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem

/// Asks PostgreSQL every second whether another process has this one's place or soon will, and renews the ``Lease``.
///
/// While PostgreSQL can't be asked, acknowledging goes on, which is a promise too. But a question that fails, or is not
/// answered, shows PostgreSQL's absence only if this process ran all the while: one that stood still may have missed
/// the answer. Once its lease has run out, it acknowledges nothing until it has asked without standing still.
final class FenceWatch: Service {
    private let journal: Journal
    private let database: DatabaseLink
    private let telemetry: Telemetry
    private let machine: Machine
    private let logger: Logger
    private let onFenced: @Sendable () -> Void
    private let state: Mutex<State>

    private struct State {
        /// The time of the question that is not answered yet; nil if there is none.
        var asked: Duration?
        /// The time since which PostgreSQL has been silent while this process ran.
        var silentSince = Duration.zero
        var lastTick: Duration
        var next = Duration.zero
        /// True if the lease has run out since it was renewed last.
        var isLapsed = false
        /// True if another process has this one's place: there is nothing more to ask.
        var isFenced = false
    }

    private static let interval = Duration.seconds(1)
    /// The silence after which PostgreSQL counts as away.
    ///
    /// It is less than ``Lease/length`` by more than ``interval``. It is more than ``Succession/longestAnswer``, so
    /// that no process takes the place that was answered any sooner.
    private static let patience = Duration.seconds(4)
    /// The longest time between two looks of a process that did not stand still.
    private static let longestTick = Duration.seconds(1)

    init(
        journal: Journal, database: DatabaseLink, telemetry: Telemetry, machine: Machine, logger: Logger,
        onFenced: @escaping @Sendable () -> Void
    ) {
        (self.journal, self.database, self.telemetry, self.machine) = (journal, database, telemetry, machine)
        (self.logger, self.onFenced) = (logger, onFenced)
        state = Mutex(State(lastTick: machine.elapsed()))
    }

    func run() async throws {
        telemetry.rounds.expect(.place)
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isShuttingDownGracefully {
                if tick() { group.addTask { await self.ask() } }
                try await pause(.milliseconds(100))
            }
            group.cancelAll()
        }
    }

    /// Checks, several times a second, whether it is time to ``ask()``, and whether PostgreSQL has been silent for too
    /// long. Returns true if it is time to ask.
    func tick() -> Bool {
        let now = machine.elapsed()
        let (asks, isAway) = state.withLock { state in
            if now - state.lastTick > Self.longestTick { state.silentSince = now }
            state.lastTick = now
            if state.isFenced { return (false, false) }
            guard state.asked == nil else { return (false, now - state.silentSince >= Self.patience) }
            guard now >= state.next || !journal.mayAcknowledge else { return (false, false) }
            (state.asked, state.silentSince, state.next) = (now, now, now + Self.interval)
            return (true, false)
        }
        if !journal.mayAcknowledge { state.withLock { $0.isLapsed = true } }
        if isAway, !Fault.askPatiently.isOn { goOn(from: now, without: nil) }
        return asks
    }

    /// Asks once, and once more if the connection had broken.
    func ask() async {
        defer { state.withLock { $0.asked = nil } }
        for attempt in 1...2 {
            let asked = machine.elapsed()
            do {
                return heed(try await database.hearClaim(), asked: asked)
            } catch StoreError.fenced {
                state.withLock { $0.isFenced = true }
                journal.refuseAll()
                return onFenced()
            } catch PostgresError.connectionLost where attempt == 1 {
                continue
            } catch {
                telemetry.rounds.failed(.place, error)
                let ran = state.withLock {
                    $0.silentSince <= asked && machine.elapsed() - $0.lastTick <= Self.longestTick
                }
                // A process that stood still asks again.
                return ran ? goOn(from: asked, without: error) : telemetry.databaseIsAway()
            }
        }
    }

    private func heed(_ claim: CounterStore.Claim?, asked: Duration) {
        // A process without a place waits for it: nobody else would know of events that it took.
        guard let claim else { return }
        if claim != .nobody, journal.isOpen {
            logger.warning(
                "another process is taking this one's place; what was acknowledged is flushed, then it stops")
            journal.close()
        }
        guard claim != .unheard else { return }
        telemetry.rounds.ended(.place)
        journal.renewLease(from: asked)
        if hasRecovered() {
            logger.notice("this process may have been replaced while it stood still; PostgreSQL says that it was not")
        }
    }

    private func goOn(from instant: Duration, without error: (any Error)?) {
        telemetry.databaseIsAway()
        // Another process waits, and could take the place.
        guard journal.isOpen else { return }
        journal.renewLease(from: instant)
        let facts: Logger.Metadata = ["error": error.map { "\($0)" } ?? "no answer"]
        if hasRecovered() {
            logger.warning(
                "this process may have been replaced while it stood still, and PostgreSQL can't be asked",
                metadata: facts)
        } else {
            logger.debug("PostgreSQL can't say who has this process's place", metadata: facts)
        }
    }

    /// Returns true if the lease had run out and is valid again.
    private func hasRecovered() -> Bool {
        state.withLock { state in
            defer { state.isLapsed = state.isLapsed && !journal.mayAcknowledge }
            return state.isLapsed && journal.mayAcknowledge
        }
    }
}
