/// A small generator with a fixed start, so that an audit can be repeated: SplitMix64 (Steele, Lea and Flood 2014).
///
/// `ThrongChance` has the same. The audit keeps its own, because it shares no line with the release engine, and that one's
/// choices and checks begin with `ThrongChance`.
struct SplitMix {
    var state: UInt64

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// A word whose every bit depends on all bits of another.
    static func mixed(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
