import Logging
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest
@testable import ThrongJournal
@testable import ThrongServer
@testable import ThrongStore

/// A daemon, its disk, its clock, its PostgreSQL and its clients: performs the steps of a history one after another.
///
/// One thread uses it: that is the proof of `@unchecked Sendable`.
final class World: @unchecked Sendable {
    let plan: Plan
    let layouts: [MetricLayout]
    let clock: VirtualClock
    var disk: VirtualDisk
    let database: VirtualDatabase
    let executor = StepExecutor()
    var daemon: VirtualDaemon
    /// Waits for the daemon's place, on a copy of its data directory.
    var rival: Rival?
    /// Whose place was taken, as long as it does not know it.
    var former: VirtualDaemon?
    /// Which copy the daemon runs on, and how many were made.
    var line = 0
    var lines = 0
    var oracle = Oracle()
    var trace: Trace
    var violation: Violation?
    private let labels: LabelStore
    /// How long processes had turns. Unit: the machine's time that never goes back.
    private var attended = Duration.zero
    /// When there was no space on the disk last, by ``attended``.
    private var short = Duration.zero
    /// Who waits for an answer, by post: since when.
    private var unanswered: [Int: Duration] = [:]
    /// The latest time that the machine's clock has shown.
    private(set) var latestShown = UnixSeconds.min
    /// When the disk was too full last to keep what is flushed, if it was.
    private var fullAt = UnixSeconds.min
    /// Clocks were wrong: what a release or retention may do differs.
    private var starts: UInt64 = 0
    /// Those that went on from a checkpoint, but for the last.
    private(set) var restored = 0
    private var needsWatermark = false
    private var isRestored = false
    /// Whether a start may refuse the journal.
    private(set) var isDamaged = false
    /// Whether it did: a person has to help.
    private(set) var isGivenUp = false
    /// When a process that stands still again and again does so next; nil where it does not.
    var stutter: (next: Duration, chance: SeededGenerator)?
    /// Whether the daemon has to count what comes, whatever PostgreSQL does: it knows who counts, and told nobody else that it stops.
    var countsOn = false
    /// Whether it told others that it stops.
    var hasToldOthers = false
    /// Whether any did: then time passes in small steps, and clients may wait.
    var hasStuttered = false

    static let capacity = 1 << 20

    /// - Parameter isShared: whether other daemons may come into the database.
    init(plan: Plan, layouts: [MetricLayout], labels: LabelStore, isShared: Bool, isTraced: Bool) {
        self.plan = plan
        self.layouts = layouts
        self.labels = labels
        trace = Trace(isKept: isTraced)
        clock = VirtualClock(start: Town.start)
        disk = VirtualDisk(SeededGenerator(seed: 1))
        disk.capacity = Self.capacity
        database = VirtualDatabase(clock)
        database.hasOthers = isShared ? false : nil
        database.layouts = Dictionary(layouts.map { ($0.metric, $0) }, uniquingKeysWith: { first, _ in first })
        daemon = VirtualDaemon(
            on: disk, database: database, time: clock, executor: executor, plan: plan, layouts: layouts, labels: labels,
            chance: SeededGenerator(seed: 2), succession: Succession(), needsWatermark: false, say: nil)
        database.onCommit = { [weak self] query, isApplied in
            self?.trace.say("    \(isApplied ? "" : "not ")committed: \(query)")
        }
        database.onRelease = { [weak self] period, end in self?.wasReleased(period, end) }
        database.onExpiry = { [weak self] period, end in self?.wasDeleted(period, end) }
        daemon.start()
    }

    private var say: (@Sendable (String) -> Void)? {
        guard trace.isKept else { return nil }
        return { [weak self] line in self?.trace.say(line) }
    }

    // MARK: Steps

