import Dispatch
import Foundation
import Synchronization
import ThrongCredentials
import ThrongWire

/// What platforms attest of a device's key. The first byte says what the rest is: Apple's object, Android's chain of certificates, what
/// Android says of a key, or what Apple's certificate says of the request. The last two stand in certificates that nobody but a
/// platform can sign.
struct AttestationTarget: FuzzTarget {
    private let apple: AppAttestAttester
    private let android: AndroidKeyAttester

    /// When the published examples were valid.
    private static let clock = UnixClock { UnixSeconds(1_713_441_600) }

    init() throws {
        let roots = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../ThrongCredentialsTests/Published/google.pem")
        let app = "0352187391.com.apple.example_app_attest"
        guard let apple = AppAttestAttester(apps: [app], clock: Self.clock),
            let android = AndroidKeyAttester(
                packages: ["com.example"], signers: [], roots: try String(contentsOf: roots, encoding: .utf8),
                clock: Self.clock)
        else { throw FuzzFinding.mismatch(what: "roots and certificates") }
        (self.apple, self.android) = (apple, android)
    }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let kind = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch kind % 4 {
        case 0: try readObject(rest)
        case 1: try refuse(by: android, ["chain": rest])
        case 2: try Self.readKey(rest)
        default:
            let nonce = AppAttestObject.nonce(in: rest)
            try FuzzFinding.check(
                (nonce?.count ?? 0) < max(1, rest.count),
                .tooMuch(
                    what: "bytes of a nonce", found: nonce?.count ?? 0, limit: rest.count))
        }
    }

    private func readObject(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let object = AppAttestObject(bytes) {
            let found = object.certificates.reduce(object.authenticatorData.count) { $0 + $1.count }
            try FuzzFinding.check(
                found < bytes.count, .tooMuch(what: "bytes of an object", found: found, limit: bytes.count))
            try FuzzFinding.check(
                object.app.count == 32 && object.environment.count == 16 && object.credential.count == 32,
                .mismatch(what: "an object and its parts"))
        }
        try refuse(by: apple, ["key": Array(repeating: 7, count: 32), "object": bytes])
    }

    /// The request that is attested is nobody's, so that nothing vouches for it.
    private func refuse(by attester: some Attester, _ evidence: [String: [UInt8]]) throws(FuzzFinding) {
        let evidence = Evidence(evidence.mapValues { Data($0).base64EncodedString() })
        let isRefused = Self.waited {
            do throws(AttesterError) {
                _ = try await attester.device(by: evidence, challenge: Array(repeating: 1, count: 32), app: "fuzz")
                return false
            } catch {
                return true
            }
        }
        try FuzzFinding.check(isRefused, .mismatch(what: "an attestation and the request that it is of"))
    }

    private static func readKey(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let key = AttestedKey(bytes) else { return }
        try FuzzFinding.check(
            (0...255).contains(key.level) && (0...255).contains(key.keyLevel), .mismatch(what: "a key and its level"))
        // What is no text is spelled with more bytes than it had.
        let names = key.packages.reduce(0) { $0 + $1.unicodeScalars.count }
        let found = key.challenge.count + names + key.signers.reduce(0) { $0 + $1.count }
        try FuzzFinding.check(found < bytes.count, .tooMuch(what: "bytes of a key", found: found, limit: bytes.count))
    }

    /// What comes of work that others do.
    private static func waited<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
        let answer = Answer<Value>()
        Task.detached {
            let value = await work()
            answer.value.withLock { $0 = value }
            answer.isThere.signal()
        }
        while true {
            answer.isThere.wait()
            if let value = answer.value.withLock({ $0 }) { return value }
        }
    }

    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }
}
