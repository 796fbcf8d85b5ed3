internal import Synchronization
internal import ThrongHTTP
internal import ThrongMembers

/// Connections to other daemons, as many to each as are needed at once, up to a limit.
///
/// One that does not answer keeps nobody waiting for it, and nothing from the others: whoever finds that out is the only one that tries
/// again for a while.
final class MemberLinks: Sendable {
    /// Unchecked counts of what is under way on one connection: only to choose the one that waits least.
    private final class Link: Sendable {
        let connection: HTTPConnection
        let underWay = Atomic<Int>(0)

        init(_ rules: ConnectionRules) { connection = HTTPConnection(rules) }
    }

    /// What goes to one daemon.
    private struct Way {
        var links: [Link] = []
        /// What bodies under way take. Unit: bytes.
        var bytes = 0
        /// Until then nobody tries it, as it did not answer; nil where it did.
        var rests: ContinuousClock.Instant?
    }

    /// To one daemon.
    private static let mostLinks = 32
    /// What requests under way to one daemon may take together. Unit: bytes.
    private static let mostBytes = 32 << 20
    /// What a request takes besides its body, about. Unit: bytes.
    private static let overhead = 4096
    /// No answer to a client is longer. Unit: bytes.
    private static let answerBytes = 4 << 20
    /// How long a request may take, waiting for others included; clients and balancers wait longer.
    private static let limit = Duration.seconds(8)

    private let rules: ConnectionRules
    private let rest: Duration
    private let ways = Mutex<[String: Way]>([:])

    /// - Parameters:
    ///   - authorities: a file of certificates that vouch for daemons, beside the system's.
    ///   - rest: how long nobody tries one that did not answer.
    init(authorities: String?, rest: Duration = .seconds(1)) {
        self.rest = rest
        var rules = ConnectionRules()
        rules.authorities = authorities
        rules.connectLimit = .seconds(2)
        self.rules = rules
    }

    /// Sends a request to a daemon; nil where too much is under way to it.
    func send(_ request: OutgoingRequest, to address: String) async throws(HTTPFault) -> ReceivedAnswer? {
        let size = request.body.count + Self.overhead
        guard let link = try link(to: address, size: size) else { return nil }
        defer {
            link.underWay.subtract(1, ordering: .relaxed)
            ways.withLock { $0[address]?.bytes -= size }
        }
        do throws(HTTPFault) {
            let answer = try await link.connection.answer(to: request, within: Self.limit, bodyLimit: Self.answerBytes)
            ways.withLock { $0[address]?.rests = nil }
            return answer
        } catch {
            ways.withLock { $0[address]?.rests = error.isAbsence ? .now + rest : nil }
            throw error
        }
    }

    /// The connection that waits least; nil where too much is under way.
    ///
    /// - Throws: ``HTTPFault/late`` where the daemon did not answer a moment ago.
    private func link(to address: String, size: Int) throws(HTTPFault) -> Link? {
        let found: Result<Link?, HTTPFault> = ways.withLock { ways in
            var way = ways[address] ?? Way()
            defer { ways[address] = way }
            if let rests = way.rests, rests > .now { return .failure(.late) }
            guard way.bytes + size <= Self.mostBytes else { return .success(nil) }
            way.bytes += size
            // This one finds out whether it is back.
            if way.rests != nil { way.rests = .now + Self.limit }
            let idlest = way.links.min {
                $0.underWay.load(ordering: .relaxed) < $1.underWay.load(ordering: .relaxed)
            }
            if let idlest, way.links.count >= Self.mostLinks || idlest.underWay.load(ordering: .relaxed) == 0 {
                idlest.underWay.add(1, ordering: .relaxed)
                return .success(idlest)
            }
            let link = Link(rules)
            link.underWay.add(1, ordering: .relaxed)
            way.links.append(link)
            return .success(link)
        }
        return try found.get()
    }

    /// Closes connections to all but these.
    func keep(_ addresses: Set<String>) {
        ways.withLock { ways in
            for address in ways.keys where !addresses.contains(address) { ways[address]?.links = [] }
            // What is under way to the others is taken off again where it was added.
            ways = ways.filter { addresses.contains($0.key) || $0.value.bytes > 0 }
        }
    }
}

extension HTTPFault {
    /// Whether nobody seems to be there, or to have time: whoever comes now would wait as long.
    fileprivate var isAbsence: Bool {
        switch self {
        case .late, .notConnected, .unresolved: true
        default: false
        }
    }
}