    func perform(_ action: Action) {
        trace.measure(Int64(Action.Kind.allCases.firstIndex(of: action.kind) ?? 0), Int64(clamping: action.number))
        trace.say("\(action)")
        noteTimes()
        if isContested, Self.endsProcesses.contains(action.kind) { return }
        var chance = SeededGenerator(seed: action.number)
        switch action.kind {
        case .post: post(&chance)
        case .again: again(&chance)
        case .withdraw: withdraw(&chance)
        case .write: daemon.write()
        case .flush: daemon.flush()
        case .checkpoint: daemon.writeCheckpoint()
        case .schedule: daemon.schedule()
        case .moment: pass(.milliseconds(1 + chance.below(500)))
        case .seconds: pass(.seconds(1 + chance.below(20)))
        case .minutes: pass(.seconds(60 * (1 + chance.below(30))))
        case .hours: pass(.seconds(3600 * (1 + chance.below(12))))
        case .crowd:
            for _ in 0..<24 {
                post(&chance)
                pass(.seconds(900))
            }
        case .giant: post(&chance, refused: chance.below(2000), spread: 1 + chance.below(Town.cells))
        case .damage: damage(&chance)
        case .freeze:
            if rival != nil || former != nil {
                standOne(&chance)
            } else {
                let length = Duration.milliseconds(100 + chance.below(8000))
                clock.pass(length, noticed: length)
            }
        case .copy: copy(&chance)
        case .stutter:
            stutter = (next: clock.elapsed, chance: chance)
            hasStuttered = true
        case .steady: stutter = nil
        case .databaseSlow: database.latency = .milliseconds(400 + chance.below(chance.oneIn(4) ? 2600 : 600))
        case .databaseQuick: database.latency = .zero
        case .cut: (former ?? daemon).client.cut()
        case .clockWrong:
            let steps: [Int64] = [7, 300, 1200, 2400, 7200, 86_400, 730 * 86_400]
            clock.set(error: steps[chance.below(steps.count)] * (chance.oneIn(2) ? 1 : -1))
        case .clockRight: clock.set(error: 0)
        case .kill: end(.killed, &chance)
        case .powerLoss: end(.powerLost, &chance)
        case .stop: stop()
        case .start: startIfDead()
        case .syncFails: disk.failingSync = 1 + chance.below(12)
        case .diskFills: disk.capacity = disk.used + chance.below(chance.oneIn(2) ? 100 : 2000)
        case .diskHasSpace: disk.capacity = Self.capacity
        case .databaseAway: database.set(.away)
        case .databaseHangs: database.set(.hung)
        case .databaseBack: database.set(.up)
        case .others: database.hasOthers = true
        case .alone: database.hasOthers = false
        case .commitLost: database.loss = .before
        case .answerLost: database.loss = .after
        case .backup: database.backUp()
        case .restore: restore(&chance)
        }
        executor.drain()
        bury(&chance)
        attend()
        noteState()
    }

    /// What happens every second by itself, beside the journal and the flush.
    func attend() {
        daemon.watchFence()
        daemon.watchMembers()
        attendCopies()
        noteMembers()
        if let error = daemon.endIfFailed() { trace.say("  the daemon ends: \(error)") }
    }

    private func noteTimes() {
        latestShown = max(latestShown, clock.shown)
        if disk.capacity < Self.capacity { fullAt = clock.truth + 1 }
    }

    func noteState() {
        noteTimes()
        trace.measure(
            clock.truth.value, Int64(disk.used), Int64(oracle.acknowledged), daemon.isRunning ? 1 : 0,
            Int64(daemon.ingestion?.position.value ?? 0), Int64(daemon.ingestion?.flushed.value ?? 0))
        if case .failedToStart(let error) = daemon.phase { judge(startError: error) }
        checkAnswers()
    }

    /// Where there is space, clients are answered within seconds, whatever PostgreSQL does.
    private func checkAnswers() {
        if !daemon.isAwake { unanswered = [:] }
        if !daemon.isAwake || disk.capacity < Self.capacity { short = attended }
        if hasStuttered { return }
        let since = unanswered.values.min() ?? (daemon.isWaitingForSpace ? short : attended)
        let waited = attended - max(since, short)
        if waited > .seconds(20) { fail(.readiness, "for \(waited) clients wait, or the disk's space does") }
    }

