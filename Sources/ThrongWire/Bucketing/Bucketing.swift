/// A coarsening: total, closed and idempotent.
///
/// Total: every value, also a missing one, has a bucket. Closed: the buckets are ``labels``, known before any event.
/// Idempotent: a bucket's label, sent as the value, lands in that bucket, so a client may coarsen on the device.
public protocol Bucketing: Sendable {
    /// The buckets, in display order; the last one is ``BucketLabel/other`` unless the rule has no need of it.
    var labels: [BucketLabel] { get }

    /// The bucket of a value: an index into ``labels``.
    ///
    /// - Complexity: no allocation on values seen before, but for user agents on their first sight.
    func bucket(_ value: FieldValue) -> Int

    /// Whether the value's bucket takes no long search; true for all but user agents on their first sight.
    func isAtHand(_ value: FieldValue) -> Bool
}

extension Bucketing {
    /// Most rules look nothing up that could take long.
    public func isAtHand(_ value: FieldValue) -> Bool { true }
}

/// The name of a bucket; equal when the UTF-8 bytes are.
public struct BucketLabel: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// What analysts and readers see.
    public let text: String

    /// Wraps a label.
    public init(_ text: String) { self.text = text }
    /// A label written in source.
    public init(stringLiteral value: String) { self.init(value) }
    /// The bare label.
    public var description: String { text }

    /// Where everything goes that has no bucket of its own, missing values too.
    public static let other: BucketLabel = "other"

    /// Compares bytes, not canonical equivalents.
    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    /// Hashes the same bytes that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xff))
    }
    /// Reads the bare string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }
    /// Writes the bare string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
