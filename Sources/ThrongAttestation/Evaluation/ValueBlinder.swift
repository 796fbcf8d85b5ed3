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
