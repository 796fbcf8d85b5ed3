/// A device's request for a credential: its two attributes, hidden, and a proof that it knows what it hid (section
/// 4.2.1 of the draft). The issuer learns nothing of m₁ from it.
///
/// Raw representation, 226 bytes: m1Enc 33 and m2Enc 33, compressed points; then the proof of 160: its challenge and the
/// responses for m1, m2, r1 and r2, 32 each, the highest byte first.
package struct CredentialRequest: Sendable {
    let m1Enc, m2Enc: Point
    let proof: Proof
}

extension CredentialRequest {
    /// Reads a request; ``isProved`` says whether to believe it.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .request)
        m1Enc = try reader.point("m1Enc")
        m2Enc = try reader.point("m2Enc")
        proof = try reader.proof(ofSecrets: 4)
    }

    package var rawRepresentation: [UInt8] { m1Enc.compressed + m2Enc.compressed + proof.bytes }

    /// True if its proof holds. False, too, if a commitment is the point at infinity: swift-crypto's issuer stops the
    /// process at such a proof, so a daemon asks this first.
    package var isProved: Bool { Self.statement(m1Enc, m2Enc).isProved(by: proof) }

    /// Returns the statement that m1Enc = m1 · G + r1 · H and m2Enc = m2 · G + r2 · H (section 5.2 of the draft).
    static func statement(_ m1Enc: Point, _ m2Enc: Point) -> ProofStatement {
        var statement = ProofStatement("CredentialRequest", of: [Suite.g, Suite.h, m1Enc, m2Enc])
        let (m1, m2, r1, r2) = (statement.secret(), statement.secret(), statement.secret(), statement.secret())
        statement.require(m1Enc, equals: [(m1, Suite.g), (r1, Suite.h)])
        statement.require(m2Enc, equals: [(m2, Suite.g), (r2, Suite.h)])
        return statement
    }
}
