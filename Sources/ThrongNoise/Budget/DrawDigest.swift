/// The SHA-256 over ``NoiseDraw/canonicalText``: shows later that what is published is what was drawn.
package struct DrawDigest: Sendable, Hashable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hex: String
    /// Wraps a digest in hexadecimal; the store computes it.
    package init(hex: String) { self.hex = hex }
    /// The digits.
    package var description: String { hex }
}
