internal import Foundation
internal import ThrongWire

// A request that the plan wants sealed goes through the relay or stays here: whatever the relay answers, and whatever
// is wrong with its keys, nothing of it ever goes to the daemon directly.
extension Throng {
    /// The gateway's key, as the relay handed it on.
    struct RelayedKey: Sendable {
        let relay: RelayAddress
        let configuration: KeyConfiguration
        /// The instant from which the relay is asked again.
        let until: UnixSeconds

        /// The daemon opens what was sealed for a key until the end of the day after the key's own. Unit: seconds.
        static let age: Int64 = 20 * 3600
        /// A list with more bytes is none.
        static let longest = 64 << 10
    }

    /// The gateway's identity: as the app knows it, or else as the daemon said with its plan; nil if neither does.
    var gateway: GatewayIdentity? { (options.gatewayKey ?? stored.gateway).flatMap { GatewayIdentity(text: $0) } }

    /// Sends a request of a purpose, directly or as its plan has it.
    ///
    /// - Parameter isSealed: whether what it is about was sealed so far, whatever the plan says now.
    /// - Throws: ``TransportFailure``; ``TransportFailure/notSent`` also if it could not be sealed.
    func send(
        _ request: ClientRequest, of purpose: String, isSealed: Bool = false
    ) async throws(TransportFailure) -> ClientResponse {
        // Nothing leaves the process there, and nobody has an address.
        guard isSealed || plan?.purpose(purpose)?.isOblivious == true, !(transport is MemorySink) else {
            return try await transport.send(request)
        }
        return try await sendSealed(request)
    }

    /// Seals a request and sends it through the relay; a key that the gateway does not know is renewed once.
    func sendSealed(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        guard let relay = plan?.relay else { throw .notSent }
        let message = BinaryRequest(sealing: request).encoded(isPadded: true)
        let isNew = relayedKey(of: relay) == nil
        let response = try await exchange(message, for: request, with: try await gatewayKey(of: relay), by: relay)
        if let response { return response }
        relayedKey = nil
        guard !isNew else { throw .unanswered }
        let again = try await exchange(message, for: request, with: try await gatewayKey(of: relay), by: relay)
        guard let again else { throw .unanswered }
        return again
    }

    /// - Returns: nil if the gateway does not know the key.
    private func exchange(
        _ message: [UInt8], for request: ClientRequest, with key: KeyConfiguration, by relay: RelayAddress
    ) async throws(TransportFailure) -> ClientResponse? {
        let sealed: SealedRequest
        do throws(ObliviousError) { sealed = try SealedRequest(message, for: key) } catch { throw .notSent }
        guard let url = URL(string: relay.text + "/v1/ohttp") else { throw .notSent }
        let limits = MessageLimits(contentBytes: request.answerLimit)
        let answer = try await transport.send(
            ClientRequest(
                method: "POST", url: url, headers: ["Content-Type": SealedRequest.mediaType], body: Data(sealed.bytes),
                answerLimit: SizeClass.bytes(holding: request.answerLimit + MessageLimits.headBytes) + 64))
        if answer.status == 400, answer.daemonError == "oblivious_key" { return nil }
        // The relay may be busy itself. Nothing else that comes unsealed is the daemon's word.
        if answer.status == 503 { return answer }
        guard answer.status == 200 else { throw .unanswered }
        do throws(ObliviousError) {
            let opened = try sealed.open(response: answer.body)
            return ClientResponse(opening: try BinaryResponse(opened[...], limits: limits))
        } catch { throw .unanswered }
    }

    // MARK: Keys

    private func relayedKey(of relay: RelayAddress) -> KeyConfiguration? {
        guard let known = relayedKey, known.relay == relay, now < known.until, known.until <= now + RelayedKey.age
        else { return nil }
        return known.configuration
    }

    /// Returns the key that requests are sealed with. It comes from the relay, which gives all devices the same one: a
    /// daemon that gave each device a key of its own would know who asks. The gateway's signature vouches for it, so
    /// that the relay can't give a key of its own and read.
    private func gatewayKey(of relay: RelayAddress) async throws(TransportFailure) -> KeyConfiguration {
        if let known = relayedKey(of: relay) { return known }
        guard let gateway, let url = URL(string: relay.text + "/v1/ohttp-keys") else { throw .notSent }
        let response: ClientResponse
        do throws(TransportFailure) {
            response = try await transport.send(
                ClientRequest(method: "GET", url: url, headers: [:], body: Data(), answerLimit: RelayedKey.longest))
        } catch { throw .notSent }
        guard response.status == 200, let signature = response.headers[GatewayIdentity.signatureHeader],
            gateway.vouches(for: response.body, by: signature)
        else { throw .notSent }
        do throws(ObliviousError) {
            let keys = try KeyConfiguration.list(response.body)
            guard let key = keys.first(where: { $0.mechanism == .x25519 }) ?? keys.first else { throw .noUsableKey }
            relayedKey = RelayedKey(relay: relay, configuration: key, until: now + RelayedKey.age)
            return key
        } catch { throw .notSent }
    }
}

extension BinaryRequest {
    /// The request as it is sealed: without a host, and with the path that the gateway knows.
    fileprivate init(sealing request: ClientRequest) {
        self.init(
            request.method, "/v1/" + (request.url.path().split(separator: "/v1/").last ?? ""),
            fields: request.headers.sorted { $0.key < $1.key }.map { MessageField($0.key.lowercased(), $0.value) },
            content: Array(request.body))
    }
}

extension ClientResponse {
    /// The answer that was sealed.
    fileprivate init(opening response: BinaryResponse) {
        self.init(
            status: response.status, headers: .init(response.fields.map { ($0.name, $0.value) }) { first, _ in first },
            body: Data(response.content))
    }
}
