internal import Crypto
internal import Foundation

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
