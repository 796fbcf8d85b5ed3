internal import Crypto
internal import SwiftASN1
package import ThrongWire
internal import X509

/// Apple's App Attest, offline: `key`, the key's identifier, and `object`, the attestation object that `attestKey` gave for the
/// challenge as its `clientDataHash`.
///
/// It proves that the app with that identifier, unchanged, made a key in the Secure Enclave of an Apple device for this
/// request. It does not prove one device: an app can make as many keys as it likes, and what is capped are keys. An honest
/// app makes one; a cheat needs one real device on which it can have the app make more.
///
/// Source: Apple, "Validating apps that connect to your server", and the attestation object's validation guide.
package struct AppAttestAttester: Attester {
    package let name = "app-attest"
    package let asksOthers = false

    /// SHA-256 of the identifiers, such as `ABCDE12345.com.example.shop`.
    private let apps: Set<[UInt8]>
    private let isDevelopment: Bool
    private let roots: [Certificate]
    private let clock: UnixClock

    /// 1.2.840.113635.100.8.2: the nonce.
    private static let nonce: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 8, 2]

    /// Apps are the team's identifier, a dot, and the bundle's; roots are in PEM: nil takes Apple's, none fails with nil.
    package init?(apps: [String], isDevelopment: Bool = false, roots: String? = nil, clock: UnixClock = .system) {
        guard let roots = CertificateChain.certificates(pem: roots ?? AppleRoot.pem) else { return nil }
        self.apps = Set(apps.map { Array(SHA256.hash(data: Array($0.utf8))) })
        (self.isDevelopment, self.roots, self.clock) = (isDevelopment, roots, clock)
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        let key = try evidence.bytes("key")
        guard let object = AppAttestObject(try evidence.bytes("object")) else {
            throw .evidence(member: "object", expected: "an attestation object of App Attest")
        }
        guard let chain = await CertificateChain(object.certificates, roots: roots, at: clock.now) else {
            throw .refused(.chain)
        }
        let nonce = Array(SHA256.hash(data: object.authenticatorData + challenge))
        guard let value = chain.value(of: Self.nonce), AppAttestObject.nonce(in: value) == nonce else {
            throw .refused(.challenge)
        }
        guard let point = chain.point, Array(SHA256.hash(data: point)) == key, object.credential == key else {
            throw .refused(.key)
        }
        guard apps.contains(object.app) else { throw .refused(.app) }
        guard object.counter == 0 else { throw .refused(.used) }
        let environment = isDevelopment ? "appattestdevelop" : "appattest\0\0\0\0\0\0\0"
        guard object.environment == Array(environment.utf8) else { throw .refused(.environment) }
        return key
    }
}

/// An attestation object, as `attestKey` gives it: CBOR of `fmt`, `attStmt` with the certificates and a receipt, and `authData`.
package struct AppAttestObject {
    package let certificates: [[UInt8]]
    package let authenticatorData: [UInt8]

    /// Reads an object; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        var reader = CBORReader(bytes)
        guard case .map(let object) = reader.next(), reader.isAtEnd, object[.text("fmt")] == .text("apple-appattest"),
            case .map(let statement) = object[.text("attStmt")], case .array(let chain) = statement[.text("x5c")],
            (1...8).contains(chain.count), case .bytes(let data) = object[.text("authData")]
        else { return nil }
        var certificates: [[UInt8]] = []
        for case .bytes(let certificate) in chain { certificates.append(certificate) }
        guard certificates.count == chain.count else { return nil }
        // SHA-256 of the app's identifier 32, flags 1, counter 4, environment 16, length 2, key's identifier 32; then its key.
        guard data.count >= 87, data[53] == 0, data[54] == 32 else { return nil }
        (self.certificates, authenticatorData) = (certificates, data)
    }

    package var app: [UInt8] { Array(authenticatorData[..<32]) }
    package var counter: UInt32 { authenticatorData[33..<37].reduce(0) { $0 << 8 | UInt32($1) } }
    package var environment: [UInt8] { Array(authenticatorData[37..<53]) }
    package var credential: [UInt8] { Array(authenticatorData[55..<87]) }

    /// Returns the nonce that its first certificate holds for the request: the only octet string of
    /// `SEQUENCE { [1] OCTET STRING }`; nil for anything else.
    package static func nonce(in value: [UInt8]) -> [UInt8]? {
        do {
            return try DER.sequence(DER.parse(value), identifier: .sequence) { nodes in
                try DER.explicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                    Array(try ASN1OctetString(derEncoded: node).bytes)
                }
            }
        } catch { return nil }
    }
}

/// Apple App Attestation Root CA, as Apple publishes it at
/// https://www.apple.com/certificateauthority/Apple_App_Attestation_Root_CA.pem; valid until 2045-03-15.
enum AppleRoot {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
        JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
        QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
        Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
        biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
        bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
        NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
        Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
        MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
        CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
        53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
        oyFraWVIyd/dganmrduC1bmTBGwD
        -----END CERTIFICATE-----
        """
}

/// Reads the part of CBOR (RFC 8949) that platforms attest in: integers, byte and text strings, arrays and maps of
/// definite length, each in its shortest form. The caller looks at what is left behind a value.
struct CBORReader {
    indirect enum Value: Hashable {
        case unsigned(UInt64)
        case negative(UInt64)
        case bytes([UInt8])
        case text(String)
        case array([Value])
        case map([Value: Value])
    }

    private let input: [UInt8]
    private(set) var offset: Int

    /// Deeper values are none.
    private static let deepest = 8

    init(_ input: [UInt8], from offset: Int = 0) { (self.input, self.offset) = (input, offset) }

    var isAtEnd: Bool { offset == input.count }

    /// The next value; nil if there is none of the part.
    mutating func next(depth: Int = 0) -> Value? {
        guard depth < Self.deepest, let first = byte() else { return nil }
        guard let argument = argument(first & 0x1f) else { return nil }
        switch first >> 5 {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return take(argument).map { .bytes(Array($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4:
            var values: [Value] = []
            // A value takes a byte at least: no memory for what is only announced.
            guard argument <= UInt64(input.count - offset) else { return nil }
            for _ in 0..<argument {
                guard let value = next(depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .array(values)
        case 5:
            var values: [Value: Value] = [:]
            guard argument <= UInt64(input.count - offset) else { return nil }
            for _ in 0..<argument {
                guard let key = next(depth: depth + 1), let value = next(depth: depth + 1),
                    values.updateValue(value, forKey: key) == nil
                else { return nil }
            }
            return .map(values)
        default: return nil
        }
    }

    private mutating func byte() -> UInt8? {
        guard offset < input.count else { return nil }
        defer { offset += 1 }
        return input[offset]
    }

    private mutating func argument(_ information: UInt8) -> UInt64? {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27, let bytes = take(1 << UInt64(information - 24)) else { return nil }
        let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        let shortest: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]
        return number >= shortest[Int(information - 24)] ? number : nil
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(input.count - offset) else { return nil }
        defer { offset += Int(count) }
        return input[offset..<offset + Int(count)]
    }
}
