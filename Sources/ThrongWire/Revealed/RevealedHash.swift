/// What a device sends of a value from an open vocabulary instead of the value: a hash under the key of one window.
///
/// The first 128 bits of HMAC-SHA-256(SHA-256(``keyText(app:purpose:dimension:window:)``), value), on the wire as `#` and
/// 32 hexadecimal digits. The key is public: a hash hides a value from whoever does not guess it, and can't be linked to
/// the same value's hash of another window or purpose by whoever does not. The hashing itself stands where the keys are
/// used, on the device and in the daemon; both are tested against one vector.
public struct RevealedHash: Hashable, Sendable {
    private let bits: BatchID

    /// Takes the first 16 bytes of an authentication code.
    ///
    /// - Precondition: there are that many.
    public init(authenticationCode: some Sequence<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        for byte in authenticationCode.prefix(16) {
            words.0 = words.0 << 8 | words.1 >> 56
            words.1 = words.1 << 8 | UInt64(byte)
        }
        bits = BatchID(high: words.0, low: words.1)
    }

    /// Reads `#` and 32 hexadecimal digits; nil for anything else.
    public init?(wire: some Collection<UInt8>) {
        guard wire.first == UInt8(ascii: "#"), let bits = BatchID(hex: wire.dropFirst()) else { return nil }
        self.bits = bits
    }

    /// The first 64 bits.
    public var high: UInt64 { bits.high }
    /// The last 64 bits.
    public var low: UInt64 { bits.low }

    /// What the key of a window is made of: its SHA-256 is the key.
    public static func keyText(
        app: AppName, purpose: PurposeName, dimension: DimensionName, window: WindowNumber
    ) -> [UInt8] {
        Array("throng revealed\0\(app)\0\(purpose)\0\(dimension)\0\(window.value)".utf8)
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
    /// The app key that the client has; nil where it has none.
    public var key: String?

    /// Puts an answer together.
    public init(app: AppName, purpose: PurposeName, window: Int64, dimension: DimensionName, value: String) {
        self.app = app
        self.purpose = purpose
        self.window = window
        self.dimension = dimension
        self.value = value
    }
}

extension RevealedHash: CustomStringConvertible {
    /// As it goes over the wire.
    public var description: String { "#\(bits)" }
}

extension RevealedHash: Codable {
    /// Reads the wire's text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = RevealedHash(wire: Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not # and 32 hexadecimal digits")
        }
        self = hash
    }

    /// Writes the wire's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
