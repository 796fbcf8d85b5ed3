internal import ThrongSystem

/// A generator whose whole sequence follows from a secret: xoshiro256** (Blackman and Vigna 2018).
///
/// It breaks ties between equally useful cells. An attacker who could replay the choice would learn from the pattern
/// which tables lead to it, so the seed must stay secret. The generator need not be cryptographic, because its outputs
/// are never shown.
package struct SecretGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Spreads a seed over the state.
    package init(seed: UInt64) {
        var seeds = SeededGenerator(seed: seed)
        state = (seeds.next(), seeds.next(), seeds.next(), seeds.next())
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        let product = state.1 &* 5
        let result = ((product << 7) | (product >> 57)) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = (state.3 << 45) | (state.3 >> 19)
        return result
    }
}