    func pass(_ length: Duration) {
        let noticed = min(length / 4, .milliseconds(2500))
        let step = Duration.milliseconds(hasStuttered ? 100 : 500)
        let steps = max(1, Int((noticed / step).rounded(.up)))
        for _ in 0..<4 {
            for place in 1...steps {
                attendStutter()
                clock.pass(length / (4 * steps), noticed: noticed / steps)
                attended += noticed / steps
                database.wake()
                executor.drain()
                if hasStuttered || place == steps { takeTurns() } else { watchFences() }
            }
        }
    }

    private func takeTurns() {
        daemon.write()
        daemon.flushIfDue()
        executor.drain()
        attend()
    }

    private func watchFences() {
        daemon.watchFence()
        former?.watchFence()
    }

    /// Once a history: flushes that are made again are not kept longer for it. To no time before the disk was full: what
    /// could not be kept then, only a person can look for.
    private func restore(_ chance: inout SeededGenerator) {
        guard !isRestored else { return }
        isRestored = database.restore(since: max(clock.truth - 1800, fullAt), &chance)
    }

    /// Ends the process at once, or at one of its next calls.
    private func end(_ end: VirtualDisk.End, _ chance: inout SeededGenerator) {
        if chance.oneIn(3) { disk.ended = end } else { disk.dying = (1 + chance.below(40), end) }
    }

    /// Cuts off a part of a segment that was synced long ago. A start may refuse it, and may not pass it over.
    private func damage(_ chance: inout SeededGenerator) {
        let segments = disk.names.keys.filter { $0.hasSuffix(".journal") }.sorted().dropLast()
        guard !segments.isEmpty else { return }
        let path = segments[segments.startIndex + chance.below(segments.count)]
        guard let file = disk.names[path], file.live.count > 400 else { return }
        disk.truncate(file, to: 300 + chance.below(file.live.count - 300))
        disk.syncAnyway(file)
        isDamaged = true
    }

    /// Takes away the process whose end has come.
    private func bury(_ chance: inout SeededGenerator) {
        guard let end = disk.ended else { return }
        disk.ended = nil
        daemon.end()
        executor.drain()
        trace.note(end == .killed ? "killed" : "without power")
        guard end == .powerLost else { return }
        disk.chance = SeededGenerator(seed: chance.next())
        disk.losePower()
    }

    func startIfDead() {
        if case .starting = daemon.phase { return }
        guard !daemon.isRunning, !isGivenUp, !isContested else { return }
        if let former = daemon.ingestion, former.restored > .start { restored += 1 }
        daemon = makeDaemon(on: disk, succession: Succession(), needsWatermark: needsWatermark)
        daemon.start()
    }

    func makeDaemon(on disk: VirtualDisk, succession: Succession, needsWatermark: Bool) -> VirtualDaemon {
        starts += 1
        return VirtualDaemon(
            on: disk, database: database, time: clock, executor: executor, plan: plan, layouts: layouts, labels: labels,
            chance: SeededGenerator(seed: starts &* 7919), succession: succession, needsWatermark: needsWatermark,
            say: say)
    }

    /// Some starts wait or are tried again; one that no waiting helps is a broken promise.
    private func judge(startError error: any Error) {
        needsWatermark = false
        if case DaemonError.watermarkNeeded = error { needsWatermark = true }
        if isPassing(error) { return }
        if error is JournalError, isDamaged { return isGivenUp = true }
        trace.say("  the start is refused: \(error)")
        fail(.startRefused, "\(error)")
    }

    /// Whether another start may go on where this error kept one from it.
    func isPassing(_ error: any Error) -> Bool {
        switch error {
        case DaemonError.watermarkNeeded: true
        case DaemonError.succeeding: isContested
        // Its process went before it had started.
        case PostgresError.closed: true
        case let error as JournalError where error.isWantOfSpace || error.isFailedSync: true
        case JournalError.system(_, _, let code) where code == 5: true
        case StoreError.fenced: true
        default: false
        }
    }

