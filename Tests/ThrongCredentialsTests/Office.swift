import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongWire

/// Vouches for whoever has a token of the form `DEVICE`, and says no to `nobody`; notes how often it was asked.
final class Doorman: Attester {
    let name = "doorman"
    let asksOthers = true
    let asked = Mutex<[[UInt8]]>([])
    let isAway = Mutex(false)

    func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        asked.withLock { $0.append(challenge) }
        if isAway.withLock({ $0 }) { throw .unavailable(reason: "it is away") }
        let token = try evidence.text("token")
        if token == "nobody" { throw .refused(.denied) }
        return Array(token.utf8)
    }
}

/// A desk, and who vouches at it.
struct Office {
    let house: CredentialHouse
    let doorman = Doorman()
    let keys: EpochKeys
    let desk: CredentialIssuer

    init(_ house: CredentialHouse, most: Int = 2) throws {
        self.house = house
        keys = try house.keys()
        let rules = CredentialRules(most: most, attesters: [doorman])
        desk = CredentialIssuer(
            ["shop": rules, "notes": rules], keys: keys, data: house.data, clock: house.clock, logger: .silent)
    }

    func made(_ epoch: Epoch = CredentialHouse.november, app: AppName = "shop") throws -> Precredential {
        let key = try #require(keys.issuer(of: epoch, app: app)).publicKey
        return Precredential(
            for: try IssuerKey(rawRepresentation: key), requestContext: try epoch.requestContext(of: app))
    }

    func ask(
        _ made: Precredential, _ token: String = "phone", app: AppName = "shop",
        epoch: String = CredentialHouse.november.description, by: String = "doorman", evidence: String = "token"
    ) async throws -> Credential {
        let bytes = try await desk.answer(
            CredentialQuestion(
                app: app, epoch: epoch, request: Base64URL.text(of: made.request.rawRepresentation), attester: by,
                evidence: Evidence([evidence: token])))
        return try made.finalize(CredentialResponse(rawRepresentation: bytes))
    }
}
