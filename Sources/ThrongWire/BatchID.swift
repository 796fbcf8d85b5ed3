/// The random name of a batch: a batch that is sent again under the same name is counted once.
///
/// - Shape: 128 bits, on the wire as 32 lower-case hexadecimal digits.
public struct BatchID: Hashable, Sendable, CustomStringConvertible {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// Creates a name with the two halves of its bits.
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// A fresh random name.
    public static func random() -> BatchID {
        BatchID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// Reads 32 hexadecimal digits; nil for anything else.
    public init?(hex: some Collection<UInt8>) {
        guard hex.count == 32, let words = hex.withContiguousStorageIfAvailable(Self.words) ?? Self.words(Array(hex))
        else { return nil }
        self.init(high: words.high, low: words.low)
    }

    private static func words(_ digits: [UInt8]) -> (high: UInt64, low: UInt64)? {
        digits.withUnsafeBufferPointer(words)
    }

    private static func words(_ digits: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for place in 0..<16 {
            guard let high = digits[place].hexValue, let low = digits[place + 16].hexValue else { return nil }
            words.high = words.high << 4 | UInt64(high)
            words.low = words.low << 4 | UInt64(low)
        }
        return words
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
