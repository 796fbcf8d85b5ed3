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
