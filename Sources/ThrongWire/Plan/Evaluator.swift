/// Who makes a plan's hashes of open vocabularies unguessable: somebody else than whoever runs the daemon, as the relay is.
///
/// A device has each value evaluated before it hashes it: the evaluator learns nothing of the value (RFC 9497, VOPRF over
/// P-256 and SHA-256), and without asking it nobody can tell what a hash was made of.
public struct Evaluator: Sendable, Hashable, Codable {
    /// Where it is; blinded values go to `/v1/evaluations` there.
    public let url: RelayAddress
    /// The key by which it proves what it answers.
    public let key: EvaluatorKey

    /// Puts both together.
    public init(url: RelayAddress, key: EvaluatorKey) {
        self.url = url
        self.key = key
    }

    /// How many blinded values one request holds. It is filled up with others, so that the evaluator learns little of how many
    /// a device has.
    public static let sizes = [4, 16]
}

/// An evaluator's public key: a compressed point of P-256, 33 bytes, on the wire and in plans as base64url.
public struct EvaluatorKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The point.
    public let bytes: [UInt8]

    /// Reads base64url; nil for anything that does not look like a compressed point. Whether it is one, is for whoever computes
    /// with it.
    public init?(text: some Collection<UInt8>) {
        guard let bytes = Base64URL.bytes(of: text), bytes.count == 33, bytes[0] == 2 || bytes[0] == 3 else {
            return nil
        }
        self.bytes = bytes
    }

    /// Takes what is known to be a compressed point.
    package init(point bytes: [UInt8]) { self.bytes = bytes }

    /// As it is written.
    public var description: String { Base64URL.text(of: bytes) }

    /// Reads its text.
    ///
    /// - Throws: `DecodingError` where it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = EvaluatorKey(text: Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no evaluator's key; 33 bytes in base64url are allowed")
        }
        self = key
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
