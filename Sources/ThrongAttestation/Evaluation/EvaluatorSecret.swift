package import ThrongWire

/// An evaluator's secret key, and what it does with it (RFC 9497, section 3.3.2): it multiplies points of which it knows
/// nothing, and proves that it did.
package struct EvaluatorSecret: Sendable {
    private let secret: Scalar
    private let key: Point

    /// Makes the key of a seed, 32 bytes, to be kept as secretly as a password: DeriveKeyPair (section 3.2.1).
    package init(seed: [UInt8], info: [UInt8] = Array("throng evaluator".utf8)) {
        secret = EvaluationSuite.secret(of: seed, info: info)
        key = secret * Point.generator
    }

    package var publicKey: EvaluatorKey { EvaluatorKey(point: key.compressed) }

    /// Returns how many points a request of so many bytes has; nil if no request has as many.
    package static func points(in bytes: Int) -> Int? { Evaluator.sizes.first { $0 * Point.byteCount == bytes } }

    package static let longestRequest = (Evaluator.sizes.max() ?? 0) * Point.byteCount

    /// Answers the body of `POST /v1/evaluations`: as many points as came, and one proof.
    ///
    /// - Throws: ``EvaluationError`` for any bytes but as many points as ``Evaluator/sizes`` allows. The identity has
    ///   no encoding, so it is never among them.
    /// - Complexity: about three multiplications a point.
    package func evaluate(_ request: some Collection<UInt8>) throws(EvaluationError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        guard Self.points(in: request.count) != nil else { throw .length(found: request.count) }
        return evaluate(try Self.read(request)) { points, evaluated in
            HedgedRandomness.scalars(
                1, for: "evaluation", secrets: [secret], public: (points + evaluated).flatMap(\.compressed),
                using: &generator)[0]
        }
    }

    /// The same with a given random number, for the RFC's vectors.
    func evaluate(_ points: [Point], random: ([Point], [Point]) -> Scalar) -> [UInt8] {
        let evaluated = points.map { secret * $0 }
        let proof = EvaluationProof.prove(
            secret, key: key, points: points, evaluated: evaluated, random: random(points, evaluated))
        return evaluated.flatMap(\.compressed) + proof.bytes
    }

    /// Points of 33 bytes each.
    static func read(_ bytes: some Collection<UInt8>) throws(EvaluationError) -> [Point] {
        var points: [Point] = []
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            guard let point = Point(compressed: rest.prefix(Point.byteCount)) else { throw .point }
            points.append(point)
            rest = rest.dropFirst(Point.byteCount)
        }
        return points
    }
}
