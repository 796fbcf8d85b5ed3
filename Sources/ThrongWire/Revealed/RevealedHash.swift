/// What a device sends of a value from an open vocabulary instead of the value: a hash under the key of one window.
///
/// The first 128 bits of HMAC-SHA-256(SHA-256(``keyText(app:purpose:dimension:window:evaluator:)``), value), on the wire as `#`
/// and 32 hexadecimal digits. The key is public: a hash hides a value from whoever does not guess it, and can't be linked to
/// the same value's hash of another window or purpose by whoever does not. The hashing itself stands where the keys are
/// used, on the device and in the daemon; both are tested against one vector.
///
/// Where the app has an ``Evaluator``, the 32 bytes of the value's ``EvaluatedOutput`` come before the value, and it is
/// written with `##`: it hides the value from whoever guesses it, too, unless they ask the evaluator. The two kinds are never
/// taken for each other.
public struct RevealedHash: Hashable, Sendable {
    private let bits: BatchID
    /// Whether an evaluator's output went into it.
    public let isEvaluated: Bool

    /// Takes the first 16 bytes of an authentication code.
    ///
    /// - Precondition: there are that many.
    public init(authenticationCode: some Sequence<UInt8>, isEvaluated: Bool = false) {
        self.isEvaluated = isEvaluated
        var words: (UInt64, UInt64) = (0, 0)
        for byte in authenticationCode.prefix(16) {
            words.0 = words.0 << 8 | words.1 >> 56
            words.1 = words.1 << 8 | UInt64(byte)
        }
        bits = BatchID(high: words.0, low: words.1)
    }

    /// Reads `#` or `##` and 32 hexadecimal digits; nil for anything else.
    public init?(wire: some Collection<UInt8>) {
        let signs = wire.prefix(2).prefix { $0 == UInt8(ascii: "#") }.count
        guard signs > 0, let bits = BatchID(hex: wire.dropFirst(signs)) else { return nil }
        self.bits = bits
        isEvaluated = signs == 2
    }

    /// The first 64 bits.
    public var high: UInt64 { bits.high }
    /// The last 64 bits.
    public var low: UInt64 { bits.low }

    /// What the key of a window is made of: its SHA-256 is the key.
    ///
    /// - Parameter evaluator: the key whose outputs are hashed with the values; nil for none.
    public static func keyText(
        app: AppName, purpose: PurposeName, dimension: DimensionName, window: WindowNumber,
        evaluator: EvaluatorKey? = nil
    ) -> [UInt8] {
        let text = "\(app)\0\(purpose)\0\(dimension)\0\(window.value)"
        guard let evaluator else { return Array("throng revealed\0\(text)".utf8) }
        return Array("throng evaluated\0\(text)\0\(evaluator)".utf8)
    }
}

/// The daemon's request for the value behind a hash: enough devices have sent it, so that it may become known.
public struct RevealRequest: Sendable, Hashable, Codable {
    /// The dimension whose value it is.
    public let dimension: DimensionName
    /// What the device sent.
    public let hash: RevealedHash
    /// How likely a device should be to answer, so that few need to: more than 0, at most 1.
    public let probability: Double

    /// Puts a request together.
    public init(dimension: DimensionName, hash: RevealedHash, probability: Double) {
        self.dimension = dimension
        self.hash = hash
        self.probability = probability
    }
}

/// A device's answer to a ``RevealRequest``: the body of `POST /v1/reveals`. Who says it does not matter, so it says not.
public struct Reveal: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: AppName
    /// The purpose for which the hash was sent.
    public let purpose: PurposeName
    /// The window in which it was sent.
    public let window: Int64
    /// The dimension.
    public let dimension: DimensionName
    /// The value.
    public let value: String
    /// What the app's evaluator made of it; nil where it has none.
    public let output: EvaluatedOutput?
    /// The app key that the client has; nil where it has none.
    public var key: String?

    /// Puts an answer together.
    public init(
        app: AppName, purpose: PurposeName, window: Int64, dimension: DimensionName, value: String,
        output: EvaluatedOutput? = nil
    ) {
        self.app = app
        self.purpose = purpose
        self.window = window
        self.dimension = dimension
        self.value = value
        self.output = output
    }
}

extension RevealedHash: CustomStringConvertible {
    /// As it goes over the wire.
    public var description: String { isEvaluated ? "##\(bits)" : "#\(bits)" }
}

extension RevealedHash: Codable {
    /// Reads the wire's text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = RevealedHash(wire: Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not # or ## and 32 hexadecimal digits")
        }
        self = hash
    }

    /// Writes the wire's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
