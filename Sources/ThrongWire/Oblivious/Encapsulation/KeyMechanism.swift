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

/// A public key of a gateway, with what it is used with. Source: RFC 9458, section 3.1.
///
/// One configuration, numbers with their highest byte first:
///
///     offset  size  what
///     0       1     the key's number
///     1       2     its mechanism
///     3       n     the public key: 32 or 65 bytes
///     ...     2     how many bytes follow, 4 for each pair of algorithms
///     ...     2+2   derivation, sealing; and so on
package struct KeyConfiguration: Sendable, Hashable {
    /// The key's number, by which a gateway finds it.
    package let id: UInt8
    package let mechanism: KeyMechanism
    /// The public key, as ``mechanism`` writes it.
    package let publicKey: [UInt8]
    /// The algorithms that the gateway opens; the one that it likes best comes first.
    package let sealings: [Sealing]

    /// Its bytes, without a length.
    package var rawRepresentation: [UInt8] {
        var bytes = [id] + Self.bytes(mechanism.rawValue) + publicKey + Self.bytes(UInt16(4 * sealings.count))
        for sealing in sealings { bytes += Self.bytes(KeyMechanism.derivation) + Self.bytes(sealing.rawValue) }
        return bytes
    }

    // MARK: Lists

    package static let mediaType = "application/ohttp-keys"

    /// A list of them, each with its length in two bytes before it.
    package static func encoded(_ configurations: [KeyConfiguration]) -> [UInt8] {
        configurations.flatMap { each in bytes(UInt16(each.rawRepresentation.count)) + each.rawRepresentation }
    }

    /// Reads a list of them. Those with a mechanism or with algorithms that are not known here are left out.
    ///
    /// - Throws: ``ObliviousError/configuration(at:)`` if it is no list, or a key is none;
    ///   ``ObliviousError/noUsableKey`` if none of it can be used.
    package static func list(_ bytes: some Collection<UInt8>) throws(ObliviousError) -> [KeyConfiguration] {
        var reader = Reader(bytes: Array(bytes))
        var found: [KeyConfiguration] = []
        while reader.place < reader.bytes.count {
            let end = Int(try reader.number()) + reader.place
            guard end <= reader.bytes.count else { throw .configuration(at: reader.place) }
            if let configuration = try reader.configuration(until: end) { found.append(configuration) }
            reader.place = end
        }
        guard !found.isEmpty else { throw .noUsableKey }
        return found
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func number() throws(ObliviousError) -> UInt16 {
            guard place + 2 <= bytes.count else { throw .configuration(at: place) }
            defer { place += 2 }
            return UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
        }

        /// Reads a configuration; nil for one that is not for this program, as the length of its key is not known.
        mutating func configuration(until end: Int) throws(ObliviousError) -> KeyConfiguration? {
            guard place + 3 <= end else { throw .configuration(at: place) }
            let id = bytes[place]
            place += 1
            guard let mechanism = KeyMechanism(rawValue: try number()) else { return nil }
            guard place + mechanism.publicKeyBytes + 2 <= end else { throw .configuration(at: place) }
            let key = Array(bytes[place..<place + mechanism.publicKeyBytes])
            guard mechanism.isKey(key) else { throw .configuration(at: place) }
            place += key.count
            let start = place
            let length = Int(try number())
            guard length > 0, length.isMultiple(of: 4), place + length == end else { throw .configuration(at: start) }
            var sealings: [Sealing] = []
            for _ in 0..<length / 4 {
                let (derivation, sealing) = (try number(), try number())
                guard derivation == KeyMechanism.derivation, let known = Sealing(rawValue: sealing) else { continue }
                sealings.append(known)
            }
            guard !sealings.isEmpty else { return nil }
            return KeyConfiguration(id: id, mechanism: mechanism, publicKey: key, sealings: sealings)
        }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }
}
