package import ThrongWire

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
