import Crypto
import Foundation
import SwiftASN1
import Testing
import ThrongCredentials
import ThrongWire
import X509

@Suite(
    "Android's key attestation: an app that is genuine by a chain of its shape is taken, each wrong field refused by name"
)
struct AndroidKeyTests {
    private static let challenge = [UInt8](repeating: 7, count: 32)
    private static let signer = [UInt8](repeating: 9, count: 32)
    private static let now = Date(timeIntervalSince1970: 1_795_680_000)

    /// Values of DER.
    private enum Values {
        static func value(_ tag: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
            let count = bytes.count
            let length =
                count < 128
                ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
            return tag + length + bytes
        }

        static func sequence(_ parts: [UInt8]...) -> [UInt8] { value([0x30], parts.flatMap { $0 }) }
        static func set(_ parts: [[UInt8]]) -> [UInt8] { value([0x31], parts.flatMap { $0 }) }
        static func octets(_ bytes: [UInt8]) -> [UInt8] { value([0x04], bytes) }
        static func integer(_ number: UInt8) -> [UInt8] { value([0x02], [number]) }
        static func enumerated(_ number: UInt8) -> [UInt8] { value([0x0a], [number]) }
        static func flag(_ isSet: Bool) -> [UInt8] { value([0x01], [isSet ? 255 : 0]) }
        static func tagged(_ number: UInt16, _ bytes: [UInt8]) -> [UInt8] {
            value([0xbf, 0x80 | UInt8(number >> 7), UInt8(number & 0x7f)], bytes)
        }
    }

    /// What a device makes; each part can be made wrong.
    private struct Phone {
        var challenge = AndroidKeyTests.challenge
        var package = "com.example.shop"
        var others: [String] = []
        var signer = AndroidKeyTests.signer
        var level: UInt8 = 1
        var keyLevel: UInt8 = 1
        var origin: UInt8 = 0
        var isLocked = true
        var state: UInt8 = 0
        /// Whether the system, and not the hardware, says how the key was made.
        var isSaidBySystem = false
        var description: [UInt8]?
        var days = 3.0

        var value: [UInt8] {
            if let description { return description }
            let packages = ([package] + others).map {
                Values.sequence(Values.octets(Array($0.utf8)), Values.integer(5))
            }
            let application = Values.sequence(Values.set(packages), Values.set([Values.octets(signer)]))
            let key =
                Values.tagged(702, Values.integer(origin))
                + Values.tagged(
                    704,
                    Values.sequence(
                        Values.octets([UInt8](repeating: 1, count: 32)), Values.flag(isLocked),
                        Values.enumerated(state),
                        Values.octets([UInt8](repeating: 2, count: 32))))
            let named = Values.tagged(709, Values.octets(application))
            return Values.sequence(
                Values.integer(4), Values.enumerated(level), Values.integer(41), Values.enumerated(keyLevel),
                Values.octets(challenge), Values.octets([]),
                Values.sequence(isSaidBySystem ? key + named : named), Values.sequence(isSaidBySystem ? [] : key))
        }
    }

    private struct Google {
        let rootKey = P384.Signing.PrivateKey()
        let middleKey = P256.Signing.PrivateKey()
        let root: Certificate
        let middle: Certificate

        init() throws {
            root = try Self.certificate(
                "Root", .init(rootKey.publicKey), by: "Root", .init(rootKey), isAuthority: true)
            middle = try Self.certificate(
                "Middle", .init(middleKey.publicKey), by: "Root", .init(rootKey), isAuthority: true)
        }

        static func certificate(
            _ name: String, _ key: Certificate.PublicKey, by issuer: String, _ issuerKey: Certificate.PrivateKey,
            isAuthority: Bool, description: [UInt8]? = nil, days: Double = 3
        ) throws -> Certificate {
            var extensions = try Certificate.Extensions {
                if isAuthority { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
                Critical(KeyUsage(digitalSignature: !isAuthority, keyCertSign: isAuthority))
            }
            if let description {
                try extensions.append(
                    .init(oid: [1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17], critical: false, value: description[...]))
            }
            return try Certificate(
                version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: now - 3600,
                notValidAfter: now + days * 86_400, issuer: DistinguishedName { CommonName(issuer) },
                subject: DistinguishedName { CommonName(name) }, extensions: extensions, issuerPrivateKey: issuerKey)
        }

        func chain(_ phone: Phone) throws -> [Certificate] {
            let key = P256.Signing.PrivateKey()
            let leaf = try Self.certificate(
                "Android Keystore Key", .init(key.publicKey), by: "Middle", .init(middleKey), isAuthority: false,
                description: phone.value, days: phone.days)
            return [leaf, middle, root]
        }
    }

