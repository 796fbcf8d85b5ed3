import Logging
import ThrongIngest
import ThrongPlan
import ThrongStore
import ThrongSystem

@testable import ThrongJournal
@testable import ThrongSchedule
@testable import ThrongServer

/// A daemon's process in a simulated world: the real start, ingestion, journal, flush and schedule, on a virtual machine.
///
/// One thread uses it: that is the proof of `@unchecked Sendable`.
final class VirtualDaemon: @unchecked Sendable {
    enum Phase {
        case starting
        case running
        /// It could not start, and may be started again.
        case failedToStart(any Error)
        case ended
    }

    private(set) var phase = Phase.starting
    let port: DiskPort
    let client: DatabaseClient
    let failure = FailureFlag()
    let plan: Plan
    private let layouts: [MetricLayout]
    private let machine: Machine
    private let clock: UnixClock
    private let trustedClock: MachineClock
    private let executor: StepExecutor
    private let labels: LabelStore
    private let logger: Logger

    private var data: DataDirectory?
    private(set) var ingestion: Ingestion?
    private var flushService: FlushService?
    private var scheduleService: ScheduleService?
    private var fenceWatch: FenceWatch?
    private var checkpoints: CheckpointKeeper?
    /// Learns who counts; nil where no other daemon ever comes.
    private var memberWatch: MemberWatch?
    private var flushProgress = FlushService.Progress()
    private var scheduleProgress = ScheduleService.Progress()
    private var isFlushing = false
    private var isScheduling = false
    private var isLearning = false
    private let succession: Succession
    /// Until then it stands still, by the machine's time that never goes back.
    private var standsUntil = Duration.zero
    /// When the flush takes its next turn, by the machine's time that never goes back.
    private var flushDue = Duration.zero
    private var needsWatermark: Bool
    /// Set where the journal waits for space.
    private(set) var isWaitingForSpace = false

    var isRunning: Bool { if case .running = phase { true } else { false } }
    var isStarting: Bool { if case .starting = phase { true } else { false } }
    private var isStanding: Bool { machine.elapsed() < standsUntil }
    /// Whether it can do anything.
    var isAwake: Bool { isRunning && !isStanding }
    /// Whether it has its place in PostgreSQL, and nobody else wants it.
    var isSettled: Bool { isRunning && failure.error == nil && ingestion?.knownFlushed != nil && client.isSettled }

    init(
        on disk: VirtualDisk, database: VirtualDatabase, time: VirtualClock, executor: StepExecutor, plan: Plan,
        layouts: [MetricLayout], labels: LabelStore, chance: SeededGenerator, succession: Succession,
        needsWatermark: Bool,
        say: (@Sendable (String) -> Void)?
    ) {
        let port = DiskPort(disk)
        let random = Draw(chance)
        self.port = port
        self.plan = plan
        self.layouts = layouts
        self.executor = executor
        self.labels = labels
        self.succession = succession
        self.needsWatermark = needsWatermark
        let client = DatabaseClient(database)
        self.client = client
        port.onEnd = { client.end() }
        machine = Machine(disk: port, time: { time.time($0) }, random: { random.next() }, hasThreads: false)
        clock = UnixClock { time.shown }
        trustedClock = MachineClock(clock, machine: "town") { time.truth.value }
        logger = Logger(label: "simulation") { _ in
            guard let say else { return SwiftLogNoOpLogHandler() }
            return TraceLog(say: say)
        }
        client.isStanding = { [weak self] in self?.isStanding ?? false }
    }

    /// Numbers that a process draws.
    private final class Draw: @unchecked Sendable {
        private var chance: SeededGenerator
        init(_ chance: SeededGenerator) { self.chance = chance }
        func next() -> UInt64 { chance.next() }
    }

    // MARK: Its life

    func start() {
        run { [self] in
            do {
                try await open()
                if port.isAlive { phase = .running }
            } catch {
                let wasAlive = port.isAlive
                // What it held goes with the process.
                end()
                if wasAlive { phase = .failedToStart(error) }
            }
        }
    }

