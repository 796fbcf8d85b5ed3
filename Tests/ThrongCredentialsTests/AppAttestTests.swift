import Crypto
import Foundation
import SwiftASN1
import Testing
import ThrongCredentials
import ThrongWire
import X509

@Suite(
    "App Attest: an app that is genuine by a chain of Apple's shape is taken, and each wrong field is refused by name")
struct AppAttestTests {
    private static let app = "ABCDE12345.com.example.shop"
    private static let challenge = [UInt8](repeating: 7, count: 32)
    private static let now = Date(timeIntervalSince1970: 1_795_680_000)

    /// A root, an intermediate and a device's certificate, as Apple's are: P-384 twice, then P-256 with the nonce.
    private struct Apple {
        let rootKey = P384.Signing.PrivateKey()
        let middleKey = P384.Signing.PrivateKey()
        let root: Certificate
        let middle: Certificate

        init() throws {
            root = try Self.certificate(
                "Root", Certificate.PublicKey(rootKey.publicKey), by: "Root", rootKey, isAuthority: true)
            middle = try Self.certificate(
                "CA 1", Certificate.PublicKey(middleKey.publicKey), by: "Root", rootKey, isAuthority: true)
        }

        var pem: String { get throws { try root.serializeAsPEM().pemString } }

        static func certificate(
            _ name: String, _ key: Certificate.PublicKey, by issuer: String, _ issuerKey: P384.Signing.PrivateKey,
            isAuthority: Bool, nonce: [UInt8]? = nil, days: Double = 3
        ) throws -> Certificate {
            var extensions = try Certificate.Extensions {
                if isAuthority {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                } else {
                    Critical(BasicConstraints.notCertificateAuthority)
                }
            }
            if let nonce {
                var serializer = DER.Serializer()
                try serializer.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(
                        ASN1OctetString(contentBytes: nonce[...]), explicitlyTaggedWithTagNumber: 1,
                        tagClass: .contextSpecific)
                }
                try extensions.append(
                    .init(
                        oid: [1, 2, 840, 113_635, 100, 8, 2], critical: false, value: serializer.serializedBytes[...]))
            }
            return try Certificate(
                version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: now - 3600,
                notValidAfter: now + days * 86_400, issuer: DistinguishedName { CommonName(issuer) },
                subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA384,
                extensions: extensions, issuerPrivateKey: .init(issuerKey))
        }
    }

    /// What a device makes; each member can be made wrong.
    private struct Phone {
        var app = AppAttestTests.app
        var challenge = AppAttestTests.challenge
        var counter: UInt8 = 0
        var environment = "appattest\0\0\0\0\0\0\0"
        var format = "apple-appattest"
        var credential: [UInt8]?
        var named: [UInt8]?
        var days = 3.0
        var leavesMiddleOut = false
        var tail: [UInt8] = []

        func evidence(_ apple: Apple) throws -> Evidence {
            let key = P256.Signing.PrivateKey().publicKey
            let identifier = Array(SHA256.hash(data: key.x963Representation))
            let data =
                Array(SHA256.hash(data: Array(app.utf8))) + [0x40, 0, 0, 0, counter] + Array(environment.utf8) + [
                    0, 32,
                ]
                + (credential ?? identifier) + [0xa0]
            let nonce = Array(SHA256.hash(data: data + challenge))
            let leaf = try Apple.certificate(
                "device", Certificate.PublicKey(key), by: "CA 1", apple.middleKey, isAuthority: false, nonce: nonce,
                days: days)
            var chain = [CBOR.bytes(try CBOR.der(leaf))]
            if !leavesMiddleOut { chain.append(CBOR.bytes(try CBOR.der(apple.middle))) }
            let object = CBOR.map([
                ("fmt", CBOR.text(format)),
                ("attStmt", CBOR.map([("x5c", CBOR.array(chain)), ("receipt", CBOR.bytes([1, 2, 3]))])),
                ("authData", CBOR.bytes(data)),
            ])
            return Evidence([
                "key": Data(named ?? identifier).base64EncodedString(),
                "object": Data(object + tail).base64EncodedString(),
            ])
        }
    }

    private enum CBOR {
        static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
            if count < 24 { return [kind << 5 | UInt8(count)] }
            if count < 256 { return [kind << 5 | 24, UInt8(count)] }
            return [kind << 5 | 25, UInt8(count >> 8), UInt8(count & 255)]
        }

        static func bytes(_ value: [UInt8]) -> [UInt8] { head(2, value.count) + value }
        static func text(_ value: String) -> [UInt8] { head(3, value.utf8.count) + Array(value.utf8) }
        static func array(_ values: [[UInt8]]) -> [UInt8] { head(4, values.count) + values.flatMap { $0 } }
        static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
            head(5, members.count) + members.flatMap { text($0) + $1 }
        }

        static func der(_ certificate: Certificate) throws -> [UInt8] {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    private func device(
        _ phone: Phone, _ apple: Apple, roots: String? = nil, isDevelopment: Bool = false, after seconds: Int64 = 0
    ) async throws -> [UInt8] {
        let attester = try #require(
            AppAttestAttester(
                apps: [Self.app, "ABCDE12345.com.example.other"], isDevelopment: isDevelopment,
                roots: try roots ?? apple.pem,
                clock: UnixClock { UnixSeconds(Int64(Self.now.timeIntervalSince1970)) + seconds }))
        return try await attester.device(by: phone.evidence(apple), challenge: Self.challenge, app: "shop")
    }

    @Test("the key is the device, of either app that is listed, and of a development build where those are taken")
    func taken() async throws {
        let apple = try Apple()
        #expect(try await device(Phone(), apple).count == 32)
        _ = try await device(Phone(app: "ABCDE12345.com.example.other"), apple)
        _ = try await device(Phone(environment: "appattestdevelop"), apple, isDevelopment: true)
        #expect(AppAttestAttester(apps: [Self.app], roots: "no certificates") == nil)
        #expect(AppAttestAttester(apps: [Self.app]) != nil)
    }

    @Test("each wrong field is refused by name")
    func refused() async throws {
        let apple = try Apple()
        let wrong: [(Phone, AttesterError.Flaw)] = [
            (Phone(app: "ABCDE12345.com.example.stranger"), .app),
            (Phone(challenge: [UInt8](repeating: 8, count: 32)), .challenge), (Phone(counter: 1), .used),
            (Phone(environment: "appattestdevelop"), .environment),
            (Phone(credential: [UInt8](repeating: 1, count: 32)), .key),
            (Phone(named: [UInt8](repeating: 1, count: 32)), .key), (Phone(leavesMiddleOut: true), .chain),
            (Phone(days: -0.01), .chain),
        ]
        for (phone, flaw) in wrong {
            await #expect(throws: AttesterError.refused(flaw)) { try await device(phone, apple) }
        }
        await #expect(throws: AttesterError.refused(.environment)) {
            try await device(Phone(), apple, isDevelopment: true)
        }
        await #expect(throws: AttesterError.refused(.chain)) { try await device(Phone(), apple, after: 4 * 86_400) }
        await #expect(throws: AttesterError.refused(.chain)) { try await device(Phone(), apple, after: -7200) }
        // Another root of the same name, and Apple's own.
        for roots in [try Apple().pem, nil] {
            let attester = try #require(
                AppAttestAttester(
                    apps: [Self.app], roots: roots,
                    clock: UnixClock { UnixSeconds(Int64(Self.now.timeIntervalSince1970)) }))
            await #expect(throws: AttesterError.refused(.chain)) {
                try await attester.device(by: Phone().evidence(apple), challenge: Self.challenge, app: "shop")
            }
        }
    }

    @Test("what is no attestation object is named, and stops nobody")
    func malformed() async throws {
        let apple = try Apple()
        let object = AttesterError.evidence(member: "object", expected: "an attestation object of App Attest")
        await #expect(throws: object) { try await device(Phone(format: "packed"), apple) }
        await #expect(throws: object) { try await device(Phone(tail: [0]), apple) }
        let attester = try #require(AppAttestAttester(apps: [Self.app]))
        for bytes in [
            [0xa0], [0xbf], [0xff], [0x9b, 255, 255, 255, 255, 255, 255, 255, 255],
            [0x5b, 127, 255, 255, 255, 255, 255, 255, 255],
            [UInt8](repeating: 0x81, count: 5000), [0x18, 1], [0xa2, 0x60, 0, 0x60, 0],
        ] as [[UInt8]] {
            await #expect(throws: object) {
                try await attester.device(
                    by: Evidence(["key": "AAAA", "object": Data(bytes).base64EncodedString()]), challenge: [],
                    app: "shop")
            }
        }
        await #expect(throws: AttesterError.evidence(member: "key", expected: "a string")) {
            try await attester.device(by: Evidence([:]), challenge: [], app: "shop")
        }
    }
}
