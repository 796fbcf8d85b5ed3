// A public key's file is a SubjectPublicKeyInfo in PEM: base64 of 12 bytes that are always the same (RFC 8410, section 4)
// and the 32 bytes of the key.

internal import Crypto

/// The public part of a key that signs manifests.
package struct ReportPublicKey: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    private static let prefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    init(valid bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a public key's PEM; nil for anything else than an Ed25519 key.
    package init?(pem: String) {
        guard let bytes = PEM.bytes(of: pem, label: "PUBLIC KEY"), bytes.count == Self.prefix.count + 32,
            bytes.starts(with: Self.prefix)
        else { return nil }
        self.bytes = Array(bytes.suffix(32))
    }

    /// Its PEM, for `openssl` and for partners.
    package var pem: String { PEM.text(Self.prefix + bytes, label: "PUBLIC KEY") }

    /// Its name in manifests.
    package var id: ReportKeyID { ReportKeyID(of: bytes) }

    /// Whether a signature is this key's over exactly these bytes.
    package func accepts(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
                .isValidSignature(signature, for: message)
        } catch {
            // Bytes that are no key have signed nothing.
            return false
        }
    }
}
