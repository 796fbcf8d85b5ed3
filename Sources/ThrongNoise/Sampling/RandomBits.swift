/// The bits of a random number generator, every one used once.
///
/// A draw of noise takes 25 to 65 bits, mostly one by one; asking the kernel for 64 each time would cost a system call
/// per flip.
/// - Complexity: constant memory: one word.
package struct RandomBits<Generator: RandomNumberGenerator>: BitSource {
    private var generator: Generator
    /// The bits not used yet, in the low places.
    private var pool: UInt64 = 0
    private var left = 0

    /// Takes bits from a generator.
    package init(_ generator: Generator) { self.generator = generator }

    /// See ``BitSource/bits(_:)``.
    package mutating func bits(_ count: Int) -> UInt64 {
        // Shifts by 64 give 0 in Swift, so neither a full nor an empty pool is a special case.
        if count <= left {
            let taken = pool & Self.mask(count)
            pool >>= UInt64(count)
            left -= count
            return taken
        }
        let kept = left
        let missing = count - kept
        let fresh = generator.next()
        let taken = pool | (fresh & Self.mask(missing)) << UInt64(kept)
        pool = fresh >> UInt64(missing)
        left = 64 - missing
        return taken
    }

    private static func mask(_ count: Int) -> UInt64 { (1 << UInt64(count)) &- 1 }
}

extension RandomBits: Sendable where Generator: Sendable {}

extension RandomBits where Generator == SystemRandomNumberGenerator {
    /// The operating system's random source: on Linux, getrandom(2).
    package init() { self.init(SystemRandomNumberGenerator()) }
}
