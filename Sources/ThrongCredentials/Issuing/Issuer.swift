internal import Crypto
internal import CryptoExtras
internal import Foundation
package import ThrongAttestation
internal import ThrongWire

/// The key by which credentials of one app and epoch are issued.
///
/// Each app has a key of its own: the issuer does not see for which app and epoch a request was made, so that by a key for
/// several apps one could ask where it is easy, and present where it is hard.
package struct Issuer: Sendable {
    package let secrets: IssuerSecrets
    /// 99 bytes, the same for everybody.
    package let publicKey: [UInt8]
    private let key: P256._ARCV1.PrivateKey

    /// - Parameter secret: the epoch's, 32 bytes that nobody knows.
    init(secret: some ContiguousBytes, app: AppName, epoch: Epoch) throws {
        let random = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: try epoch.requestContext(of: app), outputByteCount: 192)
        let numbers = IssuerSecrets.rawRepresentation(drawnFrom: random.withUnsafeBytes { Array($0) })
        secrets = try IssuerSecrets(rawRepresentation: numbers)
        key = try P256._ARCV1.PrivateKey(rawRepresentation: numbers)
        publicKey = Array(key.publicKey.rawRepresentation)
    }

    /// Answers a request whose proof holds: 454 bytes. The same request gets another answer each time, and the same credential.
    ///
    /// - Complexity: about 1.7 ms.
    package func issue(_ request: ProvedRequest) throws -> [UInt8] {
        Array(try key.issue(P256._ARCV1.CredentialRequest(rawRepresentation: request.bytes)).rawRepresentation)
    }
}

/// A request whose proof holds: swift-crypto stops the process at proofs that lead to the point at infinity.
package struct ProvedRequest: Sendable {
    /// 226 bytes.
    package let bytes: [UInt8]

    /// Reads a request and checks its proof; nil if it does not hold.
    ///
    /// - Complexity: about a millisecond.
    package init?(_ bytes: some Collection<UInt8>) throws(AttestationError) {
        let request = try CredentialRequest(rawRepresentation: bytes)
        guard request.isProved else { return nil }
        self.bytes = request.rawRepresentation
    }
}
