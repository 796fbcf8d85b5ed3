/// Blinds values for an evaluator. The product `ThrongAttestation` has an implementation, `ValueBlinder`, because its
/// cryptography is no part of the client.
public protocol ValueBlinding: Sendable {
    /// Blinds inputs, each by a secret of its own.
    ///
    /// - Parameters:
    ///   - inputs: one to as many as the largest of ``Evaluator/sizes``.
    ///   - key: the evaluator's public key, against which its answer is checked.
    /// - Throws: if there are none or too many, or the key is not a valid one.
    func blind(_ inputs: [[UInt8]], for key: EvaluatorKey) throws -> any BlindedInputs
}

/// Inputs on their way to an evaluator, with the secrets that take the blinding off its answer.
public protocol BlindedInputs: Sendable {
    /// The body of `POST /v1/evaluations`.
    var request: [UInt8] { get }

    /// Returns the outputs of the evaluator's key for the inputs, in their order.
    ///
    /// - Parameter response: the body of the answer.
    /// - Throws: if it is not that key's answer to this request.
    func outputs(of response: [UInt8]) throws -> [EvaluatedOutput]
}
