internal import Crypto
internal import Foundation
internal import ThrongWire

/// Everything that a device remembers but its plan, its log and what the person said. One document makes a crash
/// harmless: an event is in one place of it. Shape, as JSON: the members below, by their names.
struct DeviceMemory: Codable, Sendable {
    /// 32 random bytes, which never leave the device; none until an identifier is made with them.
    private(set) var secret = Data()
    /// A secret of this process, by which children's identifiers are made, so that none is known again.
    private var passing = SymmetricKey(size: .bits256)
    /// The plan's address, marked if it is a test's; all of this belongs to its daemon, and to tests or to none.
    let address: String
    /// The events that wait, by purpose, oldest first.
    var queues: [String: [QueuedEvent]] = [:]
    /// The batch without an answer, by purpose; at most one each.
    var outstanding: [String: Outstanding] = [:]
    /// The wait after a failure and until the next success, by purpose.
    var patience: [String: Patience] = [:]
    /// The amounts recorded in the open window, by purpose; without identifiers by purpose and metric, in its period.
    var recorded: [String: Spending] = [:]
    /// The amounts sent in the open window, by purpose.
    var sent: [String: Spending] = [:]
    var firsts = FirstsMemory()
    /// Firsts that are to be proved.
    var pendingFirsts: [PendingFirst] = []
    /// The activity that a metric asks about, by metric.
    var activity: [String: Activity] = [:]
    var dropped: [String: Int] = [:]
    var correction = ClockCorrection()
    /// The identifiers that were used, and what the daemon is to be told of them.
    var takingBack = TakingBack()
    /// The last window in which the daemon took a proof, by purpose.
    var proved: [String: RotationWindow] = [:]
    /// Places in the log: the oldest one, and the next one.
    var log = 0..<0
    /// The notices of what was dropped and not told yet. Not written down.
    var news: [ThrongNotice] = []

    private enum CodingKeys: String, CodingKey {
        case secret, address, queues, outstanding, patience, recorded, sent, firsts, activity, dropped, correction
        case takingBack = "taking"
        case proved
        case pendingFirsts = "pending"
        case log
    }

    init(address: String) { self.address = address }

