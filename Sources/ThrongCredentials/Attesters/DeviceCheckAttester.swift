internal import Crypto
internal import Foundation
internal import Synchronization
internal import ThrongAttestation
internal import ThrongSystem
package import ThrongWire

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
        let bit0: Bool
        let bit1: Bool
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
        } catch {
            throw .unavailable(reason: "its answer has no bits")
        }
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