    private func open() async throws {
        let data = try DataDirectory(path: "/data", on: machine)
        self.data = data
        let link = DatabaseLink(
            counters: client, layouts: layouts, terms: [:], data: data, clock: clock, succession: succession,
            prepare: { _ in })
        let telemetry = Telemetry()
        let kept = try KeptFlushes(data)
        let offered = try OfferedMark(data, kept: kept.last)
        var options = DaemonOptions(plans: [plan], dataPath: data.path)
        options.journal = Journal.Options(
            segmentBytes: 4096, capBytes: 256 << 10, queueBytes: 16 << 10, syncInterval: .milliseconds(2),
            recordBytes: 4096, checkpointBytes: 1)
        options.bodiesBytes = 1 << 20
        let opening = IngestionStart(
            data: data, options: options, layouts: layouts, labels: labels, database: link, kept: kept,
            offered: offered, telemetry: telemetry, failure: failure, clock: clock, trustedClock: trustedClock,
            logger: logger,
            neighbours: try Neighbours(
                data, isShared: client.isShared, isReachable: false, authorities: nil, logger: logger))
        let name = DaemonID(data.daemon)
        let (ingestion, unreadable) = try await opening.open(needsWatermark: needsWatermark)
        self.ingestion = ingestion
        checkpoints = CheckpointKeeper(
            ingestion, data: data, options: ingestion.journal.options, health: telemetry.rounds, logger: logger)
        if client.isShared {
            memberWatch = MemberWatch(
                neighbours: ingestion.neighbours, store: client, daemon: name,
                isAttached: { link.isAttached }, windows: { ingestion.keys.windows }, clock: clock, logger: logger)
        }
        let standing = FlushStanding()
        flushService = FlushService(
            ingestion: ingestion, database: link, kept: kept, offered: offered, unreadable: unreadable,
            first: ingestion.position, standing: standing, telemetry: telemetry, clock: clock, interval: .seconds(1),
            longestInterval: .seconds(30), machine: machine, logger: logger,
            membership: { [client] in try await client.membership(of: name, heard: 0) }
        ) { [failure] in failure.raise($0) }
        let guarded = ClockGuard(clock: trustedClock, store: client, health: telemetry.schedule, logger: logger)
        if ingestion.knownFlushed != nil { _ = await guarded.believed() }
        scheduleService = ScheduleService(
            plans: [plan], releases: client, reports: client, calendar: client, retention: client,
            standing: standing, guarded: guarded,
            settlement: Settlement(client) { [weak self] _ in try await self?.flushForRelease() },
            health: telemetry.schedule,
            clock: clock, interval: .seconds(60), logger: logger)
        fenceWatch = FenceWatch(
            journal: ingestion.journal, database: link, telemetry: telemetry, machine: machine, logger: logger
        ) { [failure] in
            failure.raise(.fenced(pending: 0))
        }
    }

    /// Takes the process away at once.
    func end() {
        if case .ended = phase { return }
        phase = .ended
        port.end()
        // Whoever waits is told something, which nobody hears any more.
        ingestion?.journal.refuseAll()
    }

    /// Ends it where it has said that it has to.
    func endIfFailed() -> DaemonError? {
        guard port.isAlive, let error = failure.error else { return nil }
        end()
        return error
    }

    private func run(_ work: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await work() }
        executor.drain()
    }

    // MARK: Its turns

    /// Lets it stand still: other processes go on.
    func stand(for length: Duration) { standsUntil = machine.elapsed() + length }

    /// A turn of the journal's thread. One that is idle may wake at any time, and writes its mark then; one that waits for
    /// space waits for as long as it chose to.
    func write() {
        guard isAwake, let journal = ingestion?.journal, !isWaitingForSpace || journal.isRested else { return }
        isWaitingForSpace = journal.turn() == .full
        executor.drain()
    }

    /// A turn of what writes checkpoints.
    func writeCheckpoint() {
        guard isAwake else { return }
        checkpoints?.turn()
        executor.drain()
    }

    func flush() {
        guard isAwake, !isFlushing, let flushService, let ingestion else { return }
        isFlushing = true
        run { [self] in
            var progress = flushProgress
            var rest = Duration.zero
            if ingestion.journal.isOpen {
                rest = await flushService.round(&progress)
            } else {
                _ = await flushService.handOver(&progress)
            }
            flushProgress = progress
            flushDue = machine.elapsed() + rest
            isFlushing = false
        }
    }

    /// What goes on while a release waits for the flush.
    private func flushForRelease() async throws {
        guard isAwake, !isFlushing, let flushService else { throw CancellationError() }
        isFlushing = true
        var progress = flushProgress
        let rest = await flushService.round(&progress)
        flushProgress = progress
        flushDue = machine.elapsed() + rest
        isFlushing = false
    }

    func flushIfDue() { if machine.elapsed() >= flushDue || ingestion?.journal.isOpen == false { flush() } }

    func schedule() {
        guard isAwake, !isScheduling, let scheduleService else { return }
        isScheduling = true
        run { [self] in
            var progress = scheduleProgress
            _ = await scheduleService.round(&progress)
            scheduleProgress = progress
            isScheduling = false
        }
    }

    func watchFence() {
        guard isAwake, let fenceWatch, fenceWatch.tick() else { return }
        run { await fenceWatch.ask() }
    }

    /// Learns who counts.
    func watchMembers() {
        guard isAwake, !isLearning, let memberWatch else { return }
        isLearning = true
        run { [self] in
            do { try await memberWatch.look() } catch { logger.debug("nobody says who counts") }
            isLearning = false
        }
    }

    /// Stops in order: flushes, says that it stops, writes what is left, and ends.
    func stop() {
        guard isRunning, let ingestion else { return }
        write()
        if isAwake, !isFlushing, let flushService {
            isFlushing = true
            run { [self] in
                var progress = flushProgress
                await flushService.finish(&progress)
                isFlushing = false
            }
            // Windows that ended just now are to be written before they are flushed.
            for _ in 0..<8 where isFlushing { write() }
        }
        ingestion.journal.stop()
        for _ in 0..<8 where ingestion.journal.step() != .over { executor.drain() }
        executor.drain()
        data?.unlock()
        end()
    }
}
