/// The SHA-256 over ``NoiseDraw/canonicalText``: shows later that what is published is what was drawn.
public struct DrawDigest: Sendable, Hashable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    public let hex: String
    /// Wraps a digest in hexadecimal; the store computes it.
    public init(hex: String) { self.hex = hex }
    /// The digits.
    public var description: String { hex }
}
