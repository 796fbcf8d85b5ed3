// A private key's file is PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it: base64 of 16 bytes that are
// always the same (RFC 8410, section 7) and the 32 bytes of the key.

internal import Crypto
internal import Foundation

/// An Ed25519 key that signs manifests. Whoever has it can sign in the daemon's name.
package struct ReportKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    /// A fresh key from the system's random source.
    package init() { key = Curve25519.Signing.PrivateKey() }

    /// Reads a private key's PEM; nil for anything else than an Ed25519 key without a passphrase.
    package init?(pem: String) {
        guard let bytes = PEM.bytes(of: pem, label: "PRIVATE KEY"), bytes.count == Self.prefix.count + 32,
            bytes.starts(with: Self.prefix)
        else { return nil }
        do {
            key = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes.suffix(32))
        } catch {
            return nil
        }
    }

    /// The private key's PEM: a secret.
    package var pem: String { PEM.text(Self.prefix + Array(key.rawRepresentation), label: "PRIVATE KEY") }

    /// What others check with.
    package var publicKey: ReportPublicKey { ReportPublicKey(valid: Array(key.publicKey.rawRepresentation)) }

    /// Signs bytes as they are (RFC 8032, Ed25519): 64 bytes.
    ///
    /// - Throws: what the library throws where it can't sign.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes)) }
}
