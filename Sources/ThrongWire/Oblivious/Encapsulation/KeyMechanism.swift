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
            } catch { return false }
        }
    }
}

/// An algorithm that seals messages, by its number in HPKE's registry: RFC 9180, section 7.3.
package enum Sealing: UInt16, Sendable, Hashable, CaseIterable {
    /// AES-128-GCM.
    case aes128 = 1
    /// ChaCha20Poly1305.
    case chaCha = 3

    /// The length of its key. Unit: bytes.
    var keyBytes: Int {
        switch self {
        case .aes128: 16
        case .chaCha: 32
        }
    }

    /// The length of its nonces. Unit: bytes.
    static let nonceBytes = 12
    /// The length that sealing adds to a message. Unit: bytes.
    static let tagBytes = 16

    var cipher: HPKE.AEAD {
        switch self {
        case .aes128: .AES_GCM_128
        case .chaCha: .chaChaPoly
        }
    }
}

/// An X25519 key that agrees on nothing with a key of small order, by which everybody would know what was agreed on.
///
/// swift-crypto 4.5 does not look on Linux. Source: RFC 9180, section 7.1.4.
struct CheckedPublicKey: HPKEDiffieHellmanPublicKey {
    typealias EphemeralPrivateKey = Private

    let key: Curve25519.KeyAgreement.PublicKey

    init(_ key: Curve25519.KeyAgreement.PublicKey) { self.key = key }

    init<Bytes: ContiguousBytes>(_ serialization: Bytes, kem: HPKE.KEM) throws {
        key = try Curve25519.KeyAgreement.PublicKey(serialization, kem: kem)
    }

    func hpkeRepresentation(kem: HPKE.KEM) throws -> Data { try key.hpkeRepresentation(kem: kem) }

    /// The private key, which looks at what it agrees on.
    struct Private: HPKEDiffieHellmanPrivateKeyGeneration {
        let key: Curve25519.KeyAgreement.PrivateKey

        init() { key = Curve25519.KeyAgreement.PrivateKey() }

        init(_ key: Curve25519.KeyAgreement.PrivateKey) { self.key = key }

        var publicKey: CheckedPublicKey { CheckedPublicKey(key.publicKey) }

        func sharedSecretFromKeyAgreement(with publicKeyShare: CheckedPublicKey) throws -> SharedSecret {
            let secret = try key.sharedSecretFromKeyAgreement(with: publicKeyShare.key)
            guard secret.withUnsafeBytes({ $0.reduce(0) { $0 | $1 } }) != 0 else { throw ObliviousError.unopened }
            return secret
        }
    }
}
