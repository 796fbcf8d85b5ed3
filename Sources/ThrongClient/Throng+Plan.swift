internal import Foundation
internal import ThrongWire

extension Throng {
    static let planName = "plan.json"

    /// Waits until there is a plan, such as before a consent screen is shown: returns at once if one is stored or
    /// bundled, and asks the daemon otherwise.
    ///
    /// - Throws: ``ThrongError/noPlan(_:)`` or ``ThrongError/plan(_:)``, which say what the daemon answered. Records go
    ///   on waiting, and the daemon is asked again.
    public func loadPlan() async throws(ThrongError) {
        guard plan == nil else { return }
        try await askForPlan()
    }

    /// Asks the daemon whether there is a newer plan, and follows it from now on.
    ///
    /// - Returns: whether the daemon was asked and has a plan that can be followed; the old one stays otherwise, and
    ///   ``status`` says why.
    @discardableResult public func refreshPlan() async -> Bool {
        do throws(ThrongError) {
            try await askForPlan()
            return true
        } catch { return false }
    }

    /// True if the daemon is to be asked for its plan before anything is sent.
    var needsPlan: Bool {
        // The daemon says with its plan who the gateway is.
        plan == nil || isUnconfirmed || asksForEvents || plan?.relay != nil && gateway == nil
    }

    private func askForPlan() async throws(ThrongError) {
        let generation = generation
        do throws(PlanFailure) {
            let (answer, date) = try await fetch()
            guard generation == self.generation, !isShut else { throw .noPlan("everything was forgotten meanwhile.") }
            if let date { setClockRight(date) }
            memory.takingBack.forgetOver(at: now)
            if answer.document != stored.document || plan == nil { try follow(answer.document) }
            stored = answer
            Self.keep(stored, in: storage)
            planProblem = nil
            planFailures = 0
            isUnconfirmed = false
            takeHeld()
            dropRefused()
        } catch {
            planProblem = error.error
            planFailures += 1
            if plan == nil { options.notice?(.noPlan(error.error)) }
            // A daemon that answers has no newer plan; one that does not may have one.
            if error.isFinal { takeHeld() }
            persist()
            throw error.error
        }
    }

    private func follow(_ document: Data) throws(PlanFailure) {
        let newer: DevicePlan
        do throws(ThrongError) {
            newer = try source.read(document)
        } catch { throw PlanFailure(error: error, isFinal: true) }
        drain()
        if let old = plan { memory.follow(newer, after: old, queueLimit: options.queueLimit) }
        plan = newer
        isSaved = false
    }

    /// Goes by the daemon's clock if the device's is wrong, and moves waiting events to when they happened.
    private func setClockRight(_ date: UnixSeconds) {
        drain()
        let shift = memory.correction.learn(date, at: Self.now(of: clock))
        guard shift != 0 else { return }
        if let plan { memory.move(by: shift, in: plan.calendar, now: now) }
        memory.takingBack.follow(clock: now)
        due = [:]
        nextRefresh = now + options.planAge
        isSaved = false
    }

    /// The reason why a plan could not be had.
    private struct PlanFailure: Error {
        let error: ThrongError
        /// True if the daemon, or something in its place, has answered that there is none.
        let isFinal: Bool

        static func noPlan(_ reason: String, isFinal: Bool = false) -> PlanFailure {
            PlanFailure(error: .noPlan(reason), isFinal: isFinal)
        }
    }

    /// Asks the daemon for its plan, and what time it is there.
    private func fetch() async throws(PlanFailure) -> (plan: StoredPlan, date: UnixSeconds?) {
        var headers = ["Accept": "application/json"]
        // A device that has a relay and knows the gateway asks through it, too. It asks at times that batches give
        // away, such as when one is refused, and its address would be that batch's.
        let isSealed = plan?.relay != nil && gateway != nil
        // Sealed without the tag, which could be one of the device's own.
        if plan != nil, !isSealed, let tag = stored.tag { headers["If-None-Match"] = tag }
        let now = now
        let response: ClientResponse
        do throws(TransportFailure) {
            let request = ClientRequest(
                method: "GET", url: source.plan, headers: headers, body: Data(), answerLimit: PlanSource.longestPlan)
            response = isSealed ? try await sendSealed(request) : try await transport.send(request)
        } catch { throw .noPlan("the daemon could not be reached.") }
        // A cache on the way says for how long it kept the answer (RFC 9111, section 5.1).
        let age = response.headers["age"].flatMap { Int64($0) } ?? 0
        let date = response.headers["date"].flatMap { UnixSeconds(httpDate: $0) }.map { $0 + min(max(age, 0), 86_400) }
        switch response.status {
        case 200:
            var newer = stored.with(response.body, tag: isSealed ? nil : response.headers["etag"], unixSeconds: now)
            newer.gateway = response.headers[GatewayIdentity.header] ?? newer.gateway
            return (newer, date)
        case 304 where headers["If-None-Match"] != nil:
            var same = stored
            same.unixSeconds = now
            same.gateway = response.headers[GatewayIdentity.header] ?? same.gateway
            return (same, date)
        case 404: throw .noPlan("the daemon has none for the app \(source.app) (404).", isFinal: true)
        case 300..<400:
            let lead = "the request was led elsewhere (\(response.status))"
            throw .noPlan("\(lead), as networks do that ask people to sign in.")
        case 500...: throw .noPlan("the daemon, or what stands before it, is out of order (\(response.status)).")
        default: throw .noPlan("the answer was \(response.status).", isFinal: true)
        }
    }

    /// Keeps a plan for a start without a network.
    static func keep(_ plan: StoredPlan, in storage: AppStorage) {
        // If the disk is full, that start will have to wait for one.
        try? storage.replace(planName, with: JSONEncoder().encode(plan))
    }
}

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
