internal import Crypto
internal import Foundation

/// The client's half: a request that only the gateway opens, and what opens the response to it. Source: RFC 9458, section 4.
package struct SealedRequest: Sendable {
    package static let mediaType = "message/ohttp-req"

    /// The bytes that go to the relay.
    package let bytes: [UInt8]
    private let secret: ResponseSecret

    /// Seals the bytes of a padded ``BinaryRequest``.
    ///
    /// - Parameter sealing: one that the configuration offers; nil for its first.
    /// - Throws: ``ObliviousError/unknownSuite(mechanism:derivation:sealing:)`` if the configuration does not offer it;
    ///   ``ObliviousError/configuration(at:)`` if its key is none.
    package init(
        _ message: [UInt8], for configuration: KeyConfiguration, by sealing: Sealing? = nil
    ) throws(ObliviousError) {
        guard let sealing = sealing ?? configuration.sealings.first, configuration.sealings.contains(sealing) else {
            throw .unknownSuite(
                mechanism: Int(configuration.mechanism.rawValue), derivation: Int(KeyMechanism.derivation),
                sealing: Int(sealing?.rawValue ?? 0))
        }
        let header = EncapsulationHeader(id: configuration.id, mechanism: configuration.mechanism, sealing: sealing)
        let key = Data(configuration.publicKey)
        let suite = configuration.mechanism.ciphersuite(with: sealing)
        do {
            switch configuration.mechanism {
            case .x25519:
                let checked = CheckedPublicKey(try Curve25519.KeyAgreement.PublicKey(rawRepresentation: key))
                try self.init(message, header, sealing, suite, to: checked)
            case .p256:
                try self.init(message, header, sealing, suite, to: P256.KeyAgreement.PublicKey(x963Representation: key))
            }
        } catch {
            // A key of small order ends here, too, with X25519: its secret would be known to everybody.
            throw .configuration(at: 3)
        }
    }

    /// - Parameter key: its type says where the ephemeral key comes from.
    init<Key: HPKEDiffieHellmanPublicKey>(
        _ message: [UInt8], _ header: EncapsulationHeader, _ sealing: Sealing, _ suite: HPKE.Ciphersuite, to key: Key
    ) throws {
        var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: header.info)
        let encapsulated = Array(sender.encapsulatedKey)
        bytes = header.bytes + encapsulated + (try sender.seal(message))
        secret = ResponseSecret(
            try sender.exportSecret(context: ResponseSecret.label, outputByteCount: ResponseSecret.byteCount(sealing)),
            encapsulatedKey: encapsulated, sealing: sealing)
    }

    /// Opens the response to this request.
    ///
    /// - Returns: the bytes of a ``BinaryResponse``.
    /// - Throws: ``ObliviousError/unopened`` if it was changed, or is the response to another request;
    ///   ``ObliviousError/tooShort(found:least:)``.
    package func open(response: some Collection<UInt8>) throws(ObliviousError) -> [UInt8] {
        try secret.open(Array(response))
    }
}

