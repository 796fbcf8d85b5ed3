/// The service that makes a plan's hashes of open vocabularies unguessable. Like the relay, it is run by somebody other
/// than the daemon's operator.
///
/// A device has each value evaluated before it hashes it. The evaluator learns nothing of the value (RFC 9497, VOPRF
/// over P-256 and SHA-256), and nobody can tell what a hash was made of without asking the evaluator.
public struct Evaluator: Sendable, Hashable, Codable {
    /// The evaluator's address; blinded values go to `/v1/evaluations` there.
    public let url: RelayAddress
    /// The public key against which its answers are checked.
    public let key: EvaluatorKey

    /// Creates an evaluator with its address and key.
    public init(url: RelayAddress, key: EvaluatorKey) { (self.url, self.key) = (url, key) }

    /// The numbers of blinded values that a request may hold. A device fills a request up with others, so that the
    /// evaluator learns little of how many it has.
    public static let sizes = [4, 16]
}

/// An evaluator's public key: a compressed point of P-256, 33 bytes, on the wire and in plans as base64url.
public struct EvaluatorKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The point.
    public let bytes: [UInt8]

    /// Reads base64url; nil for anything that does not look like a compressed point. Code that computes with the key
    /// checks whether it is one.
    public init?(text: some Collection<UInt8>) {
        guard let bytes = Base64URL.bytes(of: text), bytes.count == 33, bytes[0] == 2 || bytes[0] == 3 else {
            return nil
        }
        self.bytes = bytes
    }

    /// Takes bytes that are known to be a compressed point.
    package init(point bytes: [UInt8]) { self.bytes = bytes }

    /// The key in base64url, as it is written.
    public var description: String { Base64URL.text(of: bytes) }

    /// Reads its text.
    ///
    /// - Throws: `DecodingError` if it is not a key.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("no evaluator's key; 33 bytes in base64url are allowed") { EvaluatorKey(text: $0) }
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
