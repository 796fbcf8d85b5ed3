internal import Crypto
internal import Foundation

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
