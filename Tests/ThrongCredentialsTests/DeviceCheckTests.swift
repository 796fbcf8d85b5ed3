import Crypto
import Foundation
import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongWire

@Suite("DeviceCheck counts what a device gets, although nobody else knows it again")
struct DeviceCheckTests {
    /// A daemon's end of it, with the secret in a file as an operator has it.
    private struct Desk {
        let house: CredentialHouse
        let apple: Apple
        let secret: String

        init() throws {
            house = try CredentialHouse()
            apple = try Apple()
            secret = house.path + "/AuthKey.p8"
            try write(apple.signing.pemRepresentation, mode: 0o600)
        }

        func write(_ text: String, mode: Int) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: secret))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secret)
        }

        func attester(most: Int = 2, address: String? = nil) -> DeviceCheckAttester {
            DeviceCheckAttester(
                address: address ?? apple.address, team: "TEAM123456", key: "KEY1234567", secret: secret, most: most,
                seconds: 5, clock: house.clock)
        }
    }

    /// What comes of a request with a token of a device, each time another one.
    private static func ask(_ attester: DeviceCheckAttester, _ device: String) async -> Result<[UInt8], AttesterError> {
        let token = Data("\(device)#\(UUID())".utf8).base64EncodedString()
        let challenge = Array(SHA256.hash(data: Array(token.utf8)))
        do throws(AttesterError) {
            return .success(
                try await attester.device(by: Evidence(["token": token]), challenge: challenge, app: "shop"))
        } catch {
            return .failure(error)
        }
    }

    private static func isGiven(_ result: Result<[UInt8], AttesterError>) -> Bool {
        if case .success = result { true } else { false }
    }

    @Test("so many in a month and no more, by the bits that Apple keeps, whatever the daemon forgets", arguments: 1...3)
    func month(most: Int) async throws {
        let desk = try Desk()
        defer { desk.apple.stop() }
        for _ in 0..<most { #expect(Self.isGiven(await Self.ask(desk.attester(most: most), "phone"))) }
        for _ in 0..<2 { #expect(await Self.ask(desk.attester(most: most), "phone") == .failure(.spent)) }
        #expect(Self.isGiven(await Self.ask(desk.attester(most: most), "another")))
        // In December the bits are still there, and say nothing of it.
        desk.house.now = CredentialHouse.november.end
        desk.apple.memory.withLock { $0.month = "2026-12" }
        for _ in 0..<most { #expect(Self.isGiven(await Self.ask(desk.attester(most: most), "phone"))) }
        #expect(await Self.ask(desk.attester(most: most), "phone") == .failure(.spent))
    }

    @Test("those that come at once count one after another")
    func together() async throws {
        let desk = try Desk()
        defer { desk.apple.stop() }
        desk.apple.memory.withLock { $0.pause = 20_000 }
        let attester = desk.attester()
        let given = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { Self.isGiven(await Self.ask(attester, "phone")) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(given == 2)
        // Control: two daemons that ask the same Apple know nothing of each other.
        let others = [desk.attester(), desk.attester(), desk.attester(), desk.attester()]
        let more = await withTaskGroup(of: Bool.self) { group in
            for other in others { group.addTask { Self.isGiven(await Self.ask(other, "control")) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(more > 2)
    }

    @Test("a token that is none is refused; an Apple that can't be asked gives nobody anything, and costs no bit")
    func moods() async throws {
        let desk = try Desk()
        defer { desk.apple.stop() }
        #expect(await Self.ask(desk.attester(), "nobody") == .failure(.refused(.denied)))
        for mood in Apple.Mood.allCases where mood != .well {
            desk.apple.memory.withLock { $0.mood = mood }
            guard case .failure(.unavailable(let reason)) = await Self.ask(desk.attester(), "phone") else {
                Issue.record("\(mood) gives a credential")
                continue
            }
            #expect(!reason.contains("AuthKey") && !reason.contains("#"), "\(reason)")
        }
        guard case .failure(.unavailable) = await Self.ask(desk.attester(address: "http://127.0.0.1:1"), "phone") else {
            Issue.record("nobody gives a credential")
            return
        }
        desk.apple.memory.withLock { $0.mood = .well }
        for _ in 0..<2 { #expect(Self.isGiven(await Self.ask(desk.attester(), "phone"))) }
        for token in ["", "%", String(repeating: "A", count: 40_000)] {
            await #expect(throws: AttesterError.self) {
                try await desk.attester().device(by: Evidence(["token": token]), challenge: [1], app: "shop")
            }
        }
    }

    @Test("a key that others may read, or that is none, is named, and nothing is asked")
    func secrets() async throws {
        let desk = try Desk()
        defer { desk.apple.stop() }
        let pem = desk.apple.signing.pemRepresentation
        for (text, mode, word) in [(pem, 0o644, "chmod 600"), ("no key", 0o600, "no private key")] {
            try desk.write(text, mode: mode)
            guard case .failure(.unavailable(let reason)) = await Self.ask(desk.attester(), "phone") else {
                Issue.record("\(word): it was asked")
                continue
            }
            #expect(reason.contains(word) && !reason.contains("BEGIN"))
        }
        #expect(desk.apple.memory.withLock { $0.questions.isEmpty })
        try desk.write(P256.Signing.PrivateKey().pemRepresentation, mode: 0o600)
        guard case .failure(.unavailable(let reason)) = await Self.ask(desk.attester(), "phone") else {
            Issue.record("another key is taken")
            return
        }
        #expect(reason.contains("KEY1234567"))
    }

    @Test(
        "at the desk a lost answer is given again without asking Apple, and who has spent it gets 429 until the month ends"
    )
    func desk() async throws {
        let desk = try Desk()
        defer { desk.apple.stop() }
        let keys = try desk.house.keys()
        let rules = CredentialRules(most: 1, attesters: [desk.attester(most: 1)])
        let office = CredentialIssuer(
            ["shop": rules], keys: keys, data: desk.house.data, clock: desk.house.clock, logger: .silent)
        let issuer = try #require(keys.issuer(of: CredentialHouse.november, app: "shop"))
        func question(_ made: Precredential) -> CredentialQuestion {
            CredentialQuestion(
                app: "shop", epoch: "2026-11", request: Base64URL.text(of: made.request.rawRepresentation),
                attester: "device-check",
                evidence: Evidence(["token": Data("phone#\(UUID())".utf8).base64EncodedString()]))
        }
        func made() throws -> Precredential {
            Precredential(
                for: try IssuerKey(rawRepresentation: issuer.publicKey),
                requestContext: try CredentialHouse.november.requestContext(of: "shop"))
        }
        let first = try made()
        for _ in 0..<3 {
            let answer = try await office.answer(question(first))
            _ = try first.finalize(CredentialResponse(rawRepresentation: answer))
        }
        #expect(desk.apple.memory.withLock { $0.questions.count } == 2)
        let next = try question(made())
        await #expect(
            throws: CredentialRefusal.tooMany(limit: 1, secondsLeft: CredentialHouse.november.end - desk.house.now)
        ) { try await office.answer(next) }
    }
}
