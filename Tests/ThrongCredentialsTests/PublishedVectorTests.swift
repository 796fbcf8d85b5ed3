import Foundation
import Testing
import ThrongCredentials
import ThrongWire

@Suite("What Apple and Google have published is told as they tell it")
struct PublishedVectorTests {
    private static func text(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Published")
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private static func clock(_ day: String) throws -> UnixClock {
        let time = try Date("\(day)T12:00:00Z", strategy: .iso8601)
        return UnixClock { UnixSeconds(Int64(time.timeIntervalSince1970)) }
    }

    // MARK: Apple

    /// The example as CBOR, without its receipt.
    private static func apple(_ change: (inout [[UInt8]]) -> Void = { _ in }) throws -> String {
        var parts = try text("apple.txt").split(separator: "\n").map { line in
            Array(try #require(Data(base64Encoded: String(line))))
        }
        change(&parts)
        func word(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + text.utf8 }
        func bytes(_ bytes: [UInt8]) -> [UInt8] {
            let (high, low) = (UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff))
            return (high == 0 ? [0x58, low] : [0x59, high, low]) + bytes
        }
        let statement = [0xa1] + word("x5c") + [0x82] + bytes(parts[0]) + bytes(parts[1])
        let object =
            [0xa3] + word("fmt") + word("apple-appattest") + word("attStmt") + statement + word("authData")
            + bytes(parts[2])
        return Data(object).base64EncodedString()
    }

    private static func ask(
        _ object: String, app: String = "0352187391.com.apple.example_app_attest", on day: String = "2024-04-18",
        key: String = "bSrEhF8TIzIvWSPwvZ0i2+UOBre4ASH84rK15m6emNY=", challenge: String = "test_server_challenge",
        isDevelopment: Bool = false
    ) async throws -> [UInt8] {
        let clock = try clock(day)
        let attester = try #require(AppAttestAttester(apps: [app], isDevelopment: isDevelopment, clock: clock))
        return try await attester.device(
            by: Evidence(["key": key, "object": object]), challenge: Array(challenge.utf8), app: "shop")
    }

    @Test("the example of the validation guide vouches for its key, by Apple's own root, and for nothing that differs")
    func apple() async throws {
        let key = Array(try #require(Data(base64Encoded: "bSrEhF8TIzIvWSPwvZ0i2+UOBre4ASH84rK15m6emNY=")))
        #expect(try await Self.ask(Self.apple()) == key)
        func refused(
            _ flaw: AttesterError.Flaw, _ body: () async throws -> [UInt8],
            _ location: SourceLocation = #_sourceLocation
        ) async {
            await #expect(throws: AttesterError.refused(flaw), sourceLocation: location) { try await body() }
        }
        await refused(.chain) { try await Self.ask(Self.apple(), on: "2024-04-21") }
        await refused(.challenge) { try await Self.ask(Self.apple(), challenge: "test_server_challengf") }
        await refused(.app) { try await Self.ask(Self.apple(), app: "0352187391.com.apple.another_app") }
        await refused(.environment) { try await Self.ask(Self.apple(), isDevelopment: true) }
        await refused(.key) { try await Self.ask(Self.apple(), key: "AAAA") }
        await refused(.challenge) { try await Self.ask(Self.apple { $0[2][36] = 1 }) }
        await refused(.chain) { try await Self.ask(Self.apple { $0[0][$0[0].count - 1] ^= 1 }) }
    }

    // MARK: Google

    struct Phone: CustomTestStringConvertible, Sendable {
        let name: String
        let day: String
        var needsStrongBox = false
        var flaw: AttesterError.Flaw?

        var testDescription: String { name }
    }

    /// What Google's library says is in a chain.
    private struct Described: Decodable {
        struct Root: Decodable {
            let deviceLocked: Bool
            let verifiedBootState: String
        }
        struct Package: Decodable { let name: String }
        struct Application: Decodable {
            let packages: [Package]
            let signatures: [String]
        }
        struct Hardware: Decodable { let rootOfTrust: Root? }
        struct Software: Decodable { let attestationApplicationId: Application }

        let attestationChallenge: String
        let softwareEnforced: Software
        let hardwareEnforced: Hardware
    }

    /// A device's day, within its certificates' time.
    private static let phones = [
        Phone(name: "caiman", day: "2025-09-28", needsStrongBox: true),
        Phone(name: "tegu", day: "2026-02-25", needsStrongBox: true),
        Phone(name: "sony-xperia10-iii", day: "2024-01-01"),
        // Unlocked; keys that swift-certificates does not read, of RSA and ML-DSA; one of software alone.
        Phone(name: "akita", day: "2024-09-27", flaw: .system),
        Phone(name: "blueline", day: "2020-01-01", flaw: .chain),
        Phone(name: "tokay", day: "2026-04-28", flaw: .chain), Phone(name: "marlin", day: "2020-01-01", flaw: .chain),
    ]

    @Test("chains of real devices, by Google's own roots", arguments: phones)
    func google(phone: Phone) async throws {
        let described = try JSONDecoder().decode(Described.self, from: Data(Self.text("\(phone.name).json").utf8))
        let application = described.softwareEnforced.attestationApplicationId
        let isVerified = described.hardwareEnforced.rootOfTrust.map {
            $0.deviceLocked && $0.verifiedBootState == "VERIFIED"
        }
        #expect((phone.flaw == nil) == (isVerified ?? false))
        let challenge = Array(try #require(Data(base64Encoded: described.attestationChallenge)))
        let chain = try Self.text("\(phone.name).pem").split(separator: "-----END CERTIFICATE-----").compactMap {
            part in
            part.split(separator: "-----BEGIN CERTIFICATE-----").last.flatMap {
                Data(base64Encoded: String($0), options: .ignoreUnknownCharacters)
            }
        }.reduce(Data(), +)
        func ask(
            on day: String? = nil, of packages: [String]? = nil, needsStrongBox: Bool? = nil,
            challenge asked: [UInt8]? = nil
        ) async throws -> [UInt8] {
            let signers = try application.signatures.map { Array(try #require(Data(base64Encoded: $0))) }
            let (roots, clock) = (try Self.text("google.pem"), try Self.clock(day ?? phone.day))
            let attester = try #require(
                AndroidKeyAttester(
                    packages: packages ?? application.packages.map(\.name), signers: signers,
                    needsStrongBox: needsStrongBox ?? phone.needsStrongBox, roots: roots, clock: clock))
            return try await attester.device(
                by: Evidence(["chain": chain.base64EncodedString()]), challenge: asked ?? challenge, app: "shop")
        }
        if let flaw = phone.flaw {
            await #expect(throws: AttesterError.refused(flaw)) { try await ask() }
            return
        }
        #expect(try await ask().count == 65)
        await #expect(throws: AttesterError.refused(.chain)) { try await ask(on: "2035-06-01") }
        await #expect(throws: AttesterError.refused(.app)) { try await ask(of: ["com.example.shop"]) }
        await #expect(throws: AttesterError.refused(.challenge)) { try await ask(challenge: challenge + [0]) }
        if !phone.needsStrongBox {
            await #expect(throws: AttesterError.refused(.level)) { try await ask(needsStrongBox: true) }
        }
    }
}
