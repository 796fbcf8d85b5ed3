internal import ThrongWire

/// The identifiers used in windows that may be open, as what makes them again from the secret, and the withdrawals that
/// the daemon is to be told of. Shape, as JSON: the members below, by their names.
struct TakingBack: Codable, Sendable {
    /// The identifiers that batches were made under, by purpose; oldest first.
    private var used: [String: [UsedIdentifier]] = [:]
    /// The number of times that a purpose's identifiers were withdrawn, by purpose; later ones are others.
    private var times: [String: Int] = [:]
    /// The withdrawals that the daemon does not know of yet.
    private(set) var waiting: [OwedWithdrawal] = []
    /// The last window, by purpose, whose attested identifier was taken back or not accepted.
    private var spent: [String: RotationWindow] = [:]
    /// The identifiers made with the process's secret, by purpose. Not written down.
    private var passing: [String: [PassingIdentifier]] = [:]

    private enum CodingKeys: String, CodingKey { case used, times, waiting, spent }

    /// The most windows that are open at once, also after clocks were set.
    private static let mostUsed = 16

    // MARK: What was used

    /// Returns the mark that tells a purpose's identifiers before and after a withdrawal apart.
    func mark(of purpose: String) -> String { times[purpose].map { "\u{1f}w\($0)" } ?? "" }

    /// Notes that a batch was made under an identifier.
    mutating func use(_ identifier: UsedIdentifier, for purpose: String) {
        Self.note(identifier, in: &used[purpose, default: []])
    }

    /// Notes the same of an identifier that can't be made again after the process.
    mutating func use(_ identifier: PassingIdentifier, for purpose: String) {
        Self.note(identifier, in: &passing[purpose, default: []])
    }

    private static func note<Identifier: Equatable>(_ identifier: Identifier, in known: inout [Identifier]) {
        known = (known.filter { $0 != identifier } + [identifier]).suffix(mostUsed)
    }

    /// Keeps what is not written down.
    mutating func keepPassing(of other: TakingBack) { passing = other.passing }

    /// Forgets windows that are over at the daemon, by one of which it took a batch.
    mutating func forget(beyond counted: Int64, of purpose: String, rotation: Rotation) {
        // The daemon takes the window after its own, too.
        let earliest = rotation.start(of: WindowNumber(counted - 1))
        used[purpose]?.removeAll { $0.place.isOver(at: earliest) }
        passing[purpose]?.removeAll { $0.place.isOver(at: earliest) }
    }

    /// Takes out what is to be taken back of a purpose; from here on its identifiers are others.
    mutating func takeUsed(of purpose: String) -> (used: [UsedIdentifier], passing: [PassingIdentifier]) {
        (used.removeValue(forKey: purpose) ?? [], passing.removeValue(forKey: purpose) ?? [])
    }

    /// The purposes of which something could be taken back.
    var purposes: Set<String> { Set(used.keys).union(passing.keys) }

    /// Says whether an attested identifier may be used in a window, in which the device is no other.
    func mayAttest(_ purpose: String, at place: RotationWindow) -> Bool {
        spent[purpose] != place && !(used[purpose] ?? []).contains { $0.place == place && $0.attested == nil }
    }

    /// Notes that a window's attested identifier is of no use any more.
    mutating func spend(_ place: RotationWindow, of purpose: String) { spent[purpose] = place }

    // MARK: What the daemon is to be told

    /// Notes what the daemon is to be told of a purpose.
    mutating func tell(_ withdrawals: [OwedWithdrawal], of purpose: String) {
        waiting += withdrawals.filter { new in
            !waiting.contains { $0.purpose == purpose && $0.place == new.place && $0.body == new.body }
        }
        times[purpose, default: 0] += 1
    }

    /// Goes on as another device, which still has to tell what the former one had to.
    func handedOver() -> TakingBack {
        var heir = TakingBack()
        heir.spent = spent
        heir.waiting = waiting.map { withdrawal in
            var withdrawal = withdrawal
            // The log is another one.
            withdrawal.log = nil
            return withdrawal
        }
        return heir
    }

    /// Returns the withdrawals that may be sent now, oldest first.
    ///
    /// - Parameter isAsked: true if the app asks, which waits only as long as the daemon said.
    func ready(at now: UnixSeconds, isAsked: Bool) -> [OwedWithdrawal] {
        waiting.filter {
            !$0.isRefused && (isAsked ? $0.patience.retryAfter : max($0.due, $0.patience.notBefore)) <= now
        }
    }

    /// The time when the next one is due by itself; nil for none.
    var nextDue: UnixSeconds? { waiting.filter { !$0.isRefused }.map { max($0.due, $0.patience.notBefore) }.min() }

    /// Says whether batches wait for the next window: with another identifier in this one, the device is two.
    func holdsBack(_ purpose: String, window: Int64, rotation: Rotation) -> Bool {
        let place = RotationWindow(window: window, rotation: rotation)
        return waiting.contains { $0.purpose == purpose && $0.place == place }
    }

    subscript(id: String) -> OwedWithdrawal? {
        get { waiting.first { $0.id == id } }
        set {
            guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
            if let newValue { waiting[place] = newValue } else { waiting.remove(at: place) }
        }
    }

    /// Forgets what can't be taken back any more, at a time that the daemon has just confirmed.
    mutating func forgetOver(at now: UnixSeconds) { waiting.removeAll { $0.place.isOver(at: now) } }

    /// Goes by another clock: withdrawals may go at once, as nobody knows how long they waited.
    mutating func follow(clock now: UnixSeconds) {
        for place in waiting.indices {
            waiting[place].due = now
            waiting[place].patience = Patience()
        }
    }
}

struct RotationWindow: Codable, Sendable, Hashable {
    /// floor(unix time / rotation).
    let window: Int64
    let rotation: Rotation

    /// Says whether the daemon takes nothing of it any more: the window after the next one has begun.
    func isOver(at now: UnixSeconds) -> Bool { rotation.window(at: now).value >= window + 2 }
}

/// An identifier of which there are batches, without the identifier.
struct UsedIdentifier: Codable, Sendable, Hashable {
    let place: RotationWindow
    /// The mark that it was made with, besides the secret, the purpose and the window.
    let mark: String
    /// True if it was shown sealed only.
    let isSealed: Bool
    /// The identifier, where it is not made from the secret: one that nobody can invent.
    var attested: String?
}

/// An identifier by a secret that goes with the process.
struct PassingIdentifier: Sendable, Hashable {
    let place: RotationWindow
    let id: String
    /// True if it was shown sealed only.
    let isSealed: Bool
}

/// A withdrawal to tell the daemon of: an identifier's contributions in a window go.
struct OwedWithdrawal: Codable, Sendable {
    /// A random name, on the device only.
    let id: String
    let purpose: String
    let place: RotationWindow
    /// The body of `POST /v1/withdraw`.
    let body: String
    /// The earliest time at which it goes by itself.
    var due: UnixSeconds
    var patience = Patience()
    /// Its place in the log, once it was sent.
    var log: Int?
    /// True if the daemon does not take it: what it counted stays, and the window has no room for another identifier.
    var isRefused = false
    /// True if the identifier was shown sealed only, and so goes in no other way.
    let isSealed: Bool
}

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
