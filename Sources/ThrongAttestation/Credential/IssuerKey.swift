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
