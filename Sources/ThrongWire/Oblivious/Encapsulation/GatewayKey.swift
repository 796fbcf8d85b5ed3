internal import Crypto
internal import Foundation

/// A key pair of a gateway.
package struct GatewayKey: Sendable {
    private enum Secret {
        case x25519(Curve25519.KeyAgreement.PrivateKey)
        case p256(P256.KeyAgreement.PrivateKey)
    }

    /// Its number, which requests name.
    package let id: UInt8
    package let mechanism: KeyMechanism
    private let secret: Secret

    /// The length of the private key, with either mechanism. Unit: bytes.
    package static let secretBytes = 32

    package init(id: UInt8, mechanism: KeyMechanism) {
        self.id = id
        self.mechanism = mechanism
        switch mechanism {
        case .x25519: secret = .x25519(.init())
        case .p256: secret = .p256(.init())
        }
    }

    /// Reads one that was kept; nil if the bytes are no private key.
    package init?(id: UInt8, mechanism: KeyMechanism, secret: some Collection<UInt8>) {
        self.id = id
        self.mechanism = mechanism
        let data = Data(secret)
        do {
            switch mechanism {
            case .x25519: self.secret = .x25519(try .init(rawRepresentation: data))
            case .p256: self.secret = .p256(try .init(rawRepresentation: data))
            }
        } catch { return nil }
    }

    /// The private key, to be kept: 32 bytes.
    package var secretRepresentation: [UInt8] {
        switch secret {
        case .x25519(let key): Array(key.rawRepresentation)
        case .p256(let key): Array(key.rawRepresentation)
        }
    }

    /// The public part, as clients are told of it.
    package var configuration: KeyConfiguration {
        let publicKey =
            switch secret {
            case .x25519(let key): Array(key.publicKey.rawRepresentation)
            case .p256(let key): Array(key.publicKey.x963Representation)
            }
        return KeyConfiguration(id: id, mechanism: mechanism, publicKey: publicKey, sealings: Sealing.allCases)
    }

    func recipient(_ suite: HPKE.Ciphersuite, info: Data, encapsulatedKey: Data) throws -> HPKE.Recipient {
        switch secret {
        case .x25519(let key):
            try HPKE.Recipient(
                privateKey: CheckedPublicKey.Private(key), ciphersuite: suite, info: info,
                encapsulatedKey: encapsulatedKey)
        case .p256(let key):
            try HPKE.Recipient(privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: encapsulatedKey)
        }
    }
}
