/// A daemon's secrets, as far as it needs them to check a presentation without stopping at a hostile one.
///
/// Raw representation, 128 bytes, as that of swift-crypto's `P256._ARCV1.PrivateKey`: x0, x1, x2 and x0Blinding, 32 each, the
/// highest byte first.
package struct IssuerSecrets: Sendable {
    let x0, x1, x2: Scalar
    /// X1 of the issuer's key.
    let keyX1: Point

    /// Reads them.
    ///
    /// - Throws: an ``AttestationError`` for any bytes but four numbers from 1 to below the group's order.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .issuerSecrets)
        x0 = try reader.secret("x0")
        x1 = try reader.secret("x1")
        x2 = try reader.secret("x2")
        _ = try reader.secret("x0Blinding")
        keyX1 = x1 * Suite.h
    }
}
