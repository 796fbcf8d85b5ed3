internal import Crypto
internal import Foundation

/// A mechanism to agree on a key, by its number in HPKE's registry: RFC 9180, section 7.1. All derive by HKDF-SHA256.
package enum KeyMechanism: UInt16, Sendable, Hashable, CaseIterable {
    /// DHKEM(X25519, HKDF-SHA256): for apps.
    case x25519 = 0x0020
    /// DHKEM(P-256, HKDF-SHA256): for browsers, all of which have it.
    case p256 = 0x0010

    /// The length of a public key, and of an encapsulated one. Unit: bytes.
    package var publicKeyBytes: Int {
        switch self {
        case .x25519: 32
        case .p256: 65
        }
    }

    /// HKDF-SHA256, for secrets that are agreed on and for all else.
    static let derivation: UInt16 = 1

    func ciphersuite(with sealing: Sealing) -> HPKE.Ciphersuite {
        switch self {
        case .x25519: HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: sealing.cipher)
        case .p256: HPKE.Ciphersuite(kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: sealing.cipher)
        }
    }

    /// Says whether bytes are a public key.
    func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        let data = Data(bytes)
        switch self {
        case .x25519: return data.count == publicKeyBytes
        case .p256:
            do {
                _ = try P256.KeyAgreement.PublicKey(x963Representation: data)
                return true
            } catch {
                return false
            }
        }
    }
}
