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
public struct RevealedHash: Hashable, Sendable, CustomStringConvertible, Codable {
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

    /// The text on the wire.
    public var description: String { isEvaluated ? "##\(bits)" : "#\(bits)" }

    /// Reads the wire's text.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("not # or ## and 32 hexadecimal digits") { RevealedHash(wire: $0) }
    }

    /// Writes the wire's text.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
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

/// The reason why a value of an open vocabulary never leaves a device, and is never learned by a daemon.
public enum UnfitValue: Error, Sendable, Hashable, CustomStringConvertible {
    /// It can't be the name of a bucket: ``BucketLabel/isPrintable``.
    case malformed
    /// It would be taken for something else: `other`, or a text that starts with `(` or `#`.
    case reserved
    /// It looks like an address or a number by which a person can be reached or known.
    case personal

    /// A message: what is allowed; never the value.
    public var description: String {
        switch self {
        case .malformed:
            "the value can't name a bucket; 1 to 64 bytes without quotes, commas, semicolons, backslashes, "
                + "bars and control characters are allowed, starting with none of = + - @ and no space"
        case .reserved: "the value 'other', and values that start with ( or #, mean something else"
        case .personal: "the value looks personal: an @, or 6 digits and more in a row"
        }
    }
}

extension BucketLabel {
    /// The label that a value of an open vocabulary would get once enough devices have it.
    ///
    /// Refused as personal: an `@` of any width, and 6 or more digits of any script with nothing but spaces and the
    /// signs of phone numbers and dates (`+ - . / : ( )`) between them. This is a net for accidents, not a proof: an
    /// app that asks people for names has names in the values.
    public init(revealing value: String) throws(UnfitValue) {
        self.init(value)
        // A value that looks personal is refused as personal, whatever else is wrong with it.
        guard !Self.looksPersonal(value) else { throw .personal }
        guard isPrintable else { throw .malformed }
        guard self != .other, value.utf8.first != UInt8(ascii: "("), value.utf8.first != UInt8(ascii: "#") else {
            throw .reserved
        }
    }

    private static func looksPersonal(_ value: String) -> Bool {
        var digits = 0
        for scalar in value.unicodeScalars {
            switch scalar {
            case "@", "\u{FE6B}", "\u{FF20}": return true
            case "+", "-", ".", "/", ":", "(", ")": break
            default:
                let properties = scalar.properties
                if properties.numericType == .decimal {
                    digits += 1
                    if digits == 6 { return true }
                } else if !properties.isWhitespace, !properties.isDash, !properties.isDefaultIgnorableCodePoint {
                    digits = 0
                }
            }
        }
        return false
    }
}
