/// Which three-byte sequences a text holds, without regard to the case of ASCII letters, as a set of 4,096 bits.
///
/// May say yes to a sequence that isn't there (two share a bit), never no to one that is.
struct TrigramSet {
    private var words: [UInt64] = Array(repeating: 0, count: 64)

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 3 else { return }
        for place in 2..<bytes.count {
            let bit = Self.bit(bytes[place - 2], bytes[place - 1], bytes[place])
            words[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
        }
    }

    /// Whether all of these bits are set.
    func holds(_ bits: [UInt16]) -> Bool {
        bits.allSatisfy { words[Int($0 >> 6)] & (1 << UInt64($0 & 63)) != 0 }
    }

    /// The bits that a text needs; none for one of fewer than three bytes.
    static func bits(of text: [UInt8]) -> [UInt16] {
        guard text.count >= 3 else { return [] }
        return Array(Set((2..<text.count).map { bit(text[$0 - 2], text[$0 - 1], text[$0]) })).sorted()
    }

    private static func bit(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt16 {
        let joined =
            UInt32(first.lowercasedASCII) | UInt32(second.lowercasedASCII) << 8 | UInt32(third.lowercasedASCII) << 16
        return UInt16((joined &* 0x9e37_79b1) >> 20)
    }
}
