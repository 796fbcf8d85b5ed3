import Crypto
import Foundation
import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongJournal
import ThrongWire

@Suite("A device that somebody vouches for gets so many credentials in a month, and no more")
struct CredentialIssuerTests {
    @Test("a device gets its credential, which its daemon takes; the challenge is the request's SHA-256")
    func given() async throws {
        let office = try Office(CredentialHouse())
        let made = try office.made()
        let credential = try await office.ask(made)
        let secrets = try #require(office.keys.secrets(of: CredentialHouse.november, app: "shop"))
        let context = try CredentialHouse.november.requestContext(of: "shop")
        #expect(credential.present(for: [1]).isProved(for: [1], requestContext: context, by: secrets))
        let challenge = Array(SHA256.hash(data: made.request.rawRepresentation))
        #expect(office.doorman.asked.withLock { $0 } == [challenge])
    }

    @Test(
        "the third request of a device is refused; another device, app or month is not; and a restart forgets nothing")
    func enough() async throws {
        let house = try CredentialHouse()
        house.now = CredentialHouse.november.end - 3600
        let office = try Office(house)
        let kept = try [office.made(), office.made()]
        for made in kept { _ = try await office.ask(made) }
        let refusal = CredentialRefusal.tooMany(limit: 2, secondsLeft: 3600)
        await #expect(throws: refusal) { try await office.ask(office.made()) }
        _ = try await office.ask(office.made(), "tablet")
        _ = try await office.ask(office.made(app: "notes"), app: "notes")
        let next = CredentialHouse.november.next
        _ = try await office.ask(office.made(next), epoch: next.description)

        let again = try Office(house)
        await #expect(throws: refusal) { try await again.ask(again.made()) }
        // An answer that was lost is given again, without asking anybody, and it is the same credential.
        again.doorman.isAway.withLock { $0 = true }
        let tag = try await office.ask(kept[0]).tag(for: [1])
        #expect(try await again.ask(kept[0]).tag(for: [1]) == tag)
        #expect(again.doorman.asked.withLock(\.count) == 1)
        let more = try Office(house, most: 3)
        _ = try await more.ask(more.made())
        await #expect(throws: CredentialRefusal.tooMany(limit: 3, secondsLeft: 3600)) {
            try await more.ask(more.made())
        }
    }

    @Test("of a hundred requests of one device at once two are answered, and of one request sent a hundred times all")
    func atOnce() async throws {
        let office = try Office(CredentialHouse())
        let different = try (0..<100).map { _ in try office.made() }
        let given = await withTaskGroup(of: Bool.self) { group in
            for made in different {
                group.addTask {
                    do { _ = try await office.ask(made) } catch { return false }; return true
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(given == 2)
        let same = try office.made()
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do { _ = try await office.ask(same, "tablet") } catch { return "\(error)" }
                    return "given"
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        // Some came while too many others asked, and are told to come again.
        #expect(outcomes["given", default: 0] > 0 && Set(outcomes.keys).subtracting(["given", "busy"]).isEmpty)
        _ = try await office.ask(office.made(), "tablet")
        await #expect(throws: CredentialRefusal.self) { try await office.ask(office.made(), "tablet") }
    }

    @Test("whatever is not as it has to be is refused by name, and counts nothing")
    func refused() async throws {
        let office = try Office(CredentialHouse())
        let made = try office.made()
        await #expect(throws: CredentialRefusal.noCredentials) { try await office.ask(made, app: "other") }
        await #expect(throws: CredentialRefusal.unknownAttester(known: ["doorman"])) {
            try await office.ask(made, by: "me")
        }
        let november = CredentialHouse.november
        for epoch in ["2026-12", "2026-10", "", "november"] {
            await #expect(throws: CredentialRefusal.wrongEpoch(issued: [november])) {
                try await office.ask(made, epoch: epoch)
            }
        }
        await #expect(throws: CredentialRefusal.notAttested(.denied)) { try await office.ask(made, "nobody") }
        await #expect(throws: CredentialRefusal.malformed(pointer: "/attestation/token", expected: "a string")) {
            try await office.ask(made, evidence: "other")
        }
        office.doorman.isAway.withLock { $0 = true }
        await #expect(throws: CredentialRefusal.busy) { try await office.ask(made) }
        office.doorman.isAway.withLock { $0 = false }
        let asked = office.doorman.asked.withLock(\.count)
        var bytes = made.request.rawRepresentation
        bytes[225] ^= 1
        let infinite = bytes[..<33] + bytes[..<33] + [UInt8](repeating: 0, count: 160)
        let answers: [(String, CredentialRefusal)] = [
            (Base64URL.text(of: bytes), .unproved), (Base64URL.text(of: infinite), .unproved),
            (Base64URL.text(of: [UInt8](repeating: 0, count: 226)), Self.unreadable),
            ("", Self.wrongLength), (Base64URL.text(of: bytes.dropLast()), Self.wrongLength), ("%", Self.wrongLength),
        ]
        for (request, refusal) in answers {
            await #expect(throws: refusal) {
                try await office.desk.answer(
                    CredentialQuestion(
                        app: "shop", epoch: "2026-11", request: request, attester: "doorman",
                        evidence: Evidence(["token": "phone"])))
            }
        }
        // Nobody is asked about what can't be right.
        #expect(office.doorman.asked.withLock(\.count) == asked)
        for _ in 0..<2 { _ = try await office.ask(office.made()) }
    }

    private static let wrongLength = CredentialRefusal.malformed(
        pointer: "/request", expected: "226 bytes in base64url")
    private static let unreadable = CredentialRefusal.malformed(
        pointer: "/request", expected: "a request for a credential of throng-arc-1")

    @Test("a disk that takes no record gives no credential, and gives it once it does")
    func fullDisk() async throws {
        let house = try CredentialHouse()
        let office = try Office(house)
        let path = "\(house.path)/issued/\(CredentialHouse.november.number).log"
        let made = try office.made()
        _ = try await office.ask(office.made())
        let whole = try #require(FileManager.default.contents(atPath: path))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        await #expect(throws: CredentialRefusal.busy) { try await office.ask(made) }
        try FileManager.default.removeItem(atPath: path)
        #expect(FileManager.default.createFile(atPath: path, contents: whole))
        _ = try await office.ask(made)
        await #expect(throws: CredentialRefusal.self) { try await office.ask(office.made()) }
    }

    @Test("everybody reads the same terms: the keys of the months that are issued, who vouches, and how many there are")
    func terms() throws {
        let house = try CredentialHouse()
        let office = try Office(house)
        let terms = try #require(office.desk.terms(of: "shop"))
        #expect(terms.app == "shop" && terms.protocol == "throng-arc-1" && terms.credentials == 2)
        #expect(terms.attesters == ["doorman"] && terms.epochs.map(\.epoch) == ["2026-11"])
        #expect(terms.epochs[0].ends == CredentialHouse.november.end.value)
        let key = try #require(office.keys.issuer(of: CredentialHouse.november, app: "shop")).publicKey
        #expect(AnyBase64.bytes(terms.epochs[0].key) == key && terms.epochs[0].key.utf8.count == 132)
        #expect(office.desk.terms(of: "shop") == terms && office.desk.terms(of: "other") == nil)
        house.now = CredentialHouse.november.end - 1
        office.keys.turn(mayDestroy: true)
        #expect(office.desk.terms(of: "shop")?.epochs.map(\.epoch) == ["2026-11", "2026-12"])
    }

    @Test("with the month's key goes who got credentials in it")
    func forgotten() async throws {
        let house = try CredentialHouse()
        let office = try Office(house)
        _ = try await office.ask(office.made())
        #expect(try house.files("issued") == ["\(CredentialHouse.november.number).log"])
        house.now = CredentialHouse.november.over - 1
        office.keys.turn(mayDestroy: true)
        #expect(try house.files("issued").count == 1)
        house.now = CredentialHouse.november.over
        office.keys.turn(mayDestroy: true)
        #expect(try house.files("issued").isEmpty)
    }
}