    private func bytes(_ certificates: [Certificate]) throws -> [UInt8] {
        try certificates.flatMap { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    private func device(
        _ phone: Phone, _ google: Google, roots: String? = nil, needsStrongBox: Bool = false, revoked: String? = nil,
        chain: [Certificate]? = nil
    ) async throws -> [UInt8] {
        let attester = try #require(
            AndroidKeyAttester(
                packages: ["com.example.shop", "com.example.other"], signers: [Self.signer],
                needsStrongBox: needsStrongBox, roots: try roots ?? google.root.serializeAsPEM().pemString,
                revoked: revoked,
                clock: UnixClock { UnixSeconds(Int64(Self.now.timeIntervalSince1970)) }))
        let sent = try bytes(chain ?? google.chain(phone))
        return try await attester.device(
            by: Evidence(["chain": Data(sent).base64EncodedString()]), challenge: Self.challenge, app: "shop")
    }

    @Test("the key is the device, also in a StrongBox, and of apps that share a name of the system's")
    func taken() async throws {
        let google = try Google()
        #expect(try await device(Phone(), google).count == 65)
        _ = try await device(Phone(level: 2, keyLevel: 2), google, needsStrongBox: true)
        _ = try await device(Phone(others: ["com.example.other"]), google)
        #expect(AndroidKeyAttester(packages: [], signers: [], roots: "none") == nil)
    }

    @Test("each wrong field is refused by name")
    func refused() async throws {
        let google = try Google()
        let wrong: [(Phone, AttesterError.Flaw)] = [
            (Phone(challenge: [1]), .challenge), (Phone(package: "com.example.stranger"), .app),
            (Phone(others: ["com.example.stranger"]), .app), (Phone(signer: [1]), .app), (Phone(level: 0), .level),
            (Phone(keyLevel: 0), .level), (Phone(origin: 2), .key), (Phone(isLocked: false), .system),
            (Phone(state: 1), .system), (Phone(isSaidBySystem: true), .system), (Phone(description: []), .description),
            (Phone(description: [0x30, 0]), .description), (Phone(days: -0.01), .chain),
        ]
        for (phone, flaw) in wrong {
            await #expect(throws: AttesterError.refused(flaw)) { try await device(phone, google) }
        }
        await #expect(throws: AttesterError.refused(.level)) {
            try await device(Phone(level: 1, keyLevel: 2), google, needsStrongBox: true)
        }
        await #expect(throws: AttesterError.refused(.chain)) {
            try await device(Phone(), google, roots: Google().root.serializeAsPEM().pemString)
        }
    }

    @Test("a key that is attested vouches for no other: a certificate that it signed is none of the chain")
    func extended() async throws {
        let google = try Google()
        let key = P256.Signing.PrivateKey()
        let honest = try Google.certificate(
            "Android Keystore Key", .init(key.publicKey), by: "Middle", .init(google.middleKey), isAuthority: false,
            description: Phone(challenge: [1]).value)
        let forged = try Google.certificate(
            "Forged", .init(P256.Signing.PrivateKey().publicKey), by: "Android Keystore Key", .init(key),
            isAuthority: false, description: Phone().value)
        await #expect(throws: AttesterError.refused(.chain)) {
            try await device(Phone(), google, chain: [forged, honest, google.middle, google.root])
        }
    }

    @Test("a certificate on the list of revoked ones is refused, and nothing is taken while there is no list")
    func revoked() async throws {
        let google = try Google()
        let path = FileManager.default.temporaryDirectory.appending(path: "revoked-\(UUID()).json").path
        func write(_ text: String, at time: Double) throws {
            #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path)
        }
        await #expect(throws: AttesterError.unavailable(reason: "the list of revoked certificates can't be read")) {
            try await device(Phone(), google, revoked: path)
        }
        try write(#"{"entries": {"0abc": {"status": "REVOKED", "reason": "KEY_COMPROMISE"}}}"#, at: 1)
        _ = try await device(Phone(), google, revoked: path)
        let serial = google.middle.serialNumber.bytes.map { String(format: "%02X", $0) }.joined()
        try write(#"{"entries": {"\#(serial)": {"status": "SUSPENDED"}}}"#, at: 2)
        await #expect(throws: AttesterError.refused(.revoked)) { try await device(Phone(), google, revoked: path) }
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("what is no chain is named")
    func malformed() async throws {
        let google = try Google()
        let attester = try #require(
            AndroidKeyAttester(packages: [], signers: [], roots: google.root.serializeAsPEM().pemString))
        let whole = try bytes(google.chain(Phone()))
        let chain = AttesterError.evidence(member: "chain", expected: "certificates in DER, one after the other")
        for bytes in [[0x30], [0x30, 0x82, 0xff, 0xff], Array(whole.dropLast()), whole + [0], whole + whole + whole] {
            await #expect(throws: chain) {
                try await attester.device(
                    by: Evidence(["chain": Data(bytes).base64EncodedString()]), challenge: [], app: "shop")
            }
        }
        var changed = whole
        changed[whole.count / 6] ^= 1
        await #expect(throws: AttesterError.refused(.chain)) {
            try await attester.device(
                by: Evidence(["chain": Data(changed).base64EncodedString()]), challenge: [], app: "shop")
        }
    }
}
