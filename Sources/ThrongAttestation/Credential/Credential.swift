package import ThrongWire

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
package struct Credential: Sendable, CustomStringConvertible, CustomReflectable {
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

/// The tag by which a daemon knows a credential within one presentation context: a point that tells no more.
package struct PresentationTag: Hashable, Sendable {
    /// 33 bytes: a compressed point.
    package let rawRepresentation: [UInt8]

    init(_ point: Point) { rawRepresentation = point.compressed }
}

/// A credential, shown in one context (section 4.3 of draft-yun-cfrg-arc). Its presentation limit is 1 and its nonce 0.
///
/// Raw representation, 292 bytes: U, UPrimeCommit, m1Commit and the tag, compressed points of 33 each; then the proof of 160:
/// its challenge and the responses for m1, z, −r and the nonce, 32 each, the highest byte first.
package struct Presentation: Sendable {
    private let u, uPrimeCommit, m1Commit, tagPoint: Point
    private let proof: Proof

    init(u: Point, uPrimeCommit: Point, m1Commit: Point, tag: Point, proof: Proof) {
        (self.u, self.uPrimeCommit, self.m1Commit) = (u, uPrimeCommit, m1Commit)
        tagPoint = tag
        self.proof = proof
    }

    /// Reads a presentation; ``isProved(for:requestContext:by:)`` says whether to believe it.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .presentation)
        u = try reader.point("U")
        uPrimeCommit = try reader.point("UPrimeCommit")
        m1Commit = try reader.point("m1Commit")
        tagPoint = try reader.point("the tag")
        proof = try reader.proof(ofSecrets: 4)
    }

    /// 292 bytes, to be sent.
    package var rawRepresentation: [UInt8] {
        u.compressed + uPrimeCommit.compressed + m1Commit.compressed + tagPoint.compressed + proof.bytes
    }

    /// Bytes 99 to 131 of the raw representation.
    package var tag: PresentationTag { PresentationTag(tagPoint) }

    /// Says whether it shows a credential of this issuer and request context, in this presentation context. False, too,
    /// if a commitment is the point at infinity: swift-crypto's verifier stops the process at such a proof.
    package func isProved(for presentationContext: [UInt8], requestContext: [UInt8], by issuer: IssuerSecrets) -> Bool {
        // (x0 + x1 · m1 + x2 · m2) · U, as far as it is the credential's, less the commitment to it.
        let m2 = Suite.attribute(of: requestContext)
        let mac = Point.sum([(issuer.x0 + issuer.x2 * m2, u), (issuer.x1, m1Commit)])
        let base = Suite.tagBase(of: presentationContext)
        // The nonce is 0, so m1 · tag is the base itself.
        let statement = Self.statement(
            u: u, uPrimeCommit: uPrimeCommit, m1Commit: m1Commit, v: mac - uPrimeCommit, x1: issuer.keyX1,
            tag: tagPoint, base: base, m1Tag: base)
        return statement.isProved(by: proof)
    }

    /// Returns the statement that m1Commit = m1 · U + z · H, V = z · X1 − r · G, T = m1 · tag + nonce · tag and m1Tag =
    /// m1 · tag, for the secrets m1, z, −r and nonce (section 5.4 of the draft).
    static func statement(
        u: Point, uPrimeCommit: Point, m1Commit: Point, v: Point, x1: Point, tag: Point, base: Point, m1Tag: Point
    ) -> ProofStatement {
        // uPrimeCommit is in the transcript alone: V binds it.
        var statement = ProofStatement(
            "CredentialPresentation", of: [Suite.g, Suite.h, u, uPrimeCommit, m1Commit, v, x1, tag, base, m1Tag])
        let (m1, z, negatedR, nonce) = (statement.secret(), statement.secret(), statement.secret(), statement.secret())
        statement.require(m1Commit, equals: [(m1, u), (z, Suite.h)])
        statement.require(v, equals: [(z, x1), (negatedR, Suite.g)])
        statement.require(base, equals: [(m1, tag), (nonce, tag)])
        statement.require(m1Tag, equals: [(m1, tag)])
        return statement
    }
}

/// The context of a presentation, as bytes that can't be read in two ways: see ``ContextParts``.
///
/// The parts of a window are `throng-arc-1`, `window`, app, purpose and the window's number. Those of a first are
/// `throng-arc-1`, `first`, app, metric, what the public plan calls the metric's layout, the period's kind and its
/// first second, and then dimension and bucket for each of the grouping, in the order of the dimensions' names. Names
/// are UTF-8; numbers are eight bytes, the highest first, in two's complement.
package struct PresentationContext: Sendable, Hashable {
    /// The bytes that go into ``Credential/present(for:)``, and into the daemon's check.
    package let bytes: [UInt8]

    /// Returns the context of a purpose's window, in which a credential has one identifier.
    package static func window(
        _ window: WindowNumber, of purpose: PurposeName, app: AppName
    ) throws(AttestationError) -> PresentationContext {
        PresentationContext(bytes: try ContextParts.bytes(["window", app.text, purpose.text], window.value))
    }

    /// Returns the context in which a device proves, once, that it is in a cell of a metric's grouping in a period. The
    /// cell is the dimensions with their buckets, none of which partitions devices; the layout is the public plan's.
    package static func first(
        in cell: [DimensionName: BucketLabel], of metric: MetricName, layout: String, period: Period, app: AppName
    ) throws(AttestationError) -> PresentationContext {
        let buckets = cell.sorted { $0.key < $1.key }.flatMap { [$0.key.text, $0.value.text] }
        return PresentationContext(
            bytes: try ContextParts.bytes(
                ["first", app.text, metric.text, layout, period.kind.rawValue], period.start.value, buckets))
    }
}

/// The encoding of contexts, no two alike: each part follows its length, two bytes, the highest first.
enum ContextParts {
    /// Returns the bytes of `throng-arc-1`, texts in UTF-8, a number of eight bytes, and more texts.
    static func bytes(_ texts: [String], _ number: Int64, _ more: [String] = []) throws(AttestationError) -> [UInt8] {
        let eight = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        var bytes: [UInt8] = []
        for part in (["throng-arc-1"] + texts).map({ Array($0.utf8) }) + [eight] + more.map({ Array($0.utf8) }) {
            guard part.count <= AttestationError.longestContextPart else { throw .contextPart(found: part.count) }
            bytes += [UInt8(part.count >> 8), UInt8(part.count & 0xff)] + part
        }
        return bytes
    }
}
