/// A statement that somebody knows secrets by which some points are sums of multiples of others, such as A = x · G + y
/// · H.
///
/// It is proved by a Schnorr proof over all equations at once, made non-interactive by Fiat and Shamir's transform. The
/// order of points and equations is the transcript's, so it is part of the protocol (sections 5.1 to 5.4 of
/// draft-yun-cfrg-arc).
struct ProofStatement: Sendable {
    /// A secret, by its place among the responses.
    struct Secret: Sendable { fileprivate let place: Int }
    /// A public point, by its place in the transcript.
    struct Element: Sendable { fileprivate let place: Int }

    private struct Equation: Sendable {
        let result: Element
        let terms: [(secret: Secret, element: Element)]
    }

    private let name: String
    private var secretCount = 0
    private var points: [Point] = []
    /// The points' encodings.
    private var transcript: [UInt8] = []
    private var equations: [Equation] = []

    /// - Parameter name: what the draft calls it; it separates the challenges of one statement from those of another.
    init(_ name: String) { self.name = name }

    mutating func secret() -> Secret {
        secretCount += 1
        return Secret(place: secretCount - 1)
    }

    mutating func element(_ point: Point) -> Element {
        points.append(point)
        transcript += Self.encoding(of: point)
        return Element(place: points.count - 1)
    }

    mutating func require(_ result: Element, equals terms: [(secret: Secret, element: Element)]) {
        equations.append(Equation(result: result, terms: terms))
    }

    /// Proves it with fresh blindings, a secret's each.
    ///
    /// - Parameter secrets: in the order in which they were declared.
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

    /// Says whether a proof holds. A point at infinity has no encoding in the draft: a proof that leads to one does not
    /// hold.
    func isProved(by proof: Proof) -> Bool {
        guard proof.responses.count == secretCount else { return false }
        let commitments = equations.map {
            commitment($0, proof.responses, and: (proof.challenge, points[$0.result.place]))
        }
        guard !(points + commitments).contains(where: \.isIdentity.isYes) else { return false }
        return challenge(commitments) == proof.challenge
    }

    private func commitment(
        _ equation: Equation, _ scalars: [Scalar], and last: (scalar: Scalar, point: Point)? = nil
    ) -> Point {
        var terms = equation.terms.map { (scalar: scalars[$0.secret.place], point: points[$0.element.place]) }
        if let last { terms.append(last) }
        return Point.sum(terms)
    }

    private func challenge(_ commitments: [Point]) -> Scalar {
        Scalar(hashing: transcript + commitments.flatMap(Self.encoding), domain: Suite.challengeDomain(name))
    }

    /// A point after its length, two bytes.
    private static func encoding(of point: Point) -> [UInt8] { [0, UInt8(Point.byteCount)] + point.compressed }
}
