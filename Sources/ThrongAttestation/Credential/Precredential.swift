/// A request's secrets, which a device keeps until the response is there. Anybody who has them can use the credential.
///
/// The request is kept with them, so that a device that starts again in between sends the same one: the daemon then answers
/// without counting it as a second one, and an attestation of the request stays good.
///
/// Raw representation, 486 bytes, to be stored as secretly as a password:
///
///       0    1  version, 1
///       1   32  m1, the device's secret attribute; a number, the highest byte first, as are those that follow
///      33   32  r1, which hides m1 in the request
///      65   32  r2, which hides m2 in the request
///      97   32  m2, the attribute that is agreed on: a hash of the request context
///     129   99  the issuer's key
///     228  226  the request
///     454   32  SHA-256 of `throng-arc-1 stored precredential` and all before it
package struct Precredential: Sendable {
    package let request: CredentialRequest
    private let issuer: IssuerKey
    private let m1, r1, r2, m2: Scalar

    /// Makes secrets and a request (section 4.2.1 of the draft) for the key that all devices see; the context is what
    /// issuer and device agree on, and what the daemon checks presentations for.
    package init(for issuer: IssuerKey, requestContext: [UInt8]) {
        var generator = SystemRandomNumberGenerator()
        self.init(for: issuer, requestContext: requestContext, using: &generator)
    }

    init(for issuer: IssuerKey, requestContext: [UInt8], using generator: inout some RandomNumberGenerator) {
        self.init(
            for: issuer, requestContext: requestContext, m1: .random(using: &generator), r1: .random(using: &generator),
            r2: .random(using: &generator)
        ) { statement, secrets in
            statement.prove(secrets, using: &generator)
        }
    }

    /// Makes secrets and a request from given numbers, for the draft's vectors.
    init(
        for issuer: IssuerKey, requestContext: [UInt8], m1: Scalar, r1: Scalar, r2: Scalar,
        prove: (ProofStatement, [Scalar]) throws -> Proof
    ) rethrows {
        self.issuer = issuer
        (self.m1, self.r1, self.r2) = (m1, r1, r2)
        m2 = Suite.attribute(of: requestContext)
        let (m1Enc, m2Enc) = Self.hidden(m1, m2, r1, r2)
        let proof = try prove(CredentialRequest.statement(m1Enc, m2Enc), [m1, m2, r1, r2])
        request = CredentialRequest(m1Enc: m1Enc, m2Enc: m2Enc, proof: proof)
    }

    /// Reads what was stored.
    ///
    /// - Throws: an ``AttestationError`` if it was cut off or changed, or does not fit together.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try StoredBytes.open(bytes, as: .precredential)
        m1 = try reader.secret("m1")
        r1 = try reader.secret("r1")
        r2 = try reader.secret("r2")
        m2 = try reader.scalar("m2")
        issuer = try IssuerKey(&reader)
        request = try CredentialRequest(rawRepresentation: reader.bytes(AttestationForm.request.byteCount))
        let (m1Enc, m2Enc) = Self.hidden(m1, m2, r1, r2)
        guard request.m1Enc == m1Enc, request.m2Enc == m2Enc else { throw .damaged(.precredential) }
    }

    package var rawRepresentation: [UInt8] {
        StoredBytes.wrap(
            m1.bytes + r1.bytes + r2.bytes + m2.bytes + issuer.rawRepresentation + request.rawRepresentation,
            as: .precredential)
    }

    /// Makes the credential of a response (section 4.2.3 of the draft).
    ///
    /// - Throws: ``AttestationError/unproved`` if the response is not the issuer's, or is one to another request.
    package func finalize(_ response: CredentialResponse) throws(AttestationError) -> Credential {
        guard response.isProved(for: request, by: issuer) else { throw .unproved }
        // encUPrime is b · (X0 + x1 · m1Enc + x2 · m2Enc). What is left is (x0 + x1 · m1 + x2 · m2) · U.
        let uPrime =
            response.encUPrime - response.x0Aux - Point.sum([(r1, response.x1Aux), (r2, response.x2Aux)])
        guard !uPrime.isIdentity.isYes else { throw .empty }
        return Credential(m1: m1, u: response.u, uPrime: uPrime, x1: issuer.x1)
    }

    func isFor(_ key: IssuerKey) -> Bool { issuer.rawRepresentation == key.rawRepresentation }

    private static func hidden(_ m1: Scalar, _ m2: Scalar, _ r1: Scalar, _ r2: Scalar) -> (Point, Point) {
        (Point.sum([(m1, Suite.g), (r1, Suite.h)]), Point.sum([(m2, Suite.g), (r2, Suite.h)]))
    }
}
