/// The output of an evaluator's key for one value: 32 bytes, on the wire as base64url. Anybody who has it and the value
/// can make the value's hash of any window.
public struct EvaluatedOutput: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes 32 bytes; nil for more or fewer.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads base64url; nil for anything else.
    public init?(text: some Collection<UInt8>) {
        guard let bytes = Base64URL.bytes(of: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The output in base64url, as it is written.
    public var description: String { Base64URL.text(of: bytes) }

    /// Returns the input to evaluate for a value: the value with its app and dimension, so that outputs of one serve no
    /// other. It is the same in all windows and purposes; what travels is not.
    public static func input(of value: BucketLabel, dimension: DimensionName, app: AppName) -> [UInt8] {
        Array("throng evaluation\0\(app)\0\(dimension)\0\(value)".utf8)
    }

    /// Reads its text.
    ///
    /// - Throws: `DecodingError` if it is not an output.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("no 32 bytes in base64url") { EvaluatedOutput(text: $0) }
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

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
