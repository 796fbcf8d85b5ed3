internal import Foundation
internal import ThrongAttestation
internal import ThrongSystem
package import ThrongWire

/// Vouches for devices that ask for credentials. The worth of that depends on the attester: each says so.
package protocol Attester: Sendable {
    /// The name by which clients call it: `by` of their attestation.
    var name: String { get }
    /// True if it asks others over a network or starts programs, so that only a few may wait for it.
    var asksOthers: Bool { get }

    /// Says which device an attestation is of: what it is known by, the same for all its requests. The challenge is
    /// SHA-256 of the request for a credential, 32 bytes: evidence that is not bound to it may be another's.
    func device(by evidence: Evidence, challenge: [UInt8], app: AppName) async throws(AttesterError) -> [UInt8]
}

/// The members of a client's attestation, without `by`.
package struct Evidence: Sendable {
    private let members: [String: String]

    package init(_ members: [String: String]) { self.members = members }

    package func text(_ member: String) throws(AttesterError) -> String {
        guard let text = members[member] else { throw .evidence(member: member, expected: "a string") }
        return text
    }

    /// A member that is base64url or base64.
    package func bytes(_ member: String) throws(AttesterError) -> [UInt8] {
        guard let bytes = AnyBase64.bytes(try text(member)), !bytes.isEmpty else {
            throw .evidence(member: member, expected: "base64url")
        }
        return bytes
    }
}

/// The reason why an attester does not vouch for a device. No case holds anything that a client sent.
package enum AttesterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A member of the attestation is not there, or not of its form.
    case evidence(member: String, expected: String)
    case refused(Flaw)
    /// The device has got all that it gets in the month; the attester itself counts that.
    case spent
    /// Nobody could say now.
    case unavailable(reason: String)

    package enum Flaw: String, Sendable, Hashable {
        case denied = "the attester said no"
        case chain = "its certificates don't lead to a root that is trusted here, or are not valid now"
        case challenge = "it is not bound to the SHA-256 of this request"
        case key = "the key that it names is not the key that is attested"
        case app = "it is another app's"
        case used = "the key was used before"
        case revoked = "one of its certificates was revoked"
        case description = "its certificate does not describe a key"
        case level = "the key is not kept in hardware of the kind that is asked for"
        case system = "the device is unlocked, or its system is not its manufacturer's"
        case environment = "it is of a build for another environment"
    }

    package var description: String {
        switch self {
        case .evidence(let member, let expected):
            "\(member) of the attestation is not there or of another form; \(expected) is allowed."
        case .refused(let flaw): "The attestation does not vouch for this request: \(flaw.rawValue)."
        case .spent: "The device has got all credentials that it gets in this month."
        case .unavailable(let reason): "The attester can't be asked now: \(reason)."
        }
    }
}

/// The question to an attester of the operator's own, and its answer, as JSON.
enum AttesterAnswer {
    /// The most that may come back. Unit: bytes.
    static let longest = 4096
    /// The longest name that a device may be known by. Unit: bytes.
    static let longestDevice = 1024

    /// The question: `app`, `challenge` in base64url, and `token` as the client sent it.
    static func question(_ evidence: Evidence, challenge: [UInt8], app: AppName) throws(AttesterError) -> [UInt8] {
        let members = [
            "app": app.text, "challenge": Base64URL.text(of: challenge), "token": try evidence.text("token"),
        ]
        do { return Array(try JSONEncoder.stable().encode(members)) } catch {
            throw .evidence(member: "token", expected: "a string")
        }
    }

    static func received(
        to question: OutgoingRequest, by connection: HTTPConnection, within limit: Duration
    ) async throws(AttesterError) -> ReceivedAnswer {
        do throws(HTTPFault) {
            return try await connection.answer(to: question, within: limit, bodyLimit: longest)
        } catch { throw .unavailable(reason: error.description) }
    }

    /// The device of an answer that is `{"device": "…"}`.
    static func device(_ answer: [UInt8]) throws(AttesterError) -> [UInt8] {
        struct Answer: Decodable { let device: String }
        do {
            let device = Array(try JSONDecoder().decode(Answer.self, from: Data(answer)).device.utf8)
            guard (1...longestDevice).contains(device.count) else {
                throw AttesterError.unavailable(reason: "its device has no or too many bytes")
            }
            return device
        } catch let error as AttesterError { throw error } catch {
            throw .unavailable(reason: "its answer has no device")
        }
    }
}
