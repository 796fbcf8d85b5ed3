internal import Foundation
internal import ThrongWire

// Credentials and proofs of purposes whose floors count proved devices.
extension Throng {
    /// Lets credentials be asked for, where a purpose that the person allows needs them.
    func renewCredentials() async {
        guard let identifiers = options.identifiers, !isClosed, let due = nextCredential, due <= now else { return }
        let purposes = purposesToProve
        // Set before it is waited for, so that only one asks.
        nextRenewal = now + Self.renewalPause
        do {
            let isSealed = purposes.contains(where: \.isOblivious)
            try await identifiers.renew(by: CredentialWay(throng: self, isSealed: isSealed))
            nextRenewal = max(UnixSeconds(await identifiers.nextAsking), now + Self.shortestPause)
        } catch {
            options.notice?(.noCredential("\(error)"))
        }
    }

    /// The time when credentials are asked for; nil while nothing that is allowed needs any.
    var nextCredential: UnixSeconds? { purposesToProve.isEmpty ? nil : nextRenewal ?? now }

    private var purposesToProve: [DevicePlan.Purpose] {
        guard options.identifiers != nil else { return [] }
        return plan?.purposes.filter { $0.needsProof && permissions.allows($0) } ?? []
    }

    /// The least time between two requests, whatever the source says. Unit: seconds.
    private static let shortestPause: Int64 = 60
    /// The time after which it is tried again after a failure. Unit: seconds.
    private static let renewalPause: Int64 = 600

    /// Returns the attested identifier of a purpose's open window; nil if it needs or has none.
    func attestedIdentifier(of name: String) async -> (place: RotationWindow, identifier: AttestedIdentifier)? {
        guard let identifiers = options.identifiers, let purpose = plan?.purpose(name), purpose.needsProof,
            memory.outstanding[name] == nil
        else { return nil }
        let place = RotationWindow(window: purpose.rotation.window(at: now).value, rotation: purpose.rotation)
        guard memory.takingBack.mayAttest(name, at: place),
            let identifier = await identifiers.identifier(
                of: name, window: place.window, rotationSeconds: place.rotation.seconds),
            memory.takingBack.mayAttest(name, at: place)
        else { return nil }
        return (place, identifier)
    }

    /// Gives up proving anything in a window of which the daemon did not take a proof: events go back to the queue, to
    /// travel under an identifier of the device's own. Nothing of them was counted.
    func goesUnproved(_ batch: Outstanding, of purpose: DevicePlan.Purpose, _ status: Int) -> Bool {
        guard batch.proves, isOurs(batch, of: purpose.name) else { return false }
        memory.takingBack.spend(RotationWindow(window: batch.window, rotation: purpose.rotation), of: purpose.name)
        putBack(batch.events, of: batch, of: purpose.name, status: status, error: "unproved")
        options.notice?(.noCredential("the daemon did not take the proof."))
        return true
    }

    /// Asks the daemon for something that has to do with credentials.
    fileprivate func ask(
        _ path: String, _ body: [UInt8]?, isSealed: Bool
    ) async throws(TransportFailure) -> ClientResponse {
        guard let url = URL(string: source.root + path) else { throw .notSent }
        let request =
            body.map { ClientRequest.post(Data($0), to: url) }
            ?? ClientRequest(
                method: "GET", url: url, headers: [:], body: Data(), answerLimit: PlanSource.longestAnswer)
        return isSealed ? try await sendSealed(request) : try await transport.send(request)
    }
}

/// The way in which credentials are asked for: that of the batches that they are for.
private struct CredentialWay: CredentialTransport {
    let throng: Throng
    let isSealed: Bool

    func send(path: String, body: [UInt8]?) async throws -> (status: Int, body: [UInt8]) {
        let response = try await throng.ask(path, body, isSealed: isSealed)
        return (response.status, Array(response.body))
    }
}
