/// The statement that somebody knows secrets by which points are sums of others, such as A = x · G + y · H.
///
/// It is proved by a Schnorr proof over all equations at once, made non-interactive by Fiat and Shamir's transform. The
/// order of points and equations is the transcript's, so it is part of the protocol (sections 5.1 to 5.4 of draft-yun-cfrg-arc).
struct ProofStatement: Sendable {
    /// A secret, by its place among the responses.
    struct Secret: Sendable { fileprivate let place: Int }

    private struct Equation: Sendable {
        let result: Point
        let terms: [(secret: Secret, point: Point)]
    }

    private let name: String
    private var secretCount = 0
    private let points: [Point]
    private let transcript: [UInt8]
    private var equations: [Equation] = []

    /// The draft's name separates the challenges of one statement from those of another; the points are in the order of the transcript.
    init(_ name: String, of points: [Point]) {
        (self.name, self.points) = (name, points)
        transcript = points.flatMap(Self.encoding)
    }

    mutating func secret() -> Secret {
        secretCount += 1
        return Secret(place: secretCount - 1)
    }

    mutating func require(_ result: Point, equals terms: [(secret: Secret, point: Point)]) {
        equations.append(Equation(result: result, terms: terms))
    }

    /// Proves it with fresh blindings, a secret's each, in the order in which secrets were declared.
    func prove(_ secrets: [Scalar], using generator: inout some RandomNumberGenerator) -> Proof {
        let blindings = HedgedRandomness.scalars(
            secrets.count, for: name, secrets: secrets, public: transcript, using: &generator)
        return prove(secrets, blindings: blindings)
    }

    /// Proves it with given blindings. Two proofs with the same blindings and different challenges give the secrets away.
    func prove(_ secrets: [Scalar], blindings: [Scalar]) -> Proof {
        precondition(secrets.count == secretCount && blindings.count == secretCount, "a value and a blinding a secret")
        let challenge = challenge(equations.map { commitment($0, blindings) })
        return Proof(challenge: challenge, responses: zip(blindings, secrets).map { $0 - challenge * $1 })
    }

    /// Says whether a proof holds; one that leads to a point at infinity, which has no encoding in the draft, does not.
    func isProved(by proof: Proof) -> Bool {
        guard proof.responses.count == secretCount else { return false }
        let commitments = equations.map { commitment($0, proof.responses, and: (proof.challenge, $0.result)) }
        guard !(points + commitments).contains(where: \.isIdentity.isYes) else { return false }
        return challenge(commitments) == proof.challenge
    }

    private func commitment(
        _ equation: Equation, _ scalars: [Scalar], and last: (scalar: Scalar, point: Point)? = nil
    ) -> Point {
        var terms = equation.terms.map { (scalar: scalars[$0.secret.place], point: $0.point) }
        if let last { terms.append(last) }
        return Point.sum(terms)
    }

    private func challenge(_ commitments: [Point]) -> Scalar {
        Scalar(hashing: transcript + commitments.flatMap(Self.encoding), domain: Suite.challengeDomain(name))
    }

    /// A point after its length, two bytes.
    private static func encoding(of point: Point) -> [UInt8] { [0, UInt8(Point.byteCount)] + point.compressed }
}

/// A Schnorr proof of a ``ProofStatement``: the challenge, and a response for each secret (section 5.1 of draft-yun-cfrg-arc).
struct Proof: Sendable, Equatable {
    let challenge: Scalar
    let responses: [Scalar]

    /// The challenge, then the responses; 32 bytes each.
    var bytes: [UInt8] { challenge.bytes + responses.flatMap(\.bytes) }
}

/// Random scalars that stay secret, and differ from statement to statement, even where the device's random numbers are bad.
///
/// They are hashed from 32 random bytes, from secrets of the device, and from what they are used for. With good random numbers
/// they are as good as those; with constant ones they are as in a deterministic signature (RFC 6979's idea; the hedge is
/// that of draft-irtf-cfrg-det-sigs-with-noise).
enum HedgedRandomness {
    /// Returns up to 170, for a use, from the device's secrets and all that makes this use differ from others of them.
    static func scalars(
        _ count: Int, for use: String, secrets: [Scalar], public: [UInt8],
        using generator: inout some RandomNumberGenerator
    ) -> [Scalar] {
        var message: [UInt8] = []
        for _ in 0..<4 { withUnsafeBytes(of: generator.next() as UInt64) { message.append(contentsOf: $0) } }
        message += secrets.flatMap(\.bytes) + `public`
        let bytes = MessageExpansion.expand(
            message, domain: Array("throng-arc-1 blinding \(use)".utf8), count: 48 * count)
        return (0..<count).map { Scalar(wide: bytes[(48 * $0)..<(48 * $0 + 48)]) }
    }
}

/// The suite ARCV1-P256 of draft-yun-cfrg-arc, as swift-crypto's `P256._ARCV1` has it: generators and hash domains.
///
/// Throng calls what it does with it `throng-arc-1`, because a draft may change.
enum Suite {
    private static let name = "ARCV1-P256"

    static let g = Point.generator

    /// A second generator, of which nobody knows the logarithm (section 4.1 of the draft).
    static let h = Point(hashing: g.compressed, domain: groupDomain("generatorH"))

    /// m₂ of the draft: the attribute that issuer and device agree on.
    static func attribute(of requestContext: [UInt8]) -> Scalar {
        Scalar(hashing: requestContext, domain: scalarDomain("requestContext"))
    }

    /// T of the draft: what a context's tags are multiples of.
    static func tagBase(of presentationContext: [UInt8]) -> Point {
        Point(hashing: presentationContext, domain: groupDomain("Tag"))
    }

    /// The domain of a proof's challenge, with the suite's name twice: the draft's label of a proof begins with it.
    static func challengeDomain(_ statement: String) -> [UInt8] { scalarDomain(name + statement) }

    private static func scalarDomain(_ use: String) -> [UInt8] { Array("HashToScalar-\(name)\(use)".utf8) }

    private static func groupDomain(_ use: String) -> [UInt8] { Array("HashToGroup-\(name)\(use)".utf8) }
}
