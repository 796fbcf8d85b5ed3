internal import ThrongWire

/// A batch that has no answer yet. The same bytes are sent until there is one, or the daemon would not know it again.
struct Outstanding: Codable, Sendable {
    let batch: String
    /// Its window: floor(unix time / rotation).
    let window: Int64
    let body: String
    let events: [QueuedEvent]
    /// The contributions that each event makes for the first time.
    let firsts: [[FirstsMemory.Contribution]]
    let log: Int
    let firstSent: UnixSeconds
    /// The amounts spent in the window before this batch.
    let spentBefore: Spending
    /// True if it may have arrived. Written down before each attempt.
    var mayHaveArrived = false
    /// The claim of the process that is sending it, among several; nil for none.
    var lease: Lease?
    /// The identifier under which it goes, where it is one that nobody can invent; nil otherwise.
    var attested: String?
    /// True if it has what proves that identifier.
    var proves = false
    /// The firsts of each event that are proved once it is counted; none without such an identifier.
    var proved: [[PendingFirst]] = []
    /// The first byte of its own identifier's SHA-256, by which daemons share the work; nil without one.
    var slot: UInt8?
    /// True if it was made to be sealed, and stays so under any plan.
    var isSealed = false

    /// The time for which a process that sends a batch has it for itself. If the process ends meanwhile, another one
    /// goes on afterwards; if it is only slow, the same bytes come twice, and count once.
    struct Lease: Codable, Sendable {
        /// A random number of the process.
        let holder: UInt64
        private let until: UnixSeconds

        /// Longer than an answer takes. Unit: seconds.
        private static let length: Int64 = 60

        init(holder: UInt64, from now: UnixSeconds) {
            self.holder = holder
            until = now + Self.length
        }

        /// Says whether the lease holds, by a clock that may have been set since.
        func holds(at now: UnixSeconds) -> Bool { now < until && until <= now + Self.length }
    }

    var count: Int { events.reduce(0) { $0 + $1.count } }

    /// Says whether the daemon would refuse it by its window: the window after the next one has begun.
    func isOver(at current: Int64) -> Bool { current >= window + 2 }
}

/// The amounts that a device has added to metrics in one window, so that it stays within their contribution bounds.
struct Spending: Codable, Sendable {
    private(set) var window: Int64 = 0
    private var spent: [String: Int] = [:]

    /// Begins anew where another window is open.
    mutating func open(_ window: Int64) {
        guard window != self.window else { return }
        self.window = window
        spent = [:]
    }

    /// Returns the amount that may still be added.
    func room(for metric: DevicePlan.Metric) -> Int { max(0, metric.bound - (spent[metric.name] ?? 0)) }

    /// Adds so many events, as far as there is room.
    mutating func add(_ count: Int, to metric: DevicePlan.Metric) {
        spent[metric.name, default: 0] += min(count, room(for: metric))
    }
}

/// The wait of a purpose's batches after failures.
struct Patience: Codable, Sendable {
    /// Failed attempts in a row.
    private var failures = 0
    /// The earliest time of the next attempt, unless the app asks.
    private(set) var notBefore = UnixSeconds.epoch
    /// The earliest time of the next attempt, because the daemon said so.
    private(set) var retryAfter = UnixSeconds.epoch

    /// Notes a failed attempt.
    ///
    /// Full jitter (Brooker, "Exponential Backoff And Jitter", 2015), from twenty seconds to an hour, after what the
    /// daemon asked for.
    mutating func fail(at now: UnixSeconds, retryAfter seconds: Int64, random: inout RandomSource) {
        failures = min(failures + 1, 9)
        retryAfter = seconds > 0 ? now + seconds : .epoch
        let ceiling = min(10 * Double(1 << failures), 3600)
        notBefore = max(retryAfter, now) + Int64(Double.random(in: 1...ceiling, using: &random))
    }
}

/// A coarsened event that waits: nothing else of an event is ever kept.
struct QueuedEvent: Codable, Sendable, Hashable {
    let event: String
    /// Labels and clipped numbers.
    var fields: [String: Batch.Scalar]
    /// The hour, day, week or month in which it happened.
    let start: UnixSeconds
    /// The first second after that.
    let end: UnixSeconds
    /// The metrics that it is to be counted by; others have had all that the device may add.
    let metrics: [String]
    /// The number of times it happened.
    var count: Int

    /// A clock may be ahead by as much before the daemon takes its events for future ones. Unit: seconds.
    private static let slack: Int64 = 12 * 3600

    /// An instant of that stretch that is not ahead of now: it tells no more than the stretch does.
    func instant(now: UnixSeconds) -> UnixSeconds { max(start, min(end - 1, now - Self.slack)) }

    /// Returns the time since that stretch was over. Unit: seconds.
    func age(now: UnixSeconds) -> Int64 { max(0, now - (end - 1)) }

    /// The same event, if clocks were so many seconds off when it was recorded.
    func moved(by seconds: Int64, in calendar: PeriodCalendar, now: UnixSeconds) -> QueuedEvent {
        let kinds = PeriodKind.allCases.map { calendar.period($0, containing: start) }
        guard let kind = kinds.first(where: { $0.end == end })?.kind else { return self }
        // The middle of a week may be moved into the next one, which has not begun.
        let middle = min(start + (end - start) / 2 + seconds, now)
        let period = calendar.period(kind, containing: min(max(middle, .epoch), ClockCorrection.latest))
        return QueuedEvent(
            event: event, fields: fields, start: period.start, end: period.end, metrics: metrics, count: count)
    }

    /// Says whether the two are one event that happened several times.
    func isSame(as other: QueuedEvent) -> Bool {
        event == other.event && start == other.start && end == other.end && fields == other.fields
            && metrics == other.metrics
    }
}

/// A record that came while no plan could say what becomes of it: in memory only, since its values are raw.
struct HeldRecord: Sendable {
    let record: Inbox.Record
    /// The permissions of that moment, less what was refused since.
    var permissions: Permissions
    let context: [String: EventValue]
}
