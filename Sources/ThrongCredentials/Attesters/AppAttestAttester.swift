internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import Synchronization
internal import ThrongAttestation
internal import ThrongSystem
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

/// Apple's DeviceCheck, online: `token`, what `DCDevice.generateToken` gave.
///
/// It proves that the token is of an Apple device on which an app of the team runs, and it does not say which. Apple keeps two bits
/// for each device and team, through an installation anew, with the month in which they changed: here they count how many
/// credentials the device got in this month, so three at most. That is the cap, as nothing else knows the device again. So the bits
/// belong to one daemon and one app, and no other use of the team's.
///
/// A token is not bound to the request: whoever reads one can spend it, and owners can hand theirs to others.
///
/// Source: Apple, "Accessing and modifying per-device data".
package struct DeviceCheckAttester: Attester {
    package let name = "device-check"
    package let asksOthers = true

    /// The most that two bits can count.
    package static let mostCounted = 3

    package static func address(isDevelopment: Bool) -> String {
        isDevelopment ? "https://api.development.devicecheck.apple.com" : "https://api.devicecheck.apple.com"
    }

    private let address: String
    private let signer: AppleSigner
    private let most: Int
    private let limit: Duration
    private let clock: UnixClock
    private let line: OneAtATime

    /// More than the longest token that was seen. Unit: bytes.
    private static let longestToken = 16 << 10

    /// - Parameters:
    ///   - address: ``address(isDevelopment:)``, or http of this machine.
    ///   - secret: the path of the key's file, as Apple gives it: `AuthKey_….p8`.
    ///   - most: the credentials that a device gets in a calendar month: 1 to ``mostCounted``.
    package init(
        address: String, team: String, key: String, secret: String, most: Int, seconds: Int, clock: UnixClock = .system
    ) {
        (self.address, self.most, self.clock) = (address, most, clock)
        limit = .seconds(seconds)
        signer = AppleSigner(team: team, key: key, secret: secret)
        var rules = ConnectionRules()
        rules.allowsPlain = address.hasPrefix("http://")
        line = OneAtATime(HTTPConnection(rules))
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        let token = try evidence.bytes("token")
        guard token.count <= Self.longestToken else {
            throw .evidence(member: "token", expected: "a token of DeviceCheck")
        }
        let text = Data(token).base64EncodedString()
        // Reading and writing are two requests: as one, or two that come at once would count as one.
        if let problem = await line.run({ connection in await spend(text, by: connection) }) { throw problem }
        // Nothing that is the same for the device's requests: who is known by nothing is counted by Apple alone.
        return challenge
    }

    private func spend(_ token: String, by connection: HTTPConnection) async -> AttesterError? {
        do throws(AttesterError) {
            let answer = try await ask("query_two_bits", TwoBits.Question(token, at: clock.now), by: connection)
            let used = try TwoBits.used(in: answer, month: Epoch(containing: clock.now))
            guard used < most else { return .spent }
            _ = try await ask("update_two_bits", TwoBits.Question(token, at: clock.now, bits: used + 1), by: connection)
            return nil
        } catch { return error }
    }

    private func ask(
        _ what: String, _ question: TwoBits.Question, by connection: HTTPConnection
    ) async throws(AttesterError) -> [UInt8] {
        let body: [UInt8]
        do { body = Array(try JSONEncoder().encode(question)) } catch { throw .unavailable(reason: "nothing to ask") }
        let headers = [
            (name: "Authorization", value: "Bearer \(try signer.token(now: clock.now))"),
            (name: "Content-Type", value: "application/json"), (name: "User-Agent", value: "throng"),
        ]
        let request = OutgoingRequest(.post, "\(address)/v1/\(what)", headers: headers, body: body)
        let answer = try await AttesterAnswer.received(to: request, by: connection, within: limit)
        switch answer.status {
        case 200: return answer.body
        case 400: throw .refused(.denied)
        case 401: throw .unavailable(reason: "Apple does not take the key \(signer.key) of the team \(signer.team)")
        default: throw .unavailable(reason: "it answered \(answer.status)")
        }
    }
}

/// The two bits that Apple keeps of a device.
private enum TwoBits {
    struct Question: Encodable {
        let device_token: String
        let transaction_id = UUID().uuidString
        /// Unit: milliseconds since 1970.
        let timestamp: Int64
        var bit0: Bool?
        var bit1: Bool?

        init(_ token: String, at now: UnixSeconds, bits: Int? = nil) {
            device_token = token
            timestamp = now.value * 1000
            bit0 = bits.map { $0 & 1 == 1 }
            bit1 = bits.map { $0 & 2 == 2 }
        }
    }

    private struct Answer: Decodable {
        let bit0, bit1: Bool
        /// Such as 2026-11.
        let last_update_time: String
    }

    /// Apple's answer about a device whose bits nobody has written; there is no JSON in it.
    private static let unknown = "Failed to find bit state"

    static func used(in answer: [UInt8], month: Epoch) throws(AttesterError) -> Int {
        if String(decoding: answer, as: UTF8.self).contains(unknown) { return 0 }
        let found: Answer
        do {
            found = try JSONDecoder().decode(Answer.self, from: Data(answer))
        } catch { throw .unavailable(reason: "its answer has no bits") }
        return found.last_update_time == month.description ? (found.bit0 ? 1 : 0) + (found.bit1 ? 2 : 0) : 0
    }
}

/// Signs for Apple, by RFC 7519 and ES256.
private final class AppleSigner: Sendable {
    let team: String
    let key: String
    private let secret: String
    private let made = Mutex<(token: String, at: UnixSeconds)?>(nil)

    /// One is used for so long. Unit: seconds.
    private static let age: Int64 = 600

    init(team: String, key: String, secret: String) { (self.team, self.key, self.secret) = (team, key, secret) }

    func token(now: UnixSeconds) throws(AttesterError) -> String {
        if let made = made.withLock({ $0 }), made.at <= now, now < made.at + Self.age { return made.token }
        let pem: [UInt8]
        do throws(HeaderSecretFault) { pem = try HeaderSecret.contents(secret) } catch {
            throw .unavailable(reason: "the secret \(secret) \(error)")
        }
        do {
            let signing = try P256.Signing.PrivateKey(pemRepresentation: String(decoding: pem, as: UTF8.self))
            let parts = ["{\"alg\":\"ES256\",\"kid\":\"\(key)\"}", "{\"iss\":\"\(team)\",\"iat\":\(now.value)}"]
            let text = parts.map { Base64URL.text(of: Array($0.utf8)) }.joined(separator: ".")
            let signature = try signing.signature(for: Array(text.utf8))
            let token = text + "." + Base64URL.text(of: Array(signature.rawRepresentation))
            made.withLock { $0 = (token, now) }
            return token
        } catch { throw .unavailable(reason: "the secret \(secret) is no private key of P-256 in PEM") }
    }
}

/// Lets one after another use a connection.
private actor OneAtATime {
    private let connection: HTTPConnection
    private var last: Task<Void, Never>?

    init(_ connection: HTTPConnection) { self.connection = connection }

    func run<Value: Sendable>(_ body: @escaping @Sendable (HTTPConnection) async -> Value) async -> Value {
        let before = last
        let task = Task { [connection] in
            await before?.value
            return await body(connection)
        }
        last = Task { _ = await task.value }
        return await task.value
    }
}
