internal import Synchronization
internal import ThrongHTTP
internal import ThrongMembers

/// Connections to other daemons, as many to each as are needed at once, up to a limit.
final class MemberLinks: Sendable {
    /// Unchecked counts of what is under way on one connection: only to choose the one that waits least.
    private final class Link: Sendable {
        let connection: HTTPConnection
        let underWay = Atomic<Int>(0)

        init(_ rules: ConnectionRules) { connection = HTTPConnection(rules) }
    }

    private struct State {
        var links: [String: [Link]] = [:]
        /// What bodies under way take. Unit: bytes.
        var bytes = 0
    }

    /// To one daemon.
    private static let mostLinks = 32
    /// What requests under way may take together. Unit: bytes.
    private static let mostBytes = 64 << 20
    /// What a request takes besides its body, about. Unit: bytes.
    private static let overhead = 4096
    /// No answer to a client is longer. Unit: bytes.
    private static let answerBytes = 4 << 20

    private let rules: ConnectionRules
    private let state = Mutex(State())

    /// - Parameter authorities: a file of certificates that vouch for daemons, beside the system's.
    init(authorities: String?) {
        var rules = ConnectionRules()
        rules.authorities = authorities
        rules.connectLimit = .seconds(2)
        self.rules = rules
    }

    /// Sends a request to a daemon; nil where too much is under way.
    func send(_ request: OutgoingRequest, to address: String) async throws(HTTPFault) -> ReceivedAnswer? {
        let size = request.body.count + Self.overhead
        let link: Link? = state.withLock { state in
            guard state.bytes + size <= Self.mostBytes else { return nil }
            state.bytes += size
            let known = state.links[address] ?? []
            let idlest = known.min { $0.underWay.load(ordering: .relaxed) < $1.underWay.load(ordering: .relaxed) }
            if let idlest, known.count >= Self.mostLinks || idlest.underWay.load(ordering: .relaxed) == 0 {
                idlest.underWay.add(1, ordering: .relaxed)
                return idlest
            }
            let link = Link(rules)
            link.underWay.add(1, ordering: .relaxed)
            state.links[address] = known + [link]
            return link
        }
        guard let link else { return nil }
        defer {
            link.underWay.subtract(1, ordering: .relaxed)
            state.withLock { $0.bytes -= size }
        }
        return try await link.connection.answer(to: request, within: .seconds(8), bodyLimit: Self.answerBytes)
    }

    /// Closes connections to all but these.
    func keep(_ addresses: Set<String>) {
        state.withLock { state in state.links = state.links.filter { addresses.contains($0.key) } }
    }
}
