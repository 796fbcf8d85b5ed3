/// A device's request for a credential: its two attributes, hidden, and a proof that it knows what it hid (section
/// 4.2.1 of the draft). The issuer learns nothing of m₁ from it.
///
/// Raw representation, 226 bytes: m1Enc 33 and m2Enc 33, compressed points; then the proof of 160: its challenge and the
/// responses for m1, m2, r1 and r2, 32 each, the highest byte first.
package struct CredentialRequest: Sendable {
    let m1Enc, m2Enc: Point
    private let proof: Proof

    init(m1Enc: Point, m2Enc: Point, proof: Proof) {
        self.m1Enc = m1Enc
        self.m2Enc = m2Enc
        self.proof = proof
    }

    /// Reads a request; ``isProved`` says whether to believe it.
    ///
    /// - Throws: an ``AttestationError`` for any bytes but two points and five numbers below the group's order.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .request)
        m1Enc = try reader.point("m1Enc")
        m2Enc = try reader.point("m2Enc")
        proof = try reader.proof(ofSecrets: 4)
    }

    /// 226 bytes.
    package var rawRepresentation: [UInt8] { m1Enc.compressed + m2Enc.compressed + proof.bytes }

    /// True if its proof holds. False, too, if a commitment is the point at infinity: swift-crypto's issuer stops the
    /// process at such a proof, so a daemon asks this first.
    package var isProved: Bool { Self.statement(m1Enc, m2Enc).isProved(by: proof) }

    /// Returns the statement that m1Enc = m1 · G + r1 · H and m2Enc = m2 · G + r2 · H (section 5.2 of the draft).
    static func statement(_ m1Enc: Point, _ m2Enc: Point) -> ProofStatement {
        var statement = ProofStatement("CredentialRequest")
        let (m1, m2, r1, r2) = (statement.secret(), statement.secret(), statement.secret(), statement.secret())
        let g = statement.element(Suite.g)
        let h = statement.element(Suite.h)
        let first = statement.element(m1Enc)
        let second = statement.element(m2Enc)
        statement.require(first, equals: [(m1, g), (r1, h)])
        statement.require(second, equals: [(m2, g), (r2, h)])
        return statement
    }
}
