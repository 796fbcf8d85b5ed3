internal import Crypto
internal import Foundation

/// A source of fair coin flips.
///
/// The samplers see single bits and nothing else, so that a test can walk through every sequence of flips and add up
/// the exact probability of each outcome.
package protocol BitSource {
    /// Returns `count` independent fair bits as a number below 2^count.
    ///
    /// - Parameter count: 0 to 64.
    mutating func bits(_ count: Int) -> UInt64
}

/// The bits of a random number generator, every one used once: a draw of noise takes 25 to 65, mostly one by one.
package struct RandomBits<Generator: RandomNumberGenerator>: BitSource {
    private var generator: Generator
    /// The bits not used yet, in the low places.
    private var pool: UInt64 = 0
    private var left = 0

    package init(_ generator: Generator) { self.generator = generator }

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

extension BitSource {
    /// True with the probability numerator / denominator.
    ///
    /// A uniform number between 0 and 1 is compared with the fraction, binary digit by binary digit, until they differ:
    /// exact for any denominator, and two flips on average where a uniform number below the denominator takes all its
    /// bits.
    /// - Parameters:
    ///   - numerator: 0 to the denominator.
    ///   - denominator: 1 to 2^127.
    mutating func coin(_ numerator: UInt128, over denominator: UInt128) -> Bool {
        guard numerator < denominator else { return true }
        var rest = numerator
        // If nothing is left, the fraction's digits are all 0, and the number can't fall below it any more.
        while rest > 0 {
            rest += rest
            let digit = rest >= denominator
            if digit { rest -= denominator }
            if (bits(1) == 1) != digit { return digit }
        }
        return false
    }

    /// True with the probability exp(−γ), for γ = whole + numerator / denominator.
    ///
    /// Canonne, Kamath and Steinke 2020, algorithm 1: a run of coins with the probabilities γ, γ/2, γ/3, … has an
    /// even number of heads with the probability Σ (−γ)^k / k! = exp(−γ), for γ up to 1; larger ones are products.
    /// A coin of γ/k is flipped as one of 1/k and one of γ, so that no product of theirs has to fit into 128 bits.
    /// - Parameter numerator: below the denominator.
    /// - Complexity: expected, fewer than 5 coins for any γ.
    mutating func exponentialCoin(whole: UInt128, _ numerator: UInt128, over denominator: UInt128) -> Bool {
        var left = whole
        while left > 0 {
            guard exponentialCoin(upToOne: 1, over: 1) else { return false }
            left -= 1
        }
        return exponentialCoin(upToOne: numerator, over: denominator)
    }

    /// See ``exponentialCoin(whole:_:over:)``, for γ = numerator / denominator up to 1.
    mutating func exponentialCoin(upToOne numerator: UInt128, over denominator: UInt128) -> Bool {
        var round: UInt128 = 1
        while coin(1, over: round), coin(numerator, over: denominator) { round += 1 }
        return round % 2 == 1
    }
}

/// HMAC-SHA-256 in counter mode: random numbers to anybody who does not know the key, and the same ones for everybody
/// who has it.
///
/// - Complexity: one HMAC for four numbers.
package struct KeyedGenerator: RandomNumberGenerator, Sendable {
    private let key: SymmetricKey
    private var block: UInt64 = 0
    private var words: [UInt64] = []

    init(key: SymmetricKey) { self.key = key }

    package mutating func next() -> UInt64 {
        if let word = words.popLast() { return word }
        let code = HMAC<SHA256>.authenticationCode(for: withUnsafeBytes(of: block.bigEndian) { Data($0) }, using: key)
        block += 1
        code.withUnsafeBytes { bytes in
            words = stride(from: 0, to: 32, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
        }
        return words.removeLast()
    }
}
