/// A yes or no that may be secret: all bits set, or none. It picks values by masks, never by a branch.
///
/// Source: Bernstein, Lange and Schwabe, "The security impact of a new cryptographic library" (2012): no branch and no address
/// depends on a secret.
struct Choice: Sendable {
    /// All ones for yes, zero for no.
    let mask: UInt64

    /// - Parameter bit: 1 for yes, 0 for no; nothing else.
    @inline(__always)
    init(bit: UInt64) { mask = 0 &- bit }

    @inline(__always)
    private init(mask: UInt64) { self.mask = mask }

    @inline(__always)
    static func isZero(_ word: UInt64) -> Choice { Choice(bit: ((word | (0 &- word)) &>> 63) ^ 1) }

    @inline(__always)
    static func & (left: Choice, right: Choice) -> Choice { Choice(mask: left.mask & right.mask) }

    @inline(__always)
    static prefix func ! (choice: Choice) -> Choice { Choice(mask: ~choice.mask) }

    /// The first value for yes, the second for no.
    @inline(__always)
    func pick(_ first: UInt64, _ second: UInt64) -> UInt64 { second ^ (mask & (first ^ second)) }

    /// The answer as something to branch on: only where it is public, or about to be.
    var isYes: Bool { mask != 0 }
}
