import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongServer

@Suite("An identifier is proved by a credential of its app, month and window, and by nothing else", .serialized)
struct ProofTests {
    /// What a device does: it asks once a month and shows what it got in each window.
    private static func credential(
        _ house: IngestionHouse, app: AppName = "shop", epoch: Epoch? = nil
    ) throws -> Credential {
        let epoch = epoch ?? Epoch(containing: house.now)
        let issuer = try #require(house.epochs.issuer(of: epoch, app: app))
        let mine = Precredential(
            for: try IssuerKey(rawRepresentation: issuer.publicKey), requestContext: try epoch.requestContext(of: app))
        let request = try #require(try ProvedRequest(mine.request.rawRepresentation))
        return try mine.finalize(CredentialResponse(rawRepresentation: try issuer.issue(request)))
    }

    private static func shown(
        _ credential: Credential, in window: Int64, of purpose: PurposeName = "proved", app: AppName = "shop"
    ) throws -> (id: String, proof: String) {
        let context = try PresentationContext.window(WindowNumber(window), of: purpose, app: app)
        let presentation = credential.present(for: context.bytes)
        return (
            Base64URL.text(of: presentation.tag.rawRepresentation), Base64URL.text(of: presentation.rawRepresentation)
        )
    }

    /// How many devices the house knows to be proved.
    private static func proved(_ house: IngestionHouse) -> Int64 {
        var devices: Int64 = 0
        house.ingestion.state.withLock { counting in
            while let flush = counting.freeze() {
                for delta in flush.distinct
                where flush.layouts[delta.layout].metric == "shows" && delta.margin == flush.layouts[delta.layout].leaf
                {
                    devices += delta.delta
                }
                counting.applied(flush, closed: [])
            }
        }
        return devices
    }

    private static func window(_ house: IngestionHouse) -> Int64 { house.now.flooredQuotient(by: 60) }

    @Test("it counts as one device however often it is shown, also by a clone that knows nothing of it")
    func once() throws {
        let house = try IngestionHouse()
        let credential = try Self.credential(house)
        let clone = try Credential(rawRepresentation: credential.rawRepresentation)
        for mine in [credential, clone, credential] {
            let (id, proof) = try Self.shown(mine, in: Self.window(house))
            guard case .counted(let answer, .accepted, _) = try house.show(id, proof: proof) else {
                Issue.record("a batch with a proof that holds is counted")
                continue
            }
            #expect(answer.accepted == 1)
        }
        let (id, _) = try Self.shown(credential, in: Self.window(house))
        _ = try house.show(id, proof: nil)
        _ = try house.show("made up", proof: nil)
        #expect(Self.proved(house) == 1)
        // Another window, another identifier, of which nobody can tell whose it is.
        house.time.withLock { $0 = $0 + 60 }
        let (next, proof) = try Self.shown(credential, in: Self.window(house))
        #expect(next != id)
        _ = try house.show(next, proof: proof)
        #expect(Self.proved(house) == 1)
        try house.end()
    }

    @Test("the share of proved events is told: those of identifiers that were proved by then, and no others")
    func evidence() throws {
        let house = try IngestionHouse()
        let (id, proof) = try Self.shown(Self.credential(house), in: Self.window(house))
        _ = try house.show(id, proof: nil)
        _ = try house.show(id, proof: proof)
        for _ in 0..<2 { _ = try house.show(id, proof: nil) }
        for number in 0..<3 { _ = try house.show("made up \(number)", proof: nil) }
        _ = try house.send("of a purpose that asks for none")
        let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
        let counted = Dictionary(grouping: flush.coverage, by: \.kind).mapValues { $0.reduce(0) { $0 + $1.events } }
        #expect(counted == [.accepted: 8, .proved: 3])
        #expect(CoverageKind(code: CoverageKind.proved.code) == .proved)
        try house.end()
    }

    @Test("a proof of another window, purpose, app, month, identifier or house, and one that was changed, is refused")
    func foreign() throws {
        let house = try IngestionHouse()
        let stranger = try IngestionHouse()
        let credential = try Self.credential(house)
        let window = Self.window(house)
        let (id, proof) = try Self.shown(credential, in: window)
        var refused: [String: (id: String, proof: String)] = [
            "window": try Self.shown(credential, in: window - 1),
            "purpose": try Self.shown(credential, in: window, of: "agreed"),
            "presented for another app": try Self.shown(credential, in: window, app: "other"),
            "issued for another app": try Self.shown(Self.credential(house, app: "other"), in: window),
            "house": try Self.shown(Self.credential(stranger), in: window),
            "identifier": (try Self.shown(Self.credential(house), in: window).id, proof),
            "made up": ("made-up-identifier-0", proof),
            "cut": (id, String(proof.prefix(384))),
            "nothing": (id, "AAAA"),
        ]
        // Some days before the month ends, credentials of the next one are there, and prove nothing yet.
        house.time.withLock { $0 = Epoch(containing: $0).end - 3600 }
        house.epochs.turn(mayDestroy: false)
        let next = try Self.credential(house, epoch: Epoch(containing: house.now).next)
        let last = Self.window(house)
        refused["month"] = try Self.shown(next, in: last)
        for (what, shown) in refused {
            let at = what == "month" ? last : window
            house.time.withLock { $0 = UnixSeconds(at * 60) }
            #expect(throws: IntakeError.unproved, "\(what)") {
                try house.show(shown.id, proof: shown.proof, window: at)
            }
        }
        house.time.withLock { $0 = UnixSeconds(window * 60) }
        #expect(throws: IntakeError.self) { try house.show(id, proof: "no base64url!", window: window) }
        let bytes = try #require(Base64URL.bytes(of: proof.utf8))
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << UInt8(place % 8)
            #expect(throws: IntakeError.unproved, "byte \(place)") {
                try house.show(id, proof: Base64URL.text(of: changed), window: window)
            }
        }
        #expect(Self.proved(house) == 0)
        _ = try house.show(id, proof: proof, window: window)
        #expect(Self.proved(house) == 1)
        try house.end()
        try stranger.end()
    }
}
