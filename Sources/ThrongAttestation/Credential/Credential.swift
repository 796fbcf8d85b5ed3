/// A credential: by it a device shows that a daemon attested it, once a context, and is not known again in another one.
///
/// Everything that is shown has the presentation limit 1, so the draft's nonce is always 0 and there is no state: a device that
/// presents twice in one context shows the same tag, and that is how a daemon knows it again.
///
/// Raw representation, 164 bytes, to be stored as secretly as a password:
///
///       0    1  version, 1
///       1   32  m1, the device's secret attribute; a number, the highest byte first
///      33   33  U, a compressed point, as are those that follow
///      66   33  U', the MAC over the attributes
///      99   33  X1 of the issuer's key
///     132   32  SHA-256 of `throng-arc-1 stored credential` and all before it
package struct Credential: Sendable {
    private let m1: Scalar
    private let u, uPrime, x1: Point

    init(m1: Scalar, u: Point, uPrime: Point, x1: Point) {
        (self.m1, self.u, self.uPrime, self.x1) = (m1, u, uPrime, x1)
    }

    /// Reads what was stored.
    ///
    /// - Throws: an ``AttestationError`` if it was cut off or changed.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try StoredBytes.open(bytes, as: .credential)
        m1 = try reader.secret("m1")
        u = try reader.point("U")
        uPrime = try reader.point("U'")
        x1 = try reader.point("X1")
    }

    package var rawRepresentation: [UInt8] {
        StoredBytes.wrap(m1.bytes + u.compressed + uPrime.compressed + x1.compressed, as: .credential)
    }

    /// Returns the tag by which the daemon will know this device in a context, and in no other.
    package func tag(for presentationContext: [UInt8]) -> PresentationTag {
        PresentationTag(tag(Suite.tagBase(of: presentationContext), nonce: .zero))
    }

    /// Shows the credential in a context (section 4.3.2 of the draft). Two presentations have nothing in common but the
    /// tag, and that only in one context.
    ///
    /// - Complexity: about a millisecond; most of a second where this target is built without optimization.
    package func present(for presentationContext: [UInt8]) -> Presentation {
        var generator = SystemRandomNumberGenerator()
        return present(for: presentationContext, using: &generator)
    }

    func present(for context: [UInt8], using generator: inout some RandomNumberGenerator) -> Presentation {
        let random = HedgedRandomness.scalars(3, for: "presentation", secrets: [m1], public: context, using: &generator)
        return present(for: context, nonce: .zero, a: random[0], r: random[1], z: random[2]) { statement, secrets in
            statement.prove(secrets, using: &generator)
        }
    }

    /// Shows the credential with given randomness and any nonce, for the draft's vectors.
    func present(
        for context: [UInt8], nonce: Scalar, a: Scalar, r: Scalar, z: Scalar,
        prove: (ProofStatement, [Scalar]) throws -> Proof
    ) rethrows -> Presentation {
        let base = Suite.tagBase(of: context)
        let tag = tag(base, nonce: nonce)
        let u = a * self.u
        let m1Commit = Point.sum([(m1, u), (z, Suite.h)])
        let uPrimeCommit = Point.sum([(a, uPrime), (r, Suite.g)])

        // The daemon works V out from its secrets, the device from what it drew.
        let v = Point.sum([(z, x1), (-r, Suite.g)])
        let statement = Presentation.statement(
            u: u, uPrimeCommit: uPrimeCommit, m1Commit: m1Commit, v: v, x1: x1, tag: tag, base: base, m1Tag: m1 * tag)
        return try Presentation(
            u: u, uPrimeCommit: uPrimeCommit, m1Commit: m1Commit, tag: tag, proof: prove(statement, [m1, z, -r, nonce]))
    }

    /// Returns T / (m1 + nonce).
    private func tag(_ base: Point, nonce: Scalar) -> Point { (m1 + nonce).inverse * base }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    /// Its type alone: a credential in a log would be a credential for all who read it.
    package var description: String { "Credential" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

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
        let uPrime = response.encUPrime - response.x0Aux - Point.sum([(r1, response.x1Aux), (r2, response.x2Aux)])
        guard !uPrime.isIdentity.isYes else { throw .empty }
        return Credential(m1: m1, u: response.u, uPrime: uPrime, x1: issuer.x1)
    }

    func isFor(_ key: IssuerKey) -> Bool { issuer.rawRepresentation == key.rawRepresentation }

    private static func hidden(_ m1: Scalar, _ m2: Scalar, _ r1: Scalar, _ r2: Scalar) -> (Point, Point) {
        (Point.sum([(m1, Suite.g), (r1, Suite.h)]), Point.sum([(m2, Suite.g), (r2, Suite.h)]))
    }
}
