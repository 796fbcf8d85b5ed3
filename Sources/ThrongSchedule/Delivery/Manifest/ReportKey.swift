// A private key's file is PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it: base64 of 16 bytes that
// are always the same (RFC 8410, section 7) and the 32 bytes of the key.
//
// A public key's file is a SubjectPublicKeyInfo in PEM: base64 of 12 bytes that are always the same (RFC 8410, section
// 4) and the 32 bytes of the key.

internal import Crypto
internal import Foundation
internal import ThrongWire

/// An Ed25519 key that signs manifests. Whoever has it can sign in the daemon's name.
package struct ReportKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    package init() { key = Curve25519.Signing.PrivateKey() }

    /// Reads a private key's PEM; nil for anything else than an Ed25519 key without a passphrase.
    package init?(pem: String) {
        guard let bytes = PEM.key(of: pem, label: "PRIVATE KEY", prefix: Self.prefix) else { return nil }
        do { key = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes) } catch { return nil }
    }

    package var pem: String { PEM.text(Self.prefix + Array(key.rawRepresentation), label: "PRIVATE KEY") }

    package var publicKey: ReportPublicKey { ReportPublicKey(valid: Array(key.publicKey.rawRepresentation)) }

    /// Signs bytes as they are (RFC 8032, Ed25519): 64 bytes.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes)) }
}

/// The public part of a key that signs manifests.
package struct ReportPublicKey: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    private static let prefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    init(valid bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a public key's PEM; nil for anything else than an Ed25519 key.
    package init?(pem: String) {
        guard let bytes = PEM.key(of: pem, label: "PUBLIC KEY", prefix: Self.prefix) else { return nil }
        self.bytes = bytes
    }

    package var pem: String { PEM.text(Self.prefix + bytes, label: "PUBLIC KEY") }

    package var id: ReportKeyID { ReportKeyID(of: bytes) }

    package func accepts(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes).isValidSignature(signature, for: message)
        } catch {
            // Bytes that are no key have signed nothing.
            return false
        }
    }
}

/// The id of a key: the first 64 bits of the SHA-256 of its public part.
package struct ReportKeyID: Hashable, Sendable, CustomStringConvertible {
    /// 16 lower-case hexadecimal digits.
    package let hex: String

    package init(hex: String) { self.hex = hex }

    init(of publicKey: [UInt8]) { hex = Array(SHA256.hash(data: publicKey).prefix(8)).lowerHex }

    package var description: String { hex }
}

/// Base64 between two lines that say what it is (RFC 7468).
enum PEM {
    static func text(_ bytes: [UInt8], label: String) -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
    }

    /// The 32 bytes behind a prefix in the only block of a text; nil where it is not the only one, or another.
    static func key(of text: String, label: String, prefix: [UInt8]) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard lines.first == "-----BEGIN \(label)-----", lines.last == "-----END \(label)-----",
            let bytes = Data(base64Encoded: lines.dropFirst().dropLast().joined()),
            bytes.count == prefix.count + 32, bytes.starts(with: prefix)
        else { return nil }
        return Array(bytes.suffix(32))
    }
}
