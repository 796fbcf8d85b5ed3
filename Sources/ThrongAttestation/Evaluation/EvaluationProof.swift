internal import Crypto

/// A proof that points were all multiplied by the secret of one public key (RFC 9497, section 2.2).
struct EvaluationProof: Sendable {
    let challenge, response: Scalar

    static let byteCount = 2 * Scalar.byteCount

    /// 64 bytes: challenge and response.
    var bytes: [UInt8] { challenge.bytes + response.bytes }

    /// GenerateProof, for as many evaluated points. Two proofs with the same random r and different points give the secret away.
    static func prove(
        _ secret: Scalar, key: Point, points: [Point], evaluated: [Point], random: Scalar
    ) -> EvaluationProof {
        let weights = Self.weights(key: key, points: points, evaluated: evaluated)
        let composite = Point.sum(Array(zip(weights, points)))
        let challenge = Self.challenge(
            key: key, composite, secret * composite, random * Point.generator, random * composite)
        return EvaluationProof(challenge: challenge, response: random - challenge * secret)
    }

    /// VerifyProof. A point at infinity has no encoding in the RFC: a proof that leads to one proves nothing.
    func holds(key: Point, points: [Point], evaluated: [Point]) -> Bool {
        let weights = Self.weights(key: key, points: points, evaluated: evaluated)
        let first = Point.sum(Array(zip(weights, points)))
        let second = Point.sum(Array(zip(weights, evaluated)))
        let third = Point.sum([(response, Point.generator), (challenge, key)])
        let fourth = Point.sum([(response, first), (challenge, second)])
        guard ![key, first, second, third, fourth].contains(where: \.isIdentity.isYes) else { return false }
        return Self.challenge(key: key, first, second, third, fourth) == challenge
    }

    private static func weights(key: Point, points: [Point], evaluated: [Point]) -> [Scalar] {
        let seed = Array(
            SHA256.hash(data: EvaluationSuite.part(key.compressed) + EvaluationSuite.part(EvaluationSuite.seedDomain)))
        return zip(points, evaluated).enumerated().map { place, pair in
            EvaluationSuite.scalar(
                of: EvaluationSuite.part(seed) + [UInt8(place >> 8), UInt8(place & 0xff)]
                    + EvaluationSuite.part(pair.0.compressed) + EvaluationSuite.part(pair.1.compressed)
                    + Array("Composite".utf8))
        }
    }

    private static func challenge(key: Point, _ points: Point...) -> Scalar {
        EvaluationSuite.scalar(
            of: ([key] + points).flatMap { EvaluationSuite.part($0.compressed) } + Array("Challenge".utf8))
    }
}
