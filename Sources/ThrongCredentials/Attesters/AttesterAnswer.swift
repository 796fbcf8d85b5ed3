internal import Foundation
internal import ThrongAttestation
internal import ThrongWire

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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(members))
        } catch {
            throw .evidence(member: "token", expected: "a string")
        }
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
        } catch let error as AttesterError {
            throw error
        } catch {
            throw .unavailable(reason: "its answer has no device")
        }
    }
}
