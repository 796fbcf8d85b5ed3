/// The public key by which a daemon issues credentials: commitments to its secrets x₀, x₁ and x₂ (section 4.1 of the draft).
///
/// A daemon with a key for each device could tell devices apart by it. So a client has to see the key that all others see.
///
/// Raw representation, 99 bytes: X0 33, X1 33, X2 33, compressed points each.
package struct IssuerKey: Sendable {
    let x0, x1, x2: Point

    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .issuerKey)
        try self.init(&reader)
    }

    init(_ reader: inout ByteReader) throws(AttestationError) {
        x0 = try reader.point("X0")
        x1 = try reader.point("X1")
        x2 = try reader.point("X2")
    }

    package var rawRepresentation: [UInt8] { x0.compressed + x1.compressed + x2.compressed }
}

/// A daemon's secrets, as far as it needs them to check a presentation without stopping at a hostile one.
///
/// Raw representation, 128 bytes, as that of swift-crypto's `P256._ARCV1.PrivateKey`: x0, x1, x2 and x0Blinding, 32 each, the
/// highest byte first.
package struct IssuerSecrets: Sendable {
    let x0, x1, x2: Scalar
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

    /// 128 bytes, the raw representation of secrets drawn from 192 random ones: 48 each, 2⁻¹²⁸ away from uniform.
    package static func rawRepresentation(drawnFrom random: [UInt8]) -> [UInt8] {
        precondition(random.count == 4 * 48, "48 random bytes a number")
        return (0..<4).flatMap { place in
            let number = Scalar(wide: random[(48 * place)..<(48 * place + 48)])
            // None of them may be 0, which one of 2²⁵⁶ is.
            return (number.isZero ? Scalar.one : number).bytes
        }
    }
}