    func fail(_ promise: Violation.Promise, _ detail: @autoclosure () -> String) {
        violation = violation ?? Violation(promise: promise, detail: detail())
    }

    // MARK: Clients

    func post(_ chance: inout SeededGenerator, refused: Int = 0, spread: Int = 1) {
        let place = chance.below(Town.visits.count)
        let layout = layouts.first { $0.metric == Town.visits[place] }
        guard let layout else { return }
        let truth = clock.truth
        let number = oracle.posts.count
        let isLate = former != nil && chance.oneIn(2)
        let post = Post(
            number: number, place: place, cell: number % Town.cells,
            who: chance.below(6) + 6 * (isLate ? line - 1 : line),
            window: WindowID(
                app: layout.app, purpose: layout.purpose, rotation: layout.rotation,
                number: layout.rotation.window(at: truth)),
            periodStart: PeriodCalendar.utc.period(layout.period, containing: truth).start, at: truth,
            spread: spread, refused: refused, line: isLate ? line - 1 : line)
        oracle.add(post)
        send(post, isLate: isLate)
    }

    private func again(_ chance: inout SeededGenerator) {
        let recent = oracle.posts.suffix(40)
        guard !recent.isEmpty else { return }
        let isLate = former != nil && chance.oneIn(2)
        send(recent[recent.startIndex + chance.below(recent.count)], isLate: isLate)
    }

    /// Sends a batch and notes what its client is told.
    ///
    /// - Parameter isLate: whether it goes to a process whose place was taken.
    func send(_ post: Post, isLate: Bool) {
        guard let daemon = isLate ? former : daemon, daemon.isAwake, let ingestion = daemon.ingestion else { return }
        // What the reader of bodies looks at before anything is counted.
        let now = clock.shown
        let current = post.window.rotation.window(at: now).value
        guard (current - 1...current + 1).contains(post.window.number.value),
            (now - IntakeLimits.oldestEvent...now + IntakeLimits.newestEvent).contains(post.at)
        else { return }
        guard isPlaced(post, at: ingestion),
            oracle.sends(post.number, to: isLate ? line - 1 : line, of: lines)
        else { return }
        let identifier = post.sender.identifier
        let incoming = IncomingBatch(
            bucketed: post.bucketed(layouts), identifier: identifier.withUnsafeBufferPointer { RawIdentifier($0) },
            isBackend: false, floorPerNetwork: nil, proof: nil, candidates: [], details: [:], isBot: false)
        do {
            switch try ingestion.take(incoming) {
            case .counted(let answer, _, let position):
                if answer.accepted > 0 {
                    if let broken = oracle.checkCounted(post.number) { violation = violation ?? broken }
                    oracle.mayCount(post.number)
                }
                trace.note("counted", Int64(position.value), Int64(answer.accepted))
                if !isLate { unanswered[post.number] = attended }
                ingestion.journal.acknowledgeable(position) { [weak self] result in
                    self?.unanswered[post.number] = nil
                    guard let self, daemon.port.isAlive, case .success = result, answer.accepted > 0 else { return }
                    self.oracle.counts(post.number)
                    self.trace.note("acknowledged", Int64(post.number))
                }
            case .unavailable(.failed): oracle.mayCount(post.number)
            case .unwanted, .elsewhere, .later, .unavailable: trace.note("turned away")
            }
        } catch {
            trace.note("refused")
        }
        executor.drain()
    }

    // MARK: What the database tells

    private func wasReleased(_ period: DatabaseState.MetricPeriod, _ end: UnixSeconds) {
        trace.note("released", period.start.value)
        if clock.truth < end { fail(.releasedEarly, "\(period.metric) \(period.start), \(end - clock.truth) s early") }
    }

    private func wasDeleted(_ period: DatabaseState.MetricPeriod, _ end: UnixSeconds) {
        trace.note("deleted", period.start.value)
        // A clock that is wrong by less than an hour is believed.
        let due = end + 30 * 86_400 - 3600
        if clock.truth < due { fail(.deletedEarly, "\(period.metric) \(period.start), \(due - clock.truth) s early") }
    }
}
