import Foundation
import Probe
import Synchronization
import ThrongWire

@testable import ThrongClient

/// A device's lines to a daemon and to the relay before its gateway. What goes to the daemon itself is taken down: it has the
/// device's address.
final class RelayedLine: ClientTransport {
    /// What the relay does.
    enum Weather: Sendable {
        case fine
        /// There is no connection to it.
        case offline
        /// It gets everything, and no answer comes back.
        case silent
        /// It answers everything so, itself.
        case answer(Int, String)
        /// It answers everything so but the question for keys.
        case answerSealed(Int, String)
        /// It hands on keys of its own, as if they were the gateway's.
        case ownKeys
        /// It hands on keys, and not what vouches for them.
        case unsigned
        /// It hands on no keys.
        case noKeys
        /// The gateway has other keys by now than those that it hands on, so often.
        case oldKeys(Int)
    }

    struct State {
        var weather = Weather.fine
        var direct: [ClientRequest] = []
        var relayed: [ClientRequest] = []
        var opened: [BinaryRequest] = []
        /// Requests that were opened by whom they were not for.
        var stolen = 0
        /// Whether a day has passed, and the gateway has its other keys.
        var isTurned = false
        /// Whether the gateway hands on what was sealed as if it had come directly.
        var forgetsSeals = false
    }

    static let relay = "https://relay.example.net"
    let daemon: Daemon
    let signer = GatewaySigner()
    private let clock: any ClientClock
    private let firstKeys = [GatewayKey(id: 1, mechanism: .x25519), GatewayKey(id: 2, mechanism: .p256)]
    private let otherKeys = [GatewayKey(id: 3, mechanism: .x25519), GatewayKey(id: 4, mechanism: .p256)]
    private let thieves = [GatewayKey(id: 1, mechanism: .x25519)]
    private let state = Mutex(State())

    init(_ daemon: Daemon, clock: any ClientClock) {
        self.daemon = daemon
        self.clock = clock
    }

    func set(_ weather: Weather) { state.withLock { $0.weather = weather } }
    /// Lets the gateway have other keys from now on, and destroy the former ones.
    func turn() { state.withLock { $0.isTurned = true } }
    func forgetsSeals() { state.withLock { $0.forgetsSeals = true } }
    private var keys: [GatewayKey] { state.withLock { $0.isTurned } ? otherKeys : firstKeys }
    /// What the daemon got with the device's address.
    var direct: [ClientRequest] { state.withLock { $0.direct } }
    /// What the relay got.
    var relayed: [ClientRequest] { state.withLock { $0.relayed } }
    /// What was in it.
    var opened: [BinaryRequest] { state.withLock { $0.opened } }
    var stolen: Int { state.withLock { $0.stolen } }
    var asked: Int { relayed.filter { $0.method == "GET" }.count }

    func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        guard request.url.absoluteString.hasPrefix(Self.relay + "/") else {
            state.withLock { $0.direct.append(request) }
            return vouched(daemon.take(request, now: UnixSeconds(clock.unixSeconds)), isPlan: request.method == "GET")
        }
        let weather = state.withLock { state in
            state.relayed.append(request)
            return state.weather
        }
        switch weather {
        case .offline: throw .notSent
        case .silent:
            if request.method == "POST" { _ = try gateway(request, by: keys) }
            throw .unanswered
        case .answer(let status, let body): return ClientResponse(status: status, body: Data(body.utf8))
        case .answerSealed(let status, let body) where request.method == "POST":
            return ClientResponse(status: status, body: Data(body.utf8))
        case .noKeys where request.method == "GET": return ClientResponse(status: 404)
        case .ownKeys where request.method == "GET": return list(of: thieves, by: GatewaySigner())
        case .ownKeys: return try gateway(request, by: thieves, isThief: true)
        case .unsigned where request.method == "GET": return list(of: keys, by: nil)
        case .oldKeys(let count) where request.method == "GET" && count > 0:
            set(.oldKeys(count - 1))
            return list(of: otherKeys, by: signer)
        default:
            return request.method == "GET" ? list(of: keys, by: signer) : try gateway(request, by: keys)
        }
    }

    private func list(of keys: [GatewayKey], by signer: GatewaySigner?) -> ClientResponse {
        let list = KeyConfiguration.encoded(keys.map(\.configuration))
        let signature = Result { try signer?.signature(over: list) }
        var headers: [String: String] = [:]
        if case .success(let text?) = signature { headers[GatewayIdentity.signatureHeader] = text }
        return ClientResponse(status: 200, headers: headers, body: Data(list))
    }

    private func vouched(_ response: ClientResponse, isPlan: Bool) -> ClientResponse {
        var headers = response.headers
        if isPlan { headers[GatewayIdentity.header] = signer.identity.text }
        return ClientResponse(status: response.status, headers: headers, body: response.body)
    }

    /// Opens, asks the daemon, and seals its answer.
    private func gateway(
        _ request: ClientRequest, by keys: [GatewayKey], isThief: Bool = false
    ) throws(TransportFailure) -> ClientResponse {
        do throws(ObliviousError) {
            let opening: OpenedRequest
            do throws(ObliviousError) {
                opening = try OpenedRequest(Array(request.body)[...], by: keys)
            } catch {
                return ClientResponse(status: 400, body: Data(#"{"error":"oblivious_key"}"#.utf8))
            }
            let inner = try BinaryRequest(opening.message[...], limits: MessageLimits(contentBytes: 1 << 20))
            state.withLock { state in
                state.opened.append(inner)
                if isThief { state.stolen += 1 }
            }
            var headers: [String: String] = [:]
            for field in inner.fields {
                headers[["sec-gpc": "Sec-GPC", "dnt": "DNT"][field.name] ?? field.name] = field.value
            }
            guard let url = URL(string: "https://throng.example.org" + inner.path) else { throw .unopened }
            let response = vouched(
                daemon.take(
                    ClientRequest(
                        method: inner.method, url: url, headers: headers, body: Data(inner.content),
                        answerLimit: 1 << 20),
                    now: UnixSeconds(clock.unixSeconds), isSealed: !state.withLock { $0.forgetsSeals }),
                isPlan: inner.method == "GET")
            let answer = BinaryResponse(
                response.status,
                fields: response.headers.sorted { $0.key < $1.key }.map { MessageField($0.key, $0.value) },
                content: Array(response.body))
            return ClientResponse(
                status: 200, headers: ["Content-Type": OpenedRequest.responseMediaType],
                body: Data(try opening.seal(response: answer.encoded(isPadded: true))))
        } catch {
            throw .unanswered
        }
    }
}
