public import Foundation
internal import ThrongWire

/// Counts what happens in an app as its public plan says, and nothing else.
///
/// ```swift
/// let throng = try await Throng(plan: url, storage: directory)
/// try await throng.setConsent(.authorized, for: "product")
/// throng.record("recipe_opened", ["category": "dessert"])
/// ```
///
/// Fields become bucket labels before they are written down or sent. Events wait on the device's disk, without raw
/// values and with times cut to the hour, day, week or month that is counted. They go out under an identifier for their
/// purpose and window that can't be linked to any other. Nothing throws but starting it, asking for its plan, and
/// saying what a person allows if that can't be kept; and nothing crashes the app.
public actor Throng {
    // The parts that it is made of.
    let source: PlanSource
    let storage: AppStorage
    let transport: any ClientTransport
    let clock: any ClientClock
    var random: RandomSource
    let options: ThrongOptions
    private let executor = DiskExecutor()
    /// Tells it apart from others that share the storage.
    let process = UInt64.random(in: .min ... .max)

    // The state that it keeps.
    /// Nil until the first one has come.
    var plan: DevicePlan?
    var stored: StoredPlan
    var planProblem: ThrongError?
    var consents: Consents
    var memory: DeviceMemory
    /// The records that no plan has an answer for yet.
    var held: [HeldRecord] = []
    var context: [String: EventValue]
    var signals: Set<OptOutSignal>
    /// True if the app said since the start, or at it, that the person is grown up.
    var isGrownUp: Bool
    /// True if the app said since that the person is not grown up.
    var isChild = false
    var revealed: RevealedValues
    /// The instant from which the evaluator may be asked again, after it gave no answer that holds.
    var nextEvaluation = UnixSeconds.epoch

    /// The key that requests are sealed with; asked for anew after a start.
    var relayedKey: RelayedKey?

    // The work under way.
    nonisolated let inbox = Inbox(limit: 10_000)
    private nonisolated let wakes: AsyncStream<Void>.Continuation
    private var worker: Task<Void, Never>?
    var timer: (due: UnixSeconds, task: Task<Void, Never>)?
    /// The time when credentials are asked for next; nil if it is not known yet.
    var nextRenewal: UnixSeconds?
    /// The time when the next batch is due, by purpose.
    var due: [String: UnixSeconds] = [:]
    /// The attempts under way, by purpose or by the name of what else is sent.
    var attempts: [String: Task<Attempt, Never>] = [:]
    private var saver: Task<Void, Never>?
    var isSaved = false
    var isConsentSaved = true
    /// True if nobody else reads or writes now; never if nobody shares the storage.
    var isInTurn = false
    /// True if nothing new begins.
    var isClosed = false
    /// True if nothing is written any more.
    var isShut = false
    /// True if events that the plan does not have are held until the daemon was asked for a newer one.
    var asksForEvents = false
    /// The instant from which it may be asked again because of such events.
    var nextAsking = UnixSeconds.epoch
    /// True if the plan is a bundled one that took the place of one of the daemon's.
    var isUnconfirmed: Bool
    /// Failures in a row to get a plan.
    var planFailures = 0
    /// The time when the daemon is asked for a newer plan.
    var nextRefresh: UnixSeconds
    /// Grows when everything is forgotten, so that what was under way does not come back.
    var generation = 0

    /// Its own queue: the disk is slow, and the app's tasks must not wait for it.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts with the plan that is stored, or with the one that the app bundles if that is newer; without waiting for
    /// the network. Until there is one, records wait in memory for the daemon to give it: see ``loadPlan()``.
    ///
    /// - Parameters:
    ///   - url: the daemon's address for the plan: `https://throng.example.org/v1/plan/APP`.
    ///   - directory: a directory of this process alone, which is made where it is missing. Several processes share one by
    ///     a ``DirectoryStorage`` of their own making.
    ///   - options: what an app may choose.
    /// - Throws: ``ThrongError``.
    public init(plan url: URL, storage directory: URL, options: ThrongOptions = ThrongOptions()) async throws {
        try await self.init(plan: url, storage: DirectoryStorage(directory), options: options)
    }

    /// Starts with parts of one's own.
    ///
    /// - Throws: ``ThrongError``.
    public init(
        plan url: URL, storage: any ClientStorage, transport: any ClientTransport = URLSessionTransport(),
        clock: any ClientClock = SystemClock(), random: RandomSource = .system, options: ThrongOptions = ThrongOptions()
    ) async throws {
        let source = try PlanSource(url)
        let options = options.checked
        let storage = try AppStorage(storage, app: source.app)
        var random = random
        if storage.isShared { _ = try storage.beginTurn() }
        defer { storage.endTurn() }
        let start = try Start(source, storage: storage, bundled: options.bundledPlan, isTest: options.isTest)
        (self.source, self.storage, self.transport, self.clock) = (source, storage, transport, clock)
        self.options = options
        revealed = RevealedValues(evaluator: options.evaluatorKey)
        plan = start.plan
        stored = start.stored
        isUnconfirmed = start.isUnconfirmed
        consents = start.consents
        context = options.context
        signals = options.signals
        isGrownUp = options.isGrownUp
        memory = start.memory
        if let plan = start.plan, let old = start.former {
            memory.follow(plan, after: old, queueLimit: options.queueLimit)
        }
        let now = Self.now(of: clock, corrected: memory.correction)
        nextRefresh =
            plan == nil || start.isUnconfirmed
            ? now : max(min(start.stored.unixSeconds, now) + options.planAge, now + .random(in: 1...30, using: &random))
        self.random = random
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakes = continuation
        if options.sendsByItself {
            worker = Task { [weak self] in for await _ in stream { await self?.work() } }
            continuation.yield()
        }
        for notice in start.notices { options.notice?(notice) }
        // Events that were refused as the app ended may still wait.
        dropRefused()
        if storage.isShared { executor.takeTurns(self) }
    }

    deinit {
        wakes.finish()
        worker?.cancel()
        saver?.cancel()
        timer?.task.cancel()
    }

    /// A ``Throng`` for an app's own tests: nothing is written to disk, nothing leaves the process, consent is given for
    /// everything, and ``flush()`` brings what was recorded to the sink at once.
    ///
    /// - Parameter plan: the answer of `GET /v1/plan/APP`, such as a file among the app's tests.
    /// - Throws: ``ThrongError`` if the plan can't be followed.
    public static func testing(
        plan: Data, sink: MemorySink, clock: any ClientClock = SystemClock(),
        context: [String: any EventValueConvertible] = [:]
    ) async throws -> Throng {
        let app = try PlanSource.read(plan).published.app
        var options = ThrongOptions(context: context, bundledPlan: plan)
        options.sendsByItself = false
        options.gap = 0
        guard let url = URL(string: "https://throng.invalid/v1/plan/\(app)") else { throw ThrongError.planAddress }
        let throng = try await Throng(
            plan: url, storage: MemoryStorage(), transport: sink, clock: clock, options: options)
        await throng.authorizeAll()
        return throng
    }

    /// Counts an event, if the plan has it and the person allows it.
    ///
    /// Returns at once: what is to be done is done elsewhere. Never throws; ``ThrongOptions/notice`` and ``status`` say
    /// what became of events that the plan does not take.
    ///
    /// - Parameters:
    ///   - event: its name in the plan.
    ///   - fields: what the plan's dimensions and sums read, besides the context.
    public nonisolated func record(_ event: String, _ fields: [String: any EventValueConvertible] = [:]) {
        let values = fields.mapValues(\.eventValue)
        inbox.put(Inbox.Record(event: event, fields: values, unixSeconds: Self.now(of: clock)))
        wakes.yield()
    }

    /// Fields that all further events share. Only what the plan names is used.
    public func setContext(_ context: [String: any EventValueConvertible]) {
        drain()
        self.context = context.mapValues(\.eventValue)
        save()
    }

    /// Writes what was recorded to disk.
    ///
    /// - Returns: whether it is there.
    @discardableResult public func save() -> Bool {
        drain()
        return persist()
    }

    /// Stops everything that runs by itself; what waits stays on disk, but what waits for a plan is dropped. Afterwards
    /// another ``Throng`` may use the directory.
    public func close() async {
        isClosed = true
        wakes.finish()
        worker?.cancel()
        saver?.cancel()
        timer?.task.cancel()
        timer = nil
        for attempt in attempts.values { _ = await attempt.value }
        drain()
        for each in held { memory.drop(plan == nil ? .noPlan : .unknownEvent, event: each.record.event) }
        held = []
        persistChanges()
        isShut = true
        storage.close()
    }

    /// Forgets the secret, the queue, the log and everything that was noted; from now on this is another device. The
    /// daemon is asked to take back what the former one sent in windows that are open.
    ///
    /// The person's answers about purposes stay, and so does the plan.
    public func reset() {
        _ = inbox.takeAll()
        held = []
        generation += 1
        let correction = memory.correction
        let old = memory.log
        for purpose in memory.takingBack.purposes.union(memory.outstanding.keys).sorted() { takeBack(purpose) }
        let takingBack = memory.takingBack.handedOver()
        memory = DeviceMemory(address: source.memoryAddress(isTest: options.isTest))
        memory.takingBack = takingBack
        memory.correction = correction
        revealed = RevealedValues(evaluator: options.evaluatorKey)
        due = [:]
        persistChanges()
        for place in old { forgetLog(place) }
    }

    // MARK: What runs by itself

    private func work() {
        guard !isClosed else { return }
        // A turn ends with everything written, so records are taken in together there, too.
        if !storage.isShared { drain() }
        saveSoon()
        schedule()
    }

    /// Writes down what was recorded a second later, together with what is recorded until then.
    private func saveSoon() {
        guard !isSaved || storage.isShared, saver == nil else { return }
        let clock = clock
        saver = Task { [weak self] in
            do { try await clock.sleep(seconds: 1) } catch { return }
            await self?.saveNow()
        }
    }

    private func saveNow() {
        saver = nil
        save()
        if storage.isShared { schedule() }
    }

    private func authorizeAll() {
        isGrownUp = true
        for purpose in plan?.purposes ?? [] {
            consents.take(
                purpose.needsParent(permissions.signals) ? .authorizedByParent : .authorized, for: purpose.name,
                version: purpose.consentVersion)
        }
        // The sink has no newer plan.
        nextAsking = .max
    }

    /// The time, which is the clock's unless that is known to be wrong.
    var now: UnixSeconds { Self.now(of: clock, corrected: memory.correction) }

    static func now(of clock: any ClientClock, corrected by: ClockCorrection = ClockCorrection()) -> UnixSeconds {
        by.applied(to: UnixSeconds(clock.unixSeconds))
    }

    /// Writes down that something has changed.
    @discardableResult func persistChanges() -> Bool {
        isSaved = false
        return persist()
    }

    /// Writes down what has changed.
    @discardableResult func persist() -> Bool {
        announce()
        guard !isShut else { return isSaved }
        keepConsents()
        guard !isSaved else { return true }
        do {
            try storage.replace(AppStorage.memoryName, with: try JSONEncoder().encode(memory))
            isSaved = true
        } catch {
            // The status says so; it is tried again with the next event.
            isSaved = false
        }
        return isSaved
    }

    /// Takes in what was recorded, under the plan, context and consent of this moment.
    func drain() {
        guard !storage.isShared || isInTurn else { return }
        let (records, overflow) = inbox.takeAll()
        let permissions = permissions
        take(records.map { HeldRecord(record: $0, permissions: permissions, context: context) })
        memory.drop(.queueFull, overflow)
        var isAnswered = false
        if let plan {
            let circumstances = circumstances(plan, [permissions], context)
            isAnswered = memory.answer(at: now, in: circumstances, random: &random)
        }
        if !records.isEmpty || overflow > 0 || isAnswered { isSaved = false }
        announce()
    }

    /// Queues events, or holds those that only a newer plan may know until the daemon was asked for it.
    private func take(_ records: [HeldRecord], asks: Bool = true) {
        guard !records.isEmpty else { return }
        guard let plan else { return records.forEach(hold) }
        hideValues(of: records.map(\.record))
        for each in records {
            revealed.remember(each.context, in: plan)
            if asks, asksForEvents || nextAsking <= now, !plan.knows(each.record) {
                if !asksForEvents { nextRefresh = min(nextRefresh, now) }
                asksForEvents = true
                hold(each)
                continue
            }
            memory.record(
                corrected(hidden(each.record, in: plan)),
                in: circumstances(plan, [each.permissions, permissions], each.context), random: &random)
        }
    }

    private func hold(_ record: HeldRecord) {
        if held.count < Self.mostHeld {
            held.append(record)
        } else {
            memory.drop(.queueFull, event: record.record.event)
        }
    }

    /// Queues or drops the events that were held, as the plan says now.
    func takeHeld() {
        guard plan != nil else { return }
        if asksForEvents { nextAsking = max(nextAsking, now + Self.askingPause) }
        asksForEvents = false
        let records = held
        held = []
        take(records, asks: false)
        if !records.isEmpty { isSaved = false }
    }

    /// Tells what was dropped.
    func announce() {
        guard !memory.news.isEmpty else { return }
        if let notice = options.notice { for each in memory.news { notice(each) } }
        memory.news = []
    }

    /// The most events that are held, as many as may be recorded at once.
    static let mostHeld = 10_000
    /// The least time between two requests for a plan because of events that it does not have. Unit: seconds.
    private static let askingPause: Int64 = 3600

    private func corrected(_ record: Inbox.Record) -> Inbox.Record {
        Inbox.Record(
            event: record.event, fields: record.fields,
            unixSeconds: min(max(record.unixSeconds + memory.correction.seconds, .epoch), ClockCorrection.latest))
    }

    private func circumstances(
        _ plan: DevicePlan, _ permissions: [Permissions], _ context: [String: EventValue]
    ) -> DeviceMemory.Circumstances {
        DeviceMemory.Circumstances(
            plan: plan, context: revealed.hidden(context, in: plan), permissions: permissions,
            queueLimit: options.queueLimit)
    }
}
