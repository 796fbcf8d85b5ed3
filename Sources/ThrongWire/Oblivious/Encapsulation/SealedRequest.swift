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
