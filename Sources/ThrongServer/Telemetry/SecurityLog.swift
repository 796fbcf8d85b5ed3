internal import Logging
internal import Synchronization
internal import ThrongPortal

/// What may be an attack, told to the operator: what was refused, and roughly how often. Never who it was, from where they came,
/// when exactly, or any word of theirs.
///
/// A kind is told within a minute and then once in ten minutes at most, however often it comes.
final class SecurityLog: Sendable {
    /// What was refused.
    enum Refusal: String, CaseIterable, Sendable {
        /// Of a token that is not known, has expired or was taken back.
        case signIn = "sign-ins by no good token"
        /// Not looked at, as too many failed before.
        case signInPace = "sign-ins that came too fast"
        /// At the portal: of another site's page.
        case foreignForm = "forms of other sites"
        /// Where clients post: of pages that may not send.
        case foreignOrigin = "requests of pages that are not listed"
        /// No HTTP, or of no one host or end: what somebody sends who wants two readers to see two things.
        case malformed = "malformed requests"
        /// A connection that went for another one, as all places were taken.
        case place = "connections closed for others"
        /// None that was left, or the kernel or the network did not give one.
        case untaken = "connections that could not be taken"
        /// Too much arrived at once.
        case room = "requests without room"
        /// By neither side's fault, often: a client that trusts another authority, a scanner.
        case handshake = "handshakes of TLS"
        /// A listed proxy's connection that did not begin with its header.
        case proxyHeader = "connections of proxies without a header"
        /// A listed proxy's that does not say where its client is, or not so that it can be read.
        case unreadableClient = "requests of proxies that do not say where clients are"
        /// Beyond what one network brings: new identifiers, or events.
        case networkQuota = "batches of networks that bring too much at once"
    }

    private struct Tally {
        var count = 0
        var told: ContinuousClock.Instant?
    }

    private let logger: Logger
    private let tallies = Mutex<[Refusal: Tally]>([:])

    /// Between two lines of one kind.
    static let silence = Duration.seconds(600)

    init(_ logger: Logger) { self.logger = logger }

    /// Notes one more.
    func note(_ refusal: Refusal) { tallies.withLock { $0[refusal, default: Tally()].count += 1 } }

    /// Writes a line for each kind of which there is something new, unless one was written lately.
    ///
    /// - Parameter isLast: whether the daemon stops: then each is told.
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

    /// Roughly how often.
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
    /// Why the portal refused a form.
    init(_ refusal: SignInRefusal) {
        self =
            switch refusal {
            case .token: .signIn
            case .pace: .signInPace
            case .foreignForm: .foreignForm
            }
    }
}
