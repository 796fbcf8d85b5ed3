internal import ThrongWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Counts what happens in an app as its public plan says, and nothing else.
///
/// ```swift
/// let throng = try await Throng(plan: url, storage: directory)
/// await throng.setConsent(.authorized, for: "product")
/// throng.record("recipe_opened", ["category": "dessert"])
/// ```
///
/// Fields become bucket labels before they are written down or sent. What waits is on the device's disk, without raw
/// values and with times cut to the hour, day, week or month that is counted. Events go out under an identifier for
/// their purpose and window that can't be linked to any other. Nothing but starting it throws, and nothing crashes the
/// app.
public actor Throng {
    // What it is made of.
    let source: PlanSource
    let storage: any ClientStorage
    let transport: any ClientTransport
    let clock: any ClientClock
    var random: RandomSource
    let options: ThrongOptions
    private let executor = DiskExecutor()

    // What it knows.
    var plan: DevicePlan
    var stored: StoredPlan
    var memory: DeviceMemory
    var context: [String: EventValue]
    var signals: Set<OptOutSignal>
    var revealed = RevealedValues()

    // What it is doing.
    nonisolated let inbox = Inbox(limit: 10_000)
    private nonisolated let wakes: AsyncStream<Void>.Continuation
    private var worker: Task<Void, Never>?
    var timer: (due: Int64, task: Task<Void, Never>)?
    /// By purpose, when its next batch is due. Unit: Unix seconds.
    var due: [String: Int64] = [:]
    /// By purpose, the attempt under way.
    var attempts: [String: Task<Attempt, Never>] = [:]
    var isSaved = false
    var isClosed = false
    /// When the daemon is asked for a newer plan. Unit: Unix seconds.
    var nextRefresh: Int64
    /// Grows when everything is forgotten, so that what was under way does not come back.
    var generation = 0

    /// Its own queue: the disk is slow, and the app's tasks must not wait for it.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts with the plan that is stored, or asks the daemon for it, or takes the one that the app bundles.
    ///
    /// - Parameters:
    ///   - url: the daemon's address for the plan: `https://throng.example.org/v1/plan/APP`.
    ///   - directory: a directory of this process alone, which is made where it is missing.
    ///   - options: what an app may choose.
    /// - Throws: ``ThrongError``.
    public init(plan url: URL, storage directory: URL, options: ThrongOptions = ThrongOptions()) async throws {
        try await self.init(plan: url, storage: DirectoryStorage(directory), options: options)
    }

    /// Starts with parts of one's own.
    ///
    /// - Throws: ``ThrongError``.
    public init(
        plan url: URL,
        storage: any ClientStorage,
        transport: any ClientTransport = URLSessionTransport(),
        clock: any ClientClock = SystemClock(),
        random: RandomSource = .system,
        options: ThrongOptions = ThrongOptions()
    ) async throws {
        let source = try PlanSource(url)
        let options = options.checked
        let kept: (plan: DevicePlan, stored: StoredPlan, date: Int64?)
        if let found = Self.storedPlan(in: storage) {
            kept = found
        } else {
            kept = try await Self.firstPlan(
                source, storage: storage, transport: transport, now: Self.now(of: clock), bundled: options.bundledPlan)
        }
        self.source = source
        self.storage = storage
        self.transport = transport
        self.clock = clock
        self.options = options
        plan = kept.plan
        stored = kept.stored
        context = options.context
        signals = options.signals
        var random = random
        memory = try Self.storedMemory(in: storage, random: &random)
        if let date = kept.date { _ = memory.correction.learn(date, at: Self.now(of: clock)) }
        let now = Self.now(of: clock, corrected: memory.correction)
        nextRefresh = max(
            min(kept.stored.unixSeconds, now) + options.planAge, now + .random(in: 1...30, using: &random))
        self.random = random
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakes = continuation
        if options.sendsByItself {
            worker = Task { [weak self] in
                for await _ in stream { await self?.work() }
            }
            continuation.yield()
        }
    }

    deinit {
        wakes.finish()
        worker?.cancel()
        timer?.task.cancel()
    }

    /// A ``Throng`` for an app's own tests: nothing is written to disk, nothing leaves the process, consent is given for
    /// everything, and ``flush()`` brings what was recorded to the sink at once.
    ///
    /// - Parameter plan: the answer of `GET /v1/plan/APP`, such as a file among the app's tests.
    /// - Throws: ``ThrongError`` where the plan can't be followed.
    public static func testing(
        plan: Data, sink: MemorySink, clock: any ClientClock = SystemClock(), context: [String: EventValue] = [:]
    ) async throws -> Throng {
        var options = ThrongOptions(context: context, bundledPlan: plan)
        options.sendsByItself = false
        options.gap = 0
        guard let url = URL(string: "https://throng.invalid/v1/plan/app") else { throw ThrongError.planAddress }
        let throng = try await Throng(
            plan: url, storage: MemoryStorage(), transport: sink, clock: clock, options: options)
        await throng.authorizeAll()
        return throng
    }

    /// Counts an event, if the plan has it and the person allows it.
    ///
    /// Returns at once: what is to be done is done elsewhere. Never throws; ``status`` says what became of events that
    /// the plan does not take.
    ///
    /// - Parameters:
    ///   - event: its name in the plan.
    ///   - fields: what the plan's dimensions and sums read, besides the context.
    public nonisolated func record(_ event: String, _ fields: [String: EventValue] = [:]) {
        inbox.put(Inbox.Record(event: event, fields: fields, unixSeconds: Self.now(of: clock)))
        wakes.yield()
    }

    /// Fields that all further events share. Only what the plan names is used.
    public func setContext(_ context: [String: EventValue]) {
        drain()
        self.context = context
        save()
    }

    /// Writes what was recorded to disk.
    ///
    /// - Returns: whether it is there.
    @discardableResult
    public func save() -> Bool {
        drain()
        return persist()
    }

    /// Stops what runs by itself; what waits stays on disk. To be called before the directory is used again.
    public func close() async {
        save()
        isClosed = true
        wakes.finish()
        worker?.cancel()
        timer?.task.cancel()
        timer = nil
        for attempt in attempts.values { _ = await attempt.value }
    }

    /// Forgets the secret, the queue, the log and everything that was noted; from now on this is another device.
    ///
    /// What the person said about purposes stays, and so does the plan.
    public func reset() {
        _ = inbox.takeAll()
        generation += 1
        let (consents, correction) = (memory.consents, memory.correction)
        let old = memory.log
        memory = DeviceMemory(random: &random)
        memory.consents = consents
        memory.correction = correction
        revealed = RevealedValues()
        due = [:]
        isSaved = false
        persist()
        for place in old { forgetLog(place) }
    }

    // MARK: What runs by itself

    private func work() {
        guard !isClosed else { return }
        drain()
        persist()
        schedule()
    }

    private func authorizeAll() {
        for purpose in plan.purposes { memory.consents[purpose.name] = .authorized }
        isSaved = false
    }

    /// Takes in what was recorded, under the plan, context and consent of this moment.
    func drain() {
        let (records, overflow) = inbox.takeAll()
        hideValues(of: records)
        let circumstances = circumstances
        for record in records.map(hidden).map(corrected) { memory.record(record, in: circumstances, random: &random) }
        if overflow > 0 { memory.drop(.queueFull, overflow) }
        let isAnswered = memory.answer(at: now, in: circumstances, random: &random)
        if !records.isEmpty || overflow > 0 || isAnswered { isSaved = false }
    }

    /// The time, which is the clock's unless that is known to be wrong.
    var now: Int64 { Self.now(of: clock, corrected: memory.correction) }

    /// The last time that calendars know: the year 9999's.
    static let latest: Int64 = 253_402_214_400

    static func now(of clock: any ClientClock, corrected by: ClockCorrection = ClockCorrection()) -> Int64 {
        min(max(min(max(clock.unixSeconds, 0), latest) + by.seconds, 0), latest)
    }

    private func corrected(_ record: Inbox.Record) -> Inbox.Record {
        Inbox.Record(
            event: record.event, fields: record.fields,
            unixSeconds: min(max(record.unixSeconds + memory.correction.seconds, 0), Self.latest))
    }

    var circumstances: DeviceMemory.Circumstances {
        DeviceMemory.Circumstances(
            plan: plan, context: revealed.hidden(context, in: plan), signals: signals, queueLimit: options.queueLimit)
    }

    /// Writes the memory down where it has changed.
    @discardableResult
    func persist() -> Bool {
        guard !isSaved else { return true }
        do {
            try storage.replace(Self.memoryName, with: try JSONEncoder().encode(memory))
            isSaved = true
        } catch {
            // The status says so; it is tried again with the next event.
            isSaved = false
        }
        return isSaved
    }
}
