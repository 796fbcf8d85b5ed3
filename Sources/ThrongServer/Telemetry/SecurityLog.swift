internal import Logging
internal import Synchronization

/// Tells the operator of possible attacks: the kind of refusal, and roughly how often. It never tells who it was, their
/// address, the exact time, or any word of theirs.
///
/// A kind is told within a minute and then once in ten minutes at most, however often it comes.
final class SecurityLog: Sendable {
    /// The kinds of refusals.
    enum Refusal: String, CaseIterable, Sendable {
        /// A sign-in with a token that is not known, has expired or was taken back.
        case signIn = "sign-ins by no good token"
        /// A sign-in that was not checked, as too many failed before.
        case signInPace = "sign-ins that came too fast"
        /// A form of another site's page, at the portal.
        case foreignForm = "forms of other sites"
        /// A request of a page that may not send, at the clients' port.
        case foreignOrigin = "requests of pages that are not listed"
        /// A request that is no HTTP, or has no clear host or end: it may be meant to look different to two readers.
        case malformed = "malformed requests"
        /// A connection that was closed for another one, as all places were taken.
        case place = "connections closed for others"
        /// A connection that could not be accepted: no descriptor was left, or the kernel or the network failed.
        case untaken = "connections that could not be taken"
        /// A request without room, as too much arrived at once.
        case room = "requests without room"
        /// A TLS handshake that failed. Often neither side is at fault: a client that trusts another authority, a
        /// scanner.
        case handshake = "handshakes of TLS"
        /// A listed proxy's connection that did not begin with its header.
        case proxyHeader = "connections of proxies without a header"
        /// A listed proxy's request that does not give the client's address, or not readably.
        case unreadableClient = "requests of proxies that do not say where clients are"
        /// A batch with more new identifiers or events than one network may bring.
        case networkQuota = "batches of networks that bring too much at once"
    }

    private struct Tally {
        var count = 0
        var told: ContinuousClock.Instant?
    }

    private let logger: Logger
    private let tallies = Mutex<[Refusal: Tally]>([:])

    /// The shortest time between two lines of one kind.
    static let silence = Duration.seconds(600)

    init(_ logger: Logger) { self.logger = logger }

    /// Notes a refusal.
    func note(_ refusal: Refusal) { tallies.withLock { $0[refusal, default: Tally()].count += 1 } }

    /// Writes a line for each kind with new refusals, unless one was written lately.
    ///
    /// - Parameter isLast: true if the daemon stops: then each is told.
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

    /// Returns the rough size of a count.
    static func band(_ count: Int) -> String {
        switch count {
        case ..<10: "under 10"
        case ..<100: "10 to 99"
        case ..<1000: "100 to 999"
        default: "1000 or more"
        }
    }
}

extension SecurityLog.Refusal {
    /// Creates the kind of a form that the portal refused.
    init(_ refusal: SignInRefusal) {
        self =
            switch refusal {
            case .token: .signIn
            case .pace: .signInPace
            case .foreignForm: .foreignForm
            }
    }
}
