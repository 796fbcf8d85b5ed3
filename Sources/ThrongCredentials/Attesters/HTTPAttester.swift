internal import Synchronization
internal import ThrongSystem
package import ThrongWire

/// Asks an endpoint of the operator's own, such as a shop's login: `POST` of `{"app", "challenge", "token"}`, answered by
/// 200 and `{"device": "…"}`, or by 403.
///
/// It proves what the endpoint proves: by a login "one account", not one device. A cheat pays for as many accounts as it wants
/// devices, divided by the allowance of each. The endpoint sees the challenge, which says nothing of the credential; it should
/// take each token once, or have it made over the challenge.
package struct HTTPAttester: Attester {
    package let name = "http"
    package let asksOthers = true

    private let url: String
    private let authorization: String?
    private let limit: Duration
    private let connections: Connections

    private static let width = 4

    /// - Parameters:
    ///   - url: https, or http of this machine.
    ///   - authorization: the path of a file that holds the header Authorization; nil sends none.
    ///   - authorities: a file of certificates in PEM that vouch for the endpoint, beside the system's.
    package init(url: String, authorization: String?, authorities: String?, seconds: Int) {
        self.url = url
        self.authorization = authorization
        limit = .seconds(seconds)
        var rules = ConnectionRules()
        rules.allowsPlain = url.hasPrefix("http://")
        rules.authorities = authorities
        connections = Connections(count: Self.width, rules)
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        let body = try AttesterAnswer.question(evidence, challenge: challenge, app: app)
        var headers = [(name: "Content-Type", value: "application/json"), (name: "User-Agent", value: "throng")]
        if let authorization {
            do throws(HeaderSecretFault) {
                headers.append((name: "Authorization", value: try HeaderSecret.read(authorization)))
            } catch { throw .unavailable(reason: "the secret \(authorization) \(error)") }
        }
        let question = OutgoingRequest(.post, url, headers: headers, body: body)
        let answer = try await AttesterAnswer.received(to: question, by: connections.next(), within: limit)
        switch answer.status {
        case 200: return try AttesterAnswer.device(answer.body)
        case 403: throw .refused(.denied)
        default: throw .unavailable(reason: "it answered \(answer.status)")
        }
    }

    /// Takes its turns: each serves one exchange at a time.
    private final class Connections: Sendable {
        private let all: [HTTPConnection]
        private let turn = Atomic<Int>(0)

        init(count: Int, _ rules: ConnectionRules) { all = (0..<count).map { _ in HTTPConnection(rules) } }

        func next() -> HTTPConnection { all[turn.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max % all.count] }
    }
}
