/// The random name of a batch: a batch that is sent again under the same name is counted once.
///
/// - Shape: 128 bits, on the wire as 32 lower-case hexadecimal digits.
public struct BatchID: Hashable, Sendable {
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
        guard hex.count == 32 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for digit in hex {
            guard let value = digit.hexValue else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | UInt64(value)
        }
        self.init(high: words.0, low: words.1)
    }
}

extension BatchID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