    /// Makes the secret, where there is none yet: a plan without identifiers needs none.
    mutating func makeSecret(_ random: inout RandomSource) {
        guard secret.isEmpty else { return }
        secret = Data((0..<4).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
    }

    /// Says whether a memory that is read later is still of this device: a device that forgets everything is another
    /// one. A memory without a secret has made no identifiers, so that any later one is still of it.
    func isSameDevice(as later: DeviceMemory) -> Bool { secret.isEmpty || secret == later.secret }

    /// Takes what another process wrote, and keeps what is in the memory of this one only.
    mutating func takeOver(_ other: DeviceMemory) {
        let own = self
        self = other
        passing = own.passing
        news = own.news
        takingBack.keepPassing(of: own.takingBack)
    }

    var key: SymmetricKey { SymmetricKey(data: secret) }

    /// The identifier for a purpose and a window: the first 128 bits of HMAC-SHA-256(secret, purpose and window).
    ///
    /// Source: design, section 5. Without the secret, two of them look like two random numbers, so nobody can tell
    /// whether they are of one device.
    ///
    /// - Parameters:
    ///   - mark: the mark that it is made with; nil for what ``mark(of:)`` says now.
    ///   - isPassing: true if it is made with the secret that goes with the process.
    func identifier(purpose: String, window: Int64, mark: String? = nil, isPassing: Bool = false) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("identifier\u{1f}\(purpose)\u{1f}\(window)\(mark ?? self.mark(of: purpose))".utf8),
            using: isPassing ? passing : key)
        return code.prefix(16).lowerHex
    }

    /// Returns the mark that tells identifiers of a purpose and window apart after clock corrections and withdrawals.
    func mark(of purpose: String) -> String { correction.mark + takingBack.mark(of: purpose) }

    /// Counts events that are dropped; the name is known where all of them have one.
    mutating func drop(_ reason: DropReason, _ count: Int = 1, event: String? = nil) {
        guard count > 0 else { return }
        dropped[reason.rawValue, default: 0] &+= count
        if case .dropped(event, reason, let before) = news.last {
            news[news.count - 1] = .dropped(event: event, reason: reason, count: before + count)
        } else {
            news.append(.dropped(event: event, reason: reason, count: count))
        }
    }

    var waiting: Int { queues.values.joined().reduce(0) { $0 + $1.count } }

    /// The purposes for which something waits.
    var purposes: Set<String> { Set(queues.keys).union(outstanding.keys) }

    /// Forgets what waits for a purpose and what the device noted for it.
    mutating func withdraw(_ purpose: String, answered: [String]) {
        let queued = (queues.removeValue(forKey: purpose) ?? []).reduce(0) { $0 + $1.count }
        let unanswered = outstanding.removeValue(forKey: purpose)
        patience[purpose] = nil
        if let unanswered, unanswered.mayHaveArrived {
            // It may have been counted: it must not be a first again.
            firsts.add(unanswered.firsts.flatMap(\.self))
        }
        drop(.withdrawn, queued + (unanswered?.count ?? 0))
        for metric in answered { activity[metric] = nil }
    }

    /// Notes the identifier that a batch goes under; without one there is nothing to take back.
    mutating func use(_ batch: Outstanding, of purpose: DevicePlan.Purpose) {
        guard purpose.hasIdentifiers else { return }
        let place = RotationWindow(window: batch.window, rotation: purpose.rotation)
        if !purpose.countsChildren {
            takingBack.use(
                UsedIdentifier(
                    place: place, mark: mark(of: purpose.name), isSealed: batch.isSealed, attested: batch.attested),
                for: purpose.name)
        } else if let id = batch.identifier {
            takingBack.use(PassingIdentifier(place: place, id: id, isSealed: batch.isSealed), for: purpose.name)
        }
    }

    /// Notes the identifier of a batch that may have arrived, if its secret may go with the process.
    mutating func useOutstanding(of purpose: DevicePlan.Purpose) {
        guard purpose.countsChildren, let batch = outstanding[purpose.name], batch.mayHaveArrived else { return }
        use(batch, of: purpose)
    }

    /// Notes that the daemon is to take back what was sent for a purpose, as far as its windows are open. Each
    /// withdrawal waits a while of its own, so that their times don't link them. Nothing is noted if nothing was sent.
    ///
    /// - Parameters:
    ///   - app: the app that the purpose belongs to.
    ///   - purpose: nil if the plan does not have it any more.
    ///   - wait: the time that they wait about, half to one and a half times as long. Unit: seconds.
    mutating func takeBack(
        _ name: String, _ purpose: DevicePlan.Purpose?, of app: String, now: UnixSeconds, wait: Double,
        random: inout RandomSource
    ) {
        // These firsts would prove what is taken back, or is nobody's business any more; whoever agrees again may prove
        // them then.
        firsts.forget(pendingFirsts.filter { $0.purpose == name }.map(\.mark))
        pendingFirsts.removeAll { $0.purpose == name }
        if let purpose { useOutstanding(of: purpose) }
        let (used, passing) = takingBack.takeUsed(of: name)
        let identifiers =
            used.map {
                PassingIdentifier(
                    place: $0.place,
                    id: $0.attested ?? identifier(purpose: name, window: $0.place.window, mark: $0.mark),
                    isSealed: $0.isSealed)
            } + passing
        guard !identifiers.isEmpty else { return }
        if let last = used.last(where: { $0.attested != nil }) { takingBack.spend(last.place, of: name) }
        let withdrawals = identifiers.compactMap { identifier in
            OwedWithdrawal(
                identifier, purpose: name, app: app,
                due: now + Int64(wait * Double.random(in: 0.5...1.5, using: &random)), random: &random)
        }
        takingBack.tell(withdrawals, of: name)
        // The amounts that were added are forgotten, so that another identifier may add as much.
        sent[name] = nil
        recorded[name] = nil
    }

    /// Returns the firsts of an event, among those that the device proves.
    ///
    /// - Parameter marked: the marks of firsts of the batch so far; those of this event are added.
    mutating func pendingFirsts(
        of event: QueuedEvent, in metrics: [DevicePlan.Metric], for purpose: DevicePlan.Purpose, window: Int64,
        calendar: PeriodCalendar, at instant: UnixSeconds, marked: inout Set<UInt64>, random: inout RandomSource
    ) -> [PendingFirst] {
        var found: [PendingFirst] = []
        for metric in metrics {
            guard let proved = metric.proved else { continue }
            let buckets = metric.buckets(event: event.event, fields: event.fields, at: instant)
            for kind in proved.periods {
                let period = calendar.period(kind, containing: instant)
                for grouping in proved.groupings {
                    let mark = FirstsMemory.contribution(
                        of: buckets, to: grouping, of: metric, in: period, secret: key, kind: "proved")
                    guard !firsts.holds(mark), marked.insert(mark.key).inserted else { continue }
                    let cell = (grouping + proved.partition).map { ($0.name, $0.labels[buckets[$0.dimension]].text) }
                    found.append(
                        PendingFirst(
                            purpose: purpose.name, metric: metric.name, kind: kind, start: period.start,
                            cell: Dictionary(cell) { first, _ in first }, mark: mark,
                            due: PendingFirst.due(
                                after: RotationWindow(window: window, rotation: purpose.rotation), random: &random),
                            isSealed: purpose.isOblivious))
                }
            }
        }
        return found
    }

    /// Notes that firsts are to be proved: their event was counted.
    mutating func pend(_ new: [PendingFirst]) {
        for first in new where !firsts.holds(first.mark) {
            firsts.add([first.mark])
            pendingFirsts.append(first)
        }
    }
}