/// The gateway's half: a request that was opened, and what seals the response to it. Source: RFC 9458, section 4.
package struct OpenedRequest: Sendable {
    package static let responseMediaType = "message/ohttp-res"
    /// The most that sealing adds to a message. Unit: bytes.
    package static let overheadBytes =
        EncapsulationHeader.byteCount + KeyMechanism.p256.publicKeyBytes + Sealing.tagBytes

    /// The bytes of a ``BinaryRequest``.
    package let message: [UInt8]
    private let secret: ResponseSecret

    /// Opens an encapsulated request by the one of the keys that it names.
    ///
    /// - Throws: ``ObliviousError/unknownKey(id:)``, ``ObliviousError/unknownSuite(mechanism:derivation:sealing:)``,
    ///   ``ObliviousError/tooShort(found:least:)``, and ``ObliviousError/unopened`` where it was changed or sealed for another
    ///   key.
    package init(_ bytes: ArraySlice<UInt8>, by keys: [GatewayKey]) throws(ObliviousError) {
        let headerBytes = EncapsulationHeader.byteCount
        guard bytes.count >= headerBytes else { throw .tooShort(found: bytes.count, least: headerBytes) }
        let header = EncapsulationHeader(bytes)
        guard let key = keys.first(where: { $0.id == header.id }) else { throw .unknownKey(id: Int(header.id)) }
        guard header.mechanism == key.mechanism.rawValue, header.derivation == KeyMechanism.derivation,
            let sealing = Sealing(rawValue: header.sealing)
        else {
            throw .unknownSuite(
                mechanism: Int(header.mechanism), derivation: Int(header.derivation), sealing: Int(header.sealing))
        }
        let rest = bytes.dropFirst(headerBytes)
        let least = key.mechanism.publicKeyBytes + Sealing.tagBytes
        guard rest.count >= least else { throw .tooShort(found: bytes.count, least: headerBytes + least) }
        let encapsulated = Array(rest.prefix(key.mechanism.publicKeyBytes))
        do {
            var recipient = try key.recipient(
                key.mechanism.ciphersuite(with: sealing), info: header.info, encapsulatedKey: Data(encapsulated))
            message = Array(try recipient.open(rest.dropFirst(encapsulated.count)))
            secret = ResponseSecret(
                try recipient.exportSecret(
                    context: ResponseSecret.label, outputByteCount: ResponseSecret.byteCount(sealing)),
                encapsulatedKey: encapsulated, sealing: sealing)
        } catch { throw .unopened }
    }

    /// Seals the response, which only who sealed the request opens.
    ///
    /// - Parameter response: a ``BinaryResponse``, padded.
    package func seal(response: [UInt8]) throws(ObliviousError) -> [UInt8] { try secret.seal(response) }

    /// The same with a nonce that is not random.
    func seal(response: [UInt8], nonce: [UInt8]) throws(ObliviousError) -> [UInt8] {
        try secret.seal(response, nonce: nonce)
    }
}

/// The header of an encapsulated request: the key's number, and the three algorithms. Source: RFC 9458, section 4.3.
struct EncapsulationHeader {
    let id: UInt8
    let mechanism: UInt16
    let derivation: UInt16
    let sealing: UInt16

    /// Unit: bytes.
    static let byteCount = 7

    /// - Parameter bytes: as many as it has, or more.
    init(_ bytes: ArraySlice<UInt8>) {
        let first = bytes.startIndex
        func number(_ place: Int) -> UInt16 { UInt16(bytes[first + place]) << 8 | UInt16(bytes[first + place + 1]) }
        id = bytes[first]
        (mechanism, derivation, sealing) = (number(1), number(3), number(5))
    }

    init(id: UInt8, mechanism: KeyMechanism, sealing: Sealing) {
        self.id = id
        self.mechanism = mechanism.rawValue
        derivation = KeyMechanism.derivation
        self.sealing = sealing.rawValue
    }

    var bytes: [UInt8] { [id] + [mechanism, derivation, sealing].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } }

    /// The bytes that bind a sealed request to it.
    var info: Data { Data("message/bhttp request".utf8) + [0] + bytes }
}

/// The secret that seals and opens the response to one request. Source: RFC 9458, section 4.4.
struct ResponseSecret: Sendable {
    private let secret: SymmetricKey
    private let encapsulatedKey: [UInt8]
    private let sealing: Sealing

    /// The context by which HPKE exports the secret.
    static let label = Data("message/bhttp response".utf8)

    /// Returns the length of the secret, and of the nonce that a response begins with: the larger of a key and a nonce. Unit: bytes.
    static func byteCount(_ sealing: Sealing) -> Int { max(sealing.keyBytes, Sealing.nonceBytes) }

    init(_ secret: SymmetricKey, encapsulatedKey: [UInt8], sealing: Sealing) {
        (self.secret, self.encapsulatedKey, self.sealing) = (secret, encapsulatedKey, sealing)
    }

