internal import Synchronization
internal import ThrongIngest
internal import ThrongSystem

/// The connections to other daemons, as many to each as are needed at once, up to a limit.
///
/// A daemon that does not answer delays no other requests: only one request at a time tries whether it is back.
final class MemberLinks: Sendable {
    /// A connection with the number of requests under way on it. It serves to choose the least busy.
    private final class Link: Sendable {
        let connection: HTTPConnection
        let underWay = Atomic<Int>(0)

        init(_ rules: ConnectionRules) { connection = HTTPConnection(rules) }
    }

    /// The connections and requests to one daemon.
    private struct Way {
        var links: [Link] = []
        /// The memory of requests under way. Unit: bytes.
        var bytes = 0
        /// The time until which nobody tries it, as it did not answer; nil if it did.
        var rests: ContinuousClock.Instant?
    }

    private static let mostLinks = 32
    /// The memory for all requests under way to one daemon. Unit: bytes.
    private static let mostBytes = 32 << 20
    /// The memory of a request besides its body, about. Unit: bytes.
    private static let overhead = 4096
    /// The longest answer to a client. Unit: bytes.
    private static let answerBytes = 4 << 20
    /// The longest time of a request, with the wait for others; clients and balancers wait longer.
    private static let limit = Duration.seconds(8)

    private let rules: ConnectionRules
    private let rest: Duration
    private let ways = Mutex<[String: Way]>([:])

    /// The file of authorities vouches for daemons, beside the system's; nobody tries a silent daemon during the rest.
    init(authorities: String?, rest: Duration = .seconds(1)) {
        self.rest = rest
        var rules = ConnectionRules()
        rules.authorities = authorities
        rules.connectLimit = .seconds(2)
        self.rules = rules
    }

    /// Sends a request to a daemon and returns its answer; nil if too much is under way to it.
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

    /// Returns the least busy connection; nil if too much is under way, an error if the daemon was late a moment ago.
    private func link(to address: String, size: Int) throws(HTTPFault) -> Link? {
        try ways.withLock { ways throws(HTTPFault) in
            var way = ways[address] ?? Way()
            defer { ways[address] = way }
            if let rests = way.rests, rests > .now { throw .late }
            guard way.bytes + size <= Self.mostBytes else { return nil }
            way.bytes += size
            // This one finds out whether it is back.
            if way.rests != nil { way.rests = .now + Self.limit }
            let idlest = way.links.min {
                $0.underWay.load(ordering: .relaxed) < $1.underWay.load(ordering: .relaxed)
            }
            if let idlest, way.links.count >= Self.mostLinks || idlest.underWay.load(ordering: .relaxed) == 0 {
                idlest.underWay.add(1, ordering: .relaxed)
                return idlest
            }
            let link = Link(rules)
            link.underWay.add(1, ordering: .relaxed)
            way.links.append(link)
            return link
        }
    }

    func keep(_ addresses: Set<String>) {
        ways.withLock { ways in
            for address in ways.keys where !addresses.contains(address) { ways[address]?.links = [] }
            // Requests under way to the others are subtracted where they were added.
            ways = ways.filter { addresses.contains($0.key) || $0.value.bytes > 0 }
        }
    }
}

extension HTTPFault {
    /// True if the daemon seems to be away or too busy: another request would wait as long.
    fileprivate var isAbsence: Bool {
        switch self {
        case .late, .notConnected, .unresolved: true
        default: false
        }
    }
}
