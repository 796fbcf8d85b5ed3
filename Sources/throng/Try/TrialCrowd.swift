import Foundation
import ThrongCrowd
import ThrongIngest
import ThrongPlan
import ThrongServer
import ThrongStore
import ThrongSystem

/// The crowd of a trial: counts its days, and makes single batches up.
struct TrialCrowd {
    let plan: Plan
    let crowd: Crowd
    /// Devices on a day.
    let devices: Int
    let seed: UInt64
    /// The headers of what it posts: a backend's secret, where the plan asks for one.
    var headers: [(name: String, value: String)] = []

    /// The time that counting and releasing past days may take. Unit: seconds.
    private static let budget = 22.0
    /// The days that are counted at least, if so many are asked for: two weeks have one whole week in any case.
    private static let least = 14

    /// The day before now.
    var yesterday: Period { plan.calendar.period(.day, containing: today.start - 1) }
    /// The day that is not over.
    var today: Period { plan.calendar.period(.day, containing: UnixClock.system.now) }

    /// Returns the days up to yesterday, the oldest first.
    func past(_ days: Int) -> [Period] {
        var past = [yesterday]
        while past.count < days { past.append(plan.calendar.period(.day, containing: past[past.count - 1].start - 1)) }
        return past.reversed()
    }

    /// Returns how many of the days that are asked for can be counted and released within the time for it, by trying a
    /// small one in memory.
    func affordable(of days: Int) throws -> Int {
        guard days > Self.least else { return days }
        let few = min(devices, 300)
        let started = ContinuousClock.now
        let counted = try DayCounter(plan).count { take in
            try crowd.forEachParcel(
                plan: plan, purposes: plan.purposes, day: yesterday.start, posting: .asItHappens, devices: few,
                seed: seed, take)
        }
        let half = ContinuousClock.now
        _ = try ForecastDay(counted, of: plan, seed: seed)
        let counting = (half - started) / .seconds(1) * Double(devices) / Double(few)
        // Writing a release takes as long as drawing it.
        let seconds = counting + 2 * ((ContinuousClock.now - half) / .seconds(1))
        return min(days, max(Self.least, Int(Self.budget / max(seconds, 0.001))))
    }

    /// Says what a client has to send with its batches.
    func sayHeaders() {
        for (name, value) in headers {
            Terminal.talk("\nThe plan does not count everybody's batches. Post with: curl --header '\(name): \(value)'")
        }
    }

    /// Counts days, the oldest first, each with a crowd of its own that is a little smaller the longer ago it is; and
    /// today as if all of its crowd had come by now.
    func count(_ days: [Period], into settings: ConnectionSettings) async throws -> PastDays.Tally {
        let past = try PastDays(plan)
        let store = CounterStore(settings)
        defer { store.close() }
        var shapes = SeededGenerator(seed: seed)
        let sizes = days.indices.map { place -> Int in
            let ago = days.count - 1 - place
            guard ago > 0 else { return devices }
            let share: Double = 0.94 - 0.025 * Double(min(ago, 12)) + 0.08 * shapes.fraction()
            return max(crowd.devices(Int(Double(devices) * share), on: days[place].start), 1)
        }
        let bar = ProgressBar("counting days", total: sizes.reduce(devices, +), unit: "devices")
        var tally = PastDays.Tally()
        for (place, day) in days.enumerated() {
            let own = seed &+ UInt64(days.count - 1 - place)
            let batches = batches(day, sizes[place], own) { bar.advance(by: 1) }
            tally.add(try await past.count(batches, at: day.end + 1, into: store))
        }
        let now = batches(today, devices, seed &+ 1000) { bar.advance(by: 1) }
        try await past.count(now, at: today.end + 1, into: store)
        bar.finish()
        return tally
    }

    /// Counts today's crowd in what a changed plan counts anew.
    func countToday(besides former: Plan, into settings: ConnectionSettings) async throws {
        let known = Set(try former.metrics.map { try former.layout(of: $0, rules: .system) })
        let anew = try plan.metrics.filter { !known.contains(try plan.layout(of: $0, rules: .system)) }
        guard !anew.isEmpty else { return }
        let store = CounterStore(settings)
        defer { store.close() }
        let past = try PastDays(plan, only: Set(anew.map(\.name)))
        try await past.count(batches(today, devices, seed &+ 1000) {}, at: today.end + 1, into: store)
    }