    /// - Parameter nonce: random; of ``byteCount(_:)`` bytes.
    func seal(_ message: [UInt8], nonce: [UInt8]) throws(ObliviousError) -> [UInt8] {
        let (key, sealingNonce) = derived(nonce)
        do {
            switch sealing {
            case .aes128:
                let box = try AES.GCM.seal(message, using: key, nonce: AES.GCM.Nonce(data: sealingNonce))
                return nonce + box.ciphertext + box.tag
            case .chaCha:
                let box = try ChaChaPoly.seal(message, using: key, nonce: ChaChaPoly.Nonce(data: sealingNonce))
                return nonce + box.ciphertext + box.tag
            }
        } catch {
            // Key and nonce have the lengths that are asked for.
            throw .unopened
        }
    }

    func seal(_ message: [UInt8]) throws(ObliviousError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<Self.byteCount(sealing)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return try seal(message, nonce: nonce)
    }

    func open(_ bytes: [UInt8]) throws(ObliviousError) -> [UInt8] {
        let nonceBytes = Self.byteCount(sealing)
        let least = nonceBytes + Sealing.tagBytes
        guard bytes.count >= least else { throw .tooShort(found: bytes.count, least: least) }
        let (key, nonce) = derived(Array(bytes.prefix(nonceBytes)))
        let (text, tag) = (bytes[nonceBytes...].dropLast(Sealing.tagBytes), bytes.suffix(Sealing.tagBytes))
        do {
            switch sealing {
            case .aes128:
                let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: text, tag: tag)
                return Array(try AES.GCM.open(box, using: key))
            case .chaCha:
                let box = try ChaChaPoly.SealedBox(nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: text, tag: tag)
                return Array(try ChaChaPoly.open(box, using: key))
            }
        } catch { throw .unopened }
    }

    private func derived(_ nonce: [UInt8]) -> (key: SymmetricKey, nonce: [UInt8]) {
        let pseudoRandom = HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: encapsulatedKey + nonce)
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: pseudoRandom, info: Array("key".utf8), outputByteCount: sealing.keyBytes)
        let sealingNonce = HKDF<SHA256>.expand(
            pseudoRandomKey: pseudoRandom, info: Array("nonce".utf8), outputByteCount: Sealing.nonceBytes)
        return (key, sealingNonce.withUnsafeBytes { Array($0) })
    }
}

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

/// The lasting key by which a gateway vouches for the keys of its days: Ed25519 (RFC 8032).
///
/// A relay hands on the keys that requests are sealed with. One that handed on keys of its own could read all of them.
package struct GatewaySigner: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    package init() { key = .init() }

    /// Reads one that was kept; nil if the bytes are no private key.
    package init?(secret: some Collection<UInt8>) {
        do { key = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(secret)) } catch { return nil }
    }

    /// The private key, to be kept.
    package var secretRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// The identity that clients know it by.
    package var identity: GatewayIdentity { GatewayIdentity(key.publicKey) }

    /// Vouches for a list of key configurations: 64 bytes in base64.
    ///
    /// - Throws: what the library throws if it can't sign.
    package func signature(over list: [UInt8]) throws -> String {
        try key.signature(for: GatewayIdentity.message(of: list)).base64EncodedString()
    }
}

/// The public part of a ``GatewaySigner``: who a gateway is, whatever its keys of the day are.
package struct GatewayIdentity: Sendable, Hashable {
    private let bytes: Data

    /// The field of a plan's answer that says it.
    package static let header = "throng-gateway"
    /// The field of a list's answer that holds what vouches for it.
    package static let signatureHeader = "throng-signature"

    fileprivate init(_ key: Curve25519.Signing.PublicKey) { bytes = key.rawRepresentation }

    /// Reads its text; nil for anything else than 32 bytes in base64.
    package init?(text: String) {
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// 32 bytes in base64.
    package var text: String { bytes.base64EncodedString() }

    /// Says whether a list is this gateway's.
    ///
    /// - Parameter signature: 64 bytes in base64.
    package func vouches(for list: some Collection<UInt8>, by signature: String) -> Bool {
        guard let signature = Data(base64Encoded: signature) else { return false }
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
                .isValidSignature(signature, for: Self.message(of: Array(list)))
        } catch {
            // Bytes that are no key have signed nothing.
            return false
        }
    }

    /// Returns the bytes that are signed: no other signature is one over this.
    fileprivate static func message(of list: [UInt8]) -> Data { Data("throng ohttp-keys\0".utf8) + list }
}
