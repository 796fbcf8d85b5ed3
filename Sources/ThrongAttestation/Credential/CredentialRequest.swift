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

/// A daemon's answer: a MAC over the hidden attributes, hidden as well, and a proof that it is made with the key that
/// all devices see (section 4.2.2 of the draft).
///
/// Raw representation, 454 bytes: U, encUPrime, X0Aux, X1Aux, X2Aux and HAux, compressed points of 33 each; then the proof
/// of 256: its challenge and the responses for x0, x1, x2, x0Blinding, b, t1 and t2, 32 each, the highest byte first.
package struct CredentialResponse: Sendable {
    let u, encUPrime, x0Aux, x1Aux, x2Aux: Point
    private let hAux: Point
    private let proof: Proof

    /// Reads a response; ``Precredential/finalize(_:)`` says whether it is true.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .response)
        u = try reader.point("U")
        encUPrime = try reader.point("encUPrime")
        x0Aux = try reader.point("X0Aux")
        x1Aux = try reader.point("X1Aux")
        x2Aux = try reader.point("X2Aux")
        hAux = try reader.point("HAux")
        proof = try reader.proof(ofSecrets: 7)
    }

    /// Says whether its proof holds: it was made with this key's secrets (section 5.3 of the draft).
    func isProved(for request: CredentialRequest, by key: IssuerKey) -> Bool {
        let (g, h) = (Suite.g, Suite.h)
        var statement = ProofStatement(
            "CredentialResponse",
            of: [g, h, request.m1Enc, request.m2Enc, u, encUPrime, key.x0, key.x1, key.x2, x0Aux, x1Aux, x2Aux, hAux])
        let (x0, x1, x2) = (statement.secret(), statement.secret(), statement.secret())
        let x0Blinding = statement.secret()
        // t1 = b · x1 and t2 = b · x2.
        let (b, t1, t2) = (statement.secret(), statement.secret(), statement.secret())
        // The key is what it says.
        statement.require(key.x0, equals: [(x0, g), (x0Blinding, h)])
        statement.require(key.x1, equals: [(x1, h)])
        statement.require(key.x2, equals: [(x2, h)])
        // These take the hiding off again: b · x0Blinding · H, b · x1 · H and b · x2 · H.
        statement.require(hAux, equals: [(b, h)])
        statement.require(x0Aux, equals: [(x0Blinding, hAux)])
        statement.require(x1Aux, equals: [(t1, h)])
        statement.require(x1Aux, equals: [(b, key.x1)])
        statement.require(x2Aux, equals: [(b, key.x2)])
        statement.require(x2Aux, equals: [(t2, h)])
        // The MAC: U = b · G, and b · (X0 + x1 · m1Enc + x2 · m2Enc).
        statement.require(u, equals: [(b, g)])
        statement.require(encUPrime, equals: [(b, key.x0), (t1, request.m1Enc), (t2, request.m2Enc)])
        return statement.isProved(by: proof)
    }
}