    /// The sample's shoppers post at one time, each under one identifier; devices that are made up post as it happens.
    private func batches(
        _ day: Period, _ count: Int, _ seed: UInt64, progress: () -> Void
    ) -> [(parcel: Crowd.Parcel, sent: UnixSeconds)] {
        var batches: [(parcel: Crowd.Parcel, sent: UnixSeconds)] = []
        crowd.forEachParcel(
            plan: plan, purposes: plan.purposes, day: day.start,
            posting: crowd.isMadeUp ? .asItHappens : .atOnce(day.end + 1), devices: count, seed: seed,
            progress: progress
        ) { batches.append(($0, $1)) }
        return batches
    }

    /// Makes batches up that a daemon takes now, of events of the last day; none of devices that refuse.
    func fresh(_ count: Int, seed: UInt64) -> [Crowd.Parcel] {
        let now = UnixClock.system.now
        var parcels: [Crowd.Parcel] = []
        crowd.forEachParcel(
            plan: plan, purposes: plan.purposes, day: now - 86_400, posting: .atOnce(now), devices: count, seed: seed
        ) { parcel, _ in if parcel.signals.isEmpty { parcels.append(parcel) } }
        return parcels
    }
}

/// Days of a crowd, counted by the daemon's own code, but in this process: no daemon takes events that are older than two
/// days, or ends a window early.
struct PastDays {
    /// The outcome of events.
    struct Tally {
        var counted = 0
        var refused: [String: Int] = [:]

        fileprivate mutating func refuse(_ answer: BatchAnswer) {
            for each in answer.refused { refused[each.reason.rawValue, default: 0] += 1 }
        }

        mutating func add(_ other: Tally) {
            counted += other.counted
            refused.merge(other.refused, uniquingKeysWith: +)
        }
    }

    private let layouts: [MetricLayout]
    private let terms: [MetricLayout: ReleaseTerms]
    private let space: CellSpace
    private let intake: Intake

    /// Compiles the plan.
    ///
    /// - Parameter names: the metrics that are counted; nil for all.
    init(_ plan: Plan, only names: Set<MetricName>? = nil) throws {
        var counted = plan
        if let names { counted.metrics.removeAll { !names.contains($0.name) } }
        layouts = try counted.metrics.map { try counted.layout(of: $0, rules: .system) }
        terms = Dictionary(uniqueKeysWithValues: zip(layouts, counted.metrics.map(plan.releaseTerms)))
        space = CellSpace(layouts: layouts)
        intake = try Intake(plans: [counted], space: space, rules: .system)
    }

    /// Brings one day's batches into the counters, all at once.
    ///
    /// - Parameter parcels: with the time at which each comes.
    @discardableResult func count(
        _ parcels: [(parcel: BatchSender.Parcel, sent: UnixSeconds)], at end: UnixSeconds, into store: CounterStore
    ) async throws -> Tally {
        var tally = Tally()
        try await store.registerLayouts(layouts, terms: terms)
        let start = try await store.attach(daemon: DaemonID(UUID()))
        var counting = Counting(
            space: space, position: start, watermark: start, bounds: Counting.Bounds(windowBytes: .max))
        var keys: [WindowID: WindowKey] = [:]
        for (parcel, now) in parcels {
            var body = parcel.body
            let outcome = try body.withUTF8 { try intake.read($0, signals: parcel.signals, now: now, isSealed: true) }
            let incoming: IncomingBatch
            switch outcome {
            case .batch(let batch): incoming = batch
            case .optedOut(let answer, _, _), .consentOutdated(let answer, _), .keptApart(let answer):
                tally.refuse(answer)
                continue
            }
            let window = incoming.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            let counted = counting.count(
                incoming.bucketed, identifier: incoming.identifier.keyed(with: key), hasProof: true, now: now)
            switch counted {
            case .counted(let batch):
                tally.counted += batch.answer.accepted
                tally.refuse(batch.answer)
            // Each parcel has an identifier of its own for its batch.
            case .repeated: tally.refused["repeated", default: 0] += parcel.events
            case .full: tally.refused["no_room", default: 0] += parcel.events
            case .withdrawn: tally.refused[RefusalReason.optedOut.rawValue, default: 0] += parcel.events
            case .windowOver: tally.refused["window_out_of_range", default: 0] += parcel.events
            }
        }
        // The day is over, and so are its windows.
        _ = counting.takeClosings(now: .max)
        while let flush = counting.freeze() {
            _ = try await store.flush(flush, now: min(end, UnixClock.system.now))
            counting.applied(flush, closed: [])
        }
        try await store.settle(.left)
        return tally
    }
}

