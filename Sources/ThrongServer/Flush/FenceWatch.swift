internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongIngest
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
            do { return heed(try await database.hearClaim(), asked: asked) } catch StoreError.fenced {
                state.withLock { $0.isFenced = true }
                journal.refuseAll()
                return onFenced()
            } catch PostgresError.connectionLost where attempt == 1 { continue } catch {
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

/// A process on its way to a place in PostgreSQL that another one may still hold.
///
/// The holder of the place acknowledges by a ``Lease``, which counts from before PostgreSQL said that nobody waits. So
/// it acknowledges nothing later than ``Lease/length`` after the announcement. The newcomer announces itself and waits
/// for longer than that. The difference covers the moment between the look at the lease and the answer to the client,
/// and gives the holder time to hear of the announcement.
///
/// A holder that has heard of it says so again and again, which makes the newcomer wait anew. It takes no more, flushes
/// what it has acknowledged, and gives its place back. Nobody waits for one that did, or is gone.
final class Succession: Sendable {
    /// The wait before the place is taken from a holder that was not heard, from the announcement or the last sign of
    /// life after it. If PostgreSQL is slow, the holder needs more: ``answersToHear`` answers are waited for, too.
    static let wait = Duration.seconds(20)

    /// The answers of PostgreSQL that the wait allows for: enough to reconnect and ask, twice.
    static let answersToHear = 10

    /// The wait for a holder that has heard, has something to flush, and stands still or can't reach PostgreSQL.
    static let longWait = Duration.seconds(60)

    /// The most that the time between two answers of PostgreSQL adds to the wait.
    static let longestStep = Duration.seconds(3)

    /// The longest answer of PostgreSQL that counts. After a longer one the wait begins anew: the holder may take
    /// PostgreSQL to be away, and does not hear.
    static let longestAnswer = Duration.seconds(3)

    private struct Announcement {
        let fence: Int64
        /// The position up to which the holder has flushed.
        var position: JournalPosition
        var isHeard = false
        var waited = Duration.zero
        /// The longest time that PostgreSQL took to answer meanwhile.
        var slowest = Duration.zero
        /// The time of PostgreSQL's last answer. Unit: see ``Machine/elapsed()``.
        var last: Duration
    }

    private let announced = Mutex<Announcement?>(nil)

    /// The fence under which this process has announced itself; nil if it has not.
    var fence: Int64? { announced.withLock { $0?.fence } }

    /// Returns true if no holder of the place can acknowledge anything any more. The same lock proves that the earlier holder is gone.
    static func isVacant(_ known: Watermark, holder: String?) -> Bool {
        known.holder == nil || known.holder == holder || Fault.takeWithoutLease.isOn
    }

    /// Forgets the announcement, as the place was taken.
    func end() { announced.withLock { $0 = nil } }

    /// Begins the wait anew, as PostgreSQL did not answer, or the holder was heard of.
    func interrupt() {
        announced.withLock { announced in
            announced?.waited = .zero
            announced?.slowest = .zero
        }
    }

    /// Notes an announcement over what PostgreSQL knew before, which can't be made while the holder flushes; returns
    /// true once this process has waited for long enough. The time of the answer is ``Machine/elapsed()``.
    func announce(_ fence: Int64, over known: Watermark, isMade: Bool, answer: Duration, now: Duration) -> Bool {
        announced.withLock { announced in
            guard var mine = announced, mine.fence == fence else {
                announced = Announcement(fence: fence, position: known.position, last: now)
                return false
            }
            defer { announced = mine }
            let isHeard = known.claim == -fence
            let isQuiet = isMade && known.claim == fence && known.position == mine.position
            if isQuiet, answer <= Self.longestAnswer {
                mine.waited += min(now - mine.last, Self.longestStep)
                mine.slowest = max(mine.slowest, answer)
            } else {
                (mine.waited, mine.slowest) = (.zero, .zero)
            }
            (mine.position, mine.last, mine.isHeard) = (known.position, now, mine.isHeard || isHeard)
            return mine.waited >= (mine.isHeard ? Self.longWait : Self.wait) + mine.slowest * Self.answersToHear
        }
    }
}
