internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongSchedule
internal import ThrongWire

/// Tells the operator of possible attacks: the kind of refusal, and roughly how often. It never tells who it was, their
/// address, the exact time, or any word of theirs.
///
/// A kind is told within a minute and then once in ten minutes at most, however often it comes.
final class SecurityLog: Sendable {
    enum Refusal: String, CaseIterable, Sendable {
        case signIn = "sign-ins by no good token"
        case signInPace = "sign-ins that came too fast"
        case foreignForm = "forms of other sites"
        case foreignOrigin = "requests of pages that are not listed"
        /// A request that is no HTTP, or has no clear host or end: it may be meant to look different to two readers.
        case malformed = "malformed requests"
        case place = "connections closed for others"
        case untaken = "connections that could not be taken"
        case room = "requests without room"
        /// A TLS handshake that failed. Often neither side is at fault: another authority, a scanner.
        case handshake = "handshakes of TLS"
        case proxyHeader = "connections of proxies without a header"
        case unreadableClient = "requests of proxies that do not say where clients are"
        case networkQuota = "batches of networks that bring too much at once"
    }

    private struct Tally {
        var count = 0
        var told: ContinuousClock.Instant?
    }

    private let logger: Logger
    private let tallies = Mutex<[Refusal: Tally]>([:])

    static let silence = Duration.seconds(600)

    init(_ logger: Logger) { self.logger = logger }

    func note(_ refusal: Refusal) { tallies.withLock { $0[refusal, default: Tally()].count += 1 } }

    /// Writes a line for each kind with new refusals, unless one was written lately; the last time, for each.
    func tell(at now: ContinuousClock.Instant = .now, isLast: Bool = false) {
        let due = tallies.withLock { tallies in
            Refusal.allCases.compactMap { refusal -> (Refusal, Int)? in
                guard let tally = tallies[refusal], tally.count > 0,
                    isLast || tally.told.map({ now - $0 >= Self.silence }) ?? true
                else { return nil }
                tallies[refusal] = Tally(count: 0, told: now)
                return (refusal, tally.count)
            }
        }
        for (refusal, count) in due {
            logger.warning(
                "refused at the door", metadata: ["what": "\(refusal.rawValue)", "times": "\(Self.band(count))"])
        }
    }

    static func band(_ count: Int) -> String {
        switch count {
        case ..<10: "under 10"
        case ..<100: "10 to 99"
        case ..<1000: "100 to 999"
        default: "1000 or more"
        }
    }
}

/// Logs refusals at the door once a minute, and the rest of them when the daemon stops; of events once an hour.
struct SecurityLogService: Service {
    let log: SecurityLog
    let telemetry: Telemetry
    let logger: Logger

    func run() async throws {
        // A line does not tell when exactly something came.
        try await PeriodicTask(.securityLog, every: .seconds(60), on: telemetry.rounds) {
            log.tell()
            telemetry.tellRefusals(logger)
        }.run()
        log.tell(isLast: true)
    }
}

/// The events of the hour under way that changed no counter, by reason, and one example of each: for one line of the log
/// an hour where they are many, and for the operator's page.
///
/// An example has names of the plan and shapes, and nothing that a client sent.
struct RefusedHour {
    private let began: ContinuousClock.Instant
    private var accepted = 0
    private var refused: [RefusalReason: Int] = [:]
    private var examples: [RefusalReason: String] = [:]
    private let former: [RefusalReason: String]

    init(began: ContinuousClock.Instant = .now, former: [RefusalReason: String] = [:]) {
        (self.began, self.former) = (began, former)
    }

    mutating func add(_ answer: BatchAnswer) {
        accepted += answer.accepted
        for refusal in answer.refused {
            refused[refusal.reason, default: 0] += 1
            guard examples[refusal.reason] == nil, let detail = refusal.detail else { continue }
            examples[refusal.reason] = Self.example(detail)
        }
    }

    /// The latest example of a reason; nil where the reason says all.
    func example(of reason: RefusalReason) -> String? { examples[reason] ?? former[reason] }

    /// Begins the next hour where this one is over; returns what is to be said of it.
    mutating func end(at now: ContinuousClock.Instant) -> Logger.Metadata? {
        guard now - began >= .seconds(3600) else { return nil }
        defer { self = RefusedHour(began: now, former: former.merging(examples) { $1 }) }
        let faults = refused.filter { !$0.key.isWish }
        guard Self.areMany(faults, beside: accepted), let most = faults.max(by: { $0.value < $1.value }) else {
            return nil
        }
        let sum = faults.values.reduce(0, +)
        var facts: Logger.Metadata = ["percent": "\(100 * sum / (sum + accepted))", "most": "\(most.key.rawValue)"]
        if let example = examples[most.key] { facts["example"] = "\(example)" }
        return facts
    }

    /// Returns true if of a hundred events or more every twentieth was refused, but for wishes: clients and the plan differ.
    static func areMany(_ refused: [RefusalReason: Int], beside accepted: Int) -> Bool {
        let faults = refused.filter { !$0.key.isWish }.values.reduce(0, +)
        return faults + accepted >= 100 && faults * 20 > faults + accepted
    }

    /// `price: text with a comma`, `a name like channel`, `at: not an RFC 3339 time`.
    private static func example(_ detail: RefusalDetail) -> String {
        let last = detail.pointer.split(separator: "/").last.map { Int($0) == nil ? String($0) : "event" }
        let place = detail.field ?? detail.nearest.map { "a name like \($0)" } ?? last ?? "batch"
        let shape = detail.found ?? detail.expected.map { "not \($0)" }
        return place + (shape.map { ": \($0)" } ?? "")
    }
}

extension RefusalReason {
    /// True if a person wants it so: then nothing is at fault.
    fileprivate var isWish: Bool { self == .optedOut || self == .consentOutdated }
}
