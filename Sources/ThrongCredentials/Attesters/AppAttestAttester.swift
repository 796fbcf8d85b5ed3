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
