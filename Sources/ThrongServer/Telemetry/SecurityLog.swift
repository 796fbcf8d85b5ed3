internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongSchedule

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

    /// The time between two looks: a line does not tell when exactly something came.
    private static let interval = Duration.seconds(60)

    func run() async throws {
        telemetry.rounds.expect(.securityLog)
        while !Task.isShuttingDownGracefully {
            try await pause(Self.interval)
            log.tell()
            telemetry.tellRefusals(logger)
            telemetry.rounds.ended(.securityLog)
        }
        log.tell(isLast: true)
    }
}
