/// Blinds values for an evaluator. The product `ThrongAttestation` has one, `ValueBlinder`: what it computes with is no part
/// of the client.
public protocol ValueBlinding: Sendable {
    /// Blinds inputs, each by a secret of its own.
    ///
    /// - Parameters:
    ///   - inputs: one to as many as the largest of ``Evaluator/sizes``.
    ///   - key: what the evaluator's answer is held against.
    /// - Throws: where there are none or too many, or the key is none.
    func blind(_ inputs: [[UInt8]], for key: EvaluatorKey) throws -> any BlindedInputs
}

/// Inputs on their way to an evaluator, with the secrets that take the blinding off its answer.
public protocol BlindedInputs: Sendable {
    /// The body of `POST /v1/evaluations`.
    var request: [UInt8] { get }

    /// What the evaluator's key makes of the inputs, in their order.
    ///
    /// - Parameter response: the body of the answer.
    /// - Throws: where it is not what that key makes of this request.
    func outputs(of response: [UInt8]) throws -> [EvaluatedOutput]
}