extension OwedWithdrawal {
    fileprivate init?(
        _ identifier: PassingIdentifier, purpose: String, app: String, due: UnixSeconds, random: inout RandomSource
    ) {
        let request = WithdrawRequest(app: app, purpose: purpose, window: identifier.place.window, id: identifier.id)
        // Names and numbers can always be written.
        guard let body = try? request.stableJSON else { return nil }
        self.body = body
        id = BatchID(high: random.next(), low: random.next()).description
        self.purpose = purpose
        place = identifier.place
        self.due = due
        isSealed = identifier.isSealed
    }
}

extension Outstanding {
    /// The identifier under which it goes.
    fileprivate var identifier: String? {
        struct Named: Decodable { let id: String }
        // The library wrote it, so that it can be read.
        return (try? JSONDecoder().decode(Named.self, from: Data(body.utf8)))?.id
    }
}

/// The buckets that the device has contributed to in a period, as keyed hashes that go later.
struct FirstsMemory: Codable, Sendable {
    /// A tuple of one grouping of a metric in one period.
    struct Contribution: Codable, Sendable, Hashable {
        /// 64 bits of an HMAC over all of it.
        let key: UInt64
        /// The instant from which it may be forgotten.
        let until: UnixSeconds
    }

    private var known: [UInt64: UnixSeconds] = [:]

    /// The time kept after a period: 48 hours for late events, a day for calendars. Unit: seconds.
    private static let grace: Int64 = 4 * 86_400

    func holds(_ contribution: Contribution) -> Bool { known[contribution.key] != nil }

    mutating func add(_ contributions: [Contribution]) {
        for contribution in contributions { known[contribution.key] = contribution.until }
    }

    mutating func forget(_ contributions: [Contribution]) {
        for contribution in contributions { known[contribution.key] = nil }
    }

    mutating func forget(before now: UnixSeconds) {
        if known.contains(where: { $0.value < now }) { known = known.filter { $0.value >= now } }
    }

    /// - Parameter kind: what is said once of it: a first, or a first that is proved.
    static func contribution(
        of buckets: [Int], to grouping: [DevicePlan.Metric.Part], of metric: DevicePlan.Metric, in period: Period,
        secret: SymmetricKey, kind: String = "first"
    ) -> Contribution {
        // Labels, not places: a newer plan may list a dimension's buckets in another order.
        let tuple = grouping.map { part in
            let dimension = metric.dimensions[part.dimension]
            return
                "\(dimension.name)=\(dimension.bucketing.labels[buckets[part.dimension]]) \(part.shown[buckets[part.dimension]])"
        }
        let text =
            ([kind, metric.name, period.kind.rawValue, period.start.description] + tuple).joined(separator: "\u{1f}")
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret)
        return Contribution(key: code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, until: period.end + grace)
    }
}

/// A first to prove: the device was in a cell in a period. `POST /v1/firsts` takes it once nothing of its event can be
/// taken back any more, at a time that is drawn.
struct PendingFirst: Codable, Sendable {
    let purpose: String
    let metric: String
    let kind: PeriodKind
    /// The period's first second.
    let start: UnixSeconds
    /// The bucket of each dimension, by the dimension's name.
    let cell: [String: String]
    /// The mark by which the device knows that it said so.
    let mark: FirstsMemory.Contribution
    /// The earliest time at which it goes.
    var due: UnixSeconds
    /// True if its event was shown sealed, and so it goes in no other way.
    let isSealed: Bool

    /// The longest that a first waits once its event's window is over. Unit: seconds.
    private static let spread: Int64 = 3600

    /// Returns the time at which a first of a window goes.
    static func due(after place: RotationWindow, random: inout RandomSource) -> UnixSeconds {
        let over = place.rotation.start(of: WindowNumber(place.window + 2))
        return over + Int64.random(in: 0..<min(spread, place.rotation.seconds), using: &random)
    }
}
