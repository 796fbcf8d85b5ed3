/// The hash that a device sends in place of a value from an open vocabulary, under the key of one window.
///
/// The hash is the first 128 bits of HMAC-SHA-256(SHA-256(``keyText(app:purpose:dimension:window:evaluator:)``),
/// value), on the wire as `#` and 32 hexadecimal digits. The key is public. A hash hides a value from anybody who does
/// not guess it, and can't be linked to the same value's hash of another window or purpose without such a guess. The
/// device and the daemon each implement the hashing where they use the keys; both are tested against one vector.
///
/// Where the app has an ``Evaluator``, the 32 bytes of the value's ``EvaluatedOutput`` come before the value, and the
/// hash is written with `##`. Such a hash also hides the value from anybody who guesses it, unless they ask the
/// evaluator. The two kinds are never taken for each other.
public struct RevealedHash: Hashable, Sendable {
    private let bits: BatchID
    /// True if an evaluator's output went into it.
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

    /// Returns the text whose SHA-256 is the key of a window.
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
    /// The hash that the device sent.
    public let hash: RevealedHash
    /// The probability with which a device should answer, so that few need to: more than 0, at most 1.
    public let probability: Double

    /// Creates a request with the dimension, the hash and the probability.
    public init(dimension: DimensionName, hash: RevealedHash, probability: Double) {
        (self.dimension, self.hash, self.probability) = (dimension, hash, probability)
    }
}

/// A device's answer to a ``RevealRequest``: the body of `POST /v1/reveals`. It names no sender, because none is needed.
public struct Reveal: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: AppName
    /// The purpose for which the hash was sent.
    public let purpose: PurposeName
    /// The window in which the hash was sent.
    public let window: Int64
    /// The dimension.
    public let dimension: DimensionName
    /// The value.
    public let value: String
    /// The output of the app's evaluator for the value; nil if the app has none.
    public let output: EvaluatedOutput?
    /// The client's app key; nil if it has none.
    public var key: String?

    /// Creates an answer with the app, the purpose, the window, the dimension, the value and its output.
    public init(
        app: AppName, purpose: PurposeName, window: Int64, dimension: DimensionName, value: String,
        output: EvaluatedOutput? = nil
    ) {
        (self.app, self.purpose, self.window, self.dimension) = (app, purpose, window, dimension)
        (self.value, self.output) = (value, output)
    }
}

extension RevealedHash: CustomStringConvertible {
    /// The text on the wire.
    public var description: String { isEvaluated ? "##\(bits)" : "#\(bits)" }
}

extension RevealedHash: Codable {
    /// Reads the wire's text.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("not # or ## and 32 hexadecimal digits") { RevealedHash(wire: $0) }
    }

    /// Writes the wire's text.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
