internal import Crypto
public import ThrongWire

/// Blinds values for an evaluator, so that it learns nothing of them (RFC 9497, VOPRF over P-256 and SHA-256).
///
/// ```swift
/// options.blinding = ValueBlinder()
/// ```
public struct ValueBlinder: ValueBlinding {
    /// There is nothing to choose.
    public init() {}

    /// Blinds inputs, each by a secret of its own, and fills the request up with points that stand for nothing.
    ///
    /// - Throws: an error with what to do if there are no inputs or too many, or the key is no point.
    /// - Complexity: about a third of a millisecond an input; most of a tenth of a second where this package is built without
    ///   optimization.
    public func blind(_ inputs: [[UInt8]], for key: EvaluatorKey) throws -> any BlindedInputs {
        let size = Evaluator.sizes.first { $0 >= inputs.count }
        guard let size else { throw EvaluationError.inputs(found: inputs.count) }
        var generator = SystemRandomNumberGenerator()
        let blinds = inputs.map { _ in Scalar.random(using: &generator) }
        var blinded = try BlindedValues(inputs, blinds: blinds, for: key)
        for _ in inputs.count..<size { blinded.fillers.append(.random(using: &generator) * Point.generator) }
        return blinded
    }
}

/// Inputs on their way to an evaluator.
struct BlindedValues: BlindedInputs {
    private let key: Point
    private let inputs: [[UInt8]]
    private let blinds: [Scalar]
    private let points: [Point]
    /// The points that fill the request up: random ones, which nobody tells from those of inputs.
    var fillers: [Point] = []

    /// Blind of RFC 9497, section 3.3.1, with a blind an input, none of them 0.
    init(_ inputs: [[UInt8]], blinds: [Scalar], for key: EvaluatorKey) throws(EvaluationError) {
        guard !inputs.isEmpty, inputs.allSatisfy({ $0.count <= EvaluationSuite.longestInput }) else {
            throw .inputs(found: inputs.count)
        }
        guard let point = Point(compressed: key.bytes) else { throw .point }
        (self.key, self.inputs, self.blinds) = (point, inputs, blinds)
        points = zip(blinds, inputs).map { $0 * EvaluationSuite.point(of: $1) }
    }

    var request: [UInt8] { (points + fillers).flatMap(\.compressed) }

    /// Finalize of section 3.3.2, once the proof holds.
    func outputs(of response: [UInt8]) throws -> [EvaluatedOutput] {
        let sent = points + fillers
        guard response.count == sent.count * Point.byteCount + EvaluationProof.byteCount else {
            throw EvaluationError.length(found: response.count)
        }
        let evaluated = try EvaluatorSecret.read(response.prefix(sent.count * Point.byteCount))
        let rest = response.suffix(EvaluationProof.byteCount)
        guard let challenge = Scalar(canonical: rest.prefix(Scalar.byteCount)),
            let answer = Scalar(canonical: rest.suffix(Scalar.byteCount))
        else { throw EvaluationError.scalar }
        let proof = EvaluationProof(challenge: challenge, response: answer)
        guard proof.holds(key: key, points: sent, evaluated: evaluated) else { throw EvaluationError.unproved }
        return try zip(zip(inputs, blinds), evaluated).map { own, point in
            let bytes = EvaluationSuite.output(of: own.0, evaluated: own.1.inverse * point)
            guard let output = EvaluatedOutput(bytes: bytes) else { throw EvaluationError.length(found: bytes.count) }
            return output
        }
    }
}

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

/// The suite P256-SHA256 of RFC 9497 in its verifiable mode: the domains of its hashes (sections 3.1, 3.3.2 and 4.3).
///
/// swift-crypto has a VOPRF, too, and this is not it: that one stops the process at answers that a lying evaluator can make,
/// answers one value at a time, and would bring BoringSSL into apps.
enum EvaluationSuite {
    /// contextString: its mode is 1.
    private static let context = Array("OPRFV1-\u{1}-P256-SHA256".utf8)
    private static let groupDomain = Array("HashToGroup-".utf8) + context
    private static let scalarDomain = Array("HashToScalar-".utf8) + context
    private static let keyDomain = Array("DeriveKeyPair".utf8) + context
    /// The domain of the seed from which the weights of a proof's composites come.
    static let seedDomain = Array("Seed-".utf8) + context

    /// HashToGroup of an input. No input is known that leads to the identity, and nobody could find one.
    static func point(of input: [UInt8]) -> Point { Point(hashing: input, domain: groupDomain) }

    /// HashToScalar.
    static func scalar(of transcript: [UInt8]) -> Scalar { Scalar(hashing: transcript, domain: scalarDomain) }

    /// The secret key of a seed (section 3.2.1). A number that comes out as 0, which one of 2²⁵⁶ does, is drawn again.
    static func secret(of seed: [UInt8], info: [UInt8]) -> Scalar {
        for counter in UInt8.min...UInt8.max {
            let secret = Scalar(hashing: seed + part(info) + [counter], domain: keyDomain)
            if !secret.isZero { return secret }
        }
        // The RFC gives up here; so does nothing that was ever seen.
        return .one
    }

    /// Returns what Finalize makes of an input and its evaluated point without the blinding (section 3.3.2).
    static func output(of input: [UInt8], evaluated: Point) -> [UInt8] {
        Array(SHA256.hash(data: part(input) + part(evaluated.compressed) + Array("Finalize".utf8)))
    }

    /// Bytes, 65,535 at most, after their number, two bytes.
    static func part(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= longestInput, "RFC 9497 allows 65,535 bytes")
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }

    static let longestInput = 65_535
}

/// The reason why bytes are no part of an evaluation, or it is not believed. No case holds any of the bytes.
package enum EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A request or an answer has more or fewer bytes than any that is allowed.
    case length(found: Int)
    /// 33 bytes are no compressed point of P-256.
    case point
    /// 32 bytes are no number below the group's order, or are 0 if that is not allowed.
    case scalar
    /// The answer's proof does not hold for this request and this key.
    case unproved
    /// There are no inputs, more than one request holds, or one that is too long.
    case inputs(found: Int)

    package var description: String {
        switch self {
        case .length(let found):
            "an evaluation has \(found) bytes; a request has 4 or 16 points of 33 bytes, "
                + "an answer as many and a proof of 64. Check that it came whole."
        case .point:
            "33 bytes are no point of P-256: "
                + "allowed are such that begin with 2 or 3 and have an x that is on the curve. Refuse it."
        case .scalar: "32 bytes are no number from 1 to below the group's order. Refuse it, or make a new key."
        case .unproved:
            "the answer is not what the plan's key makes of the request. The evaluator may have another key by now: "
                + "compare it with the plan's."
        case .inputs(let found):
            "a request was asked to hold \(found) inputs; 1 to 16 of at most 65535 bytes are allowed. Ask in several requests."
        }
    }
}

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