/// The plan's file while a trial runs: read again whenever it is saved.
///
/// A plan that is right goes to the daemon, which starts anew by it; of one that is not, the page says what is wrong with
/// which line, and the daemon goes on by the last one that was right.
actor WatchedPlan {
    private let file: String
    private let house: TrialHouse
    private let serve: ServeProcess
    private let desk: TryoutProxy
    private let feed: TryoutFeed
    private var crowd: TrialCrowd
    private var bytes: [UInt8]
    private let makeCrowd: @Sendable (Plan) throws -> Crowd
    /// Looks in a row that found no file: editors put a new one in its place.
    private var misses = 0
    private var seed: UInt64 = 0

    /// The time that the daemon may take to start anew.
    private static let patience = Duration.seconds(30)

    /// - Parameter makeCrowd: makes the crowd of a plan.
    init(
        _ file: String, bytes: [UInt8], house: TrialHouse, serve: ServeProcess, desk: TryoutProxy, feed: TryoutFeed,
        crowd: TrialCrowd, makeCrowd: @escaping @Sendable (Plan) throws -> Crowd
    ) {
        (self.file, self.bytes, self.house, self.serve) = (file, bytes, house, serve)
        (self.desk, self.feed, self.crowd, self.makeCrowd) = (desk, feed, crowd, makeCrowd)
    }

    /// Looks at the file, and does what follows from it.
    func look() async {
        guard let data = FileManager.default.contents(atPath: file) else {
            misses += 1
            if misses == 5 { say(.missing) }
            return
        }
        let wasMissing = misses >= 5
        misses = 0
        guard Array(data) != bytes || wasMissing else { return }
        bytes = Array(data)
        do {
            let read = try Plan(bytes: bytes, file: file).forMadeUpCrowd()
            guard read.version != crowd.plan.version else { return say(.counting) }
            say(.starting)
            try await take(read)
            say(.counting)
        } catch let problems as PlanProblems { say(.mistaken, problems.all) } catch {
            say(.mistaken, [PlanProblem(file: file, line: nil, column: nil, message: "\(error)")])
        }
    }

    private func take(_ read: Plan) async throws {
        var next = TrialCrowd(plan: read, crowd: try makeCrowd(read), devices: crowd.devices, seed: crowd.seed)
        next.headers = read.app.name == crowd.plan.app.name ? crowd.headers : []
        if next.headers.isEmpty {
            next.headers = try house.headers(for: read)
            next.sayHeaders()
        }
        try house.write(bytes)
        serve.reload()
        let deadline = ContinuousClock.now + Self.patience
        while await !serve.counts(by: read.version, of: read.app.name) {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure("The daemon did not start by this plan; \(house.path)/serve.log says why.")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        let former = crowd.plan
        crowd = next
        desk.set(read)
        try await next.countToday(besides: former, into: try house.cluster().settings)
    }

    /// A batch as the plan in use has it, made up anew each time.
    func example() -> OutgoingRequest {
        seed &+= 1
        // Short enough to read, and of whatever purpose comes.
        let batches = crowd.fresh(20, seed: seed)
        let few = batches.filter { (2...4).contains($0.events) }
        let body = (few.randomElement() ?? batches.min { $0.events < $1.events })?.body ?? "{}"
        return OutgoingRequest(.post, "/v1/batches", headers: crowd.headers, body: Array(body.utf8))
    }

    private func say(_ state: TryoutPlan.State, _ problems: [PlanProblem] = []) {
        feed.set(TryoutPlan(file, crowd.plan, state, problems))
    }
}
