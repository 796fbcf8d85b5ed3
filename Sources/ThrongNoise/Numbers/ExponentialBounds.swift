/// exp(−γ) between two whole numbers of 2^−100, for confidence intervals: an interval may be a hair too wide, never
/// too narrow, so every step rounds down below and up above.
///
/// - Unit: 2^−100.
struct ExponentialBounds: Hashable {
    /// At most exp(−γ).
    let lower: UInt128
    /// At least exp(−γ).
    let upper: UInt128

    /// 1, in this unit. 28 bits are left for sums.
    static let one: UInt128 = 1 << 100

    /// Bounds for γ = numerator / denominator.
    ///
    /// γ is halved until it is at most 1/2, there the alternating series is cut once above and once below, and the
    /// result is squared as often as γ was halved.
    /// - Parameter denominator: 1 to 2^127.
    /// - Complexity: O(log γ) multiplications.
    init(of numerator: UInt128, over denominator: UInt128) {
        // exp(−128) is below 2^−100 · 2^−84: nothing is left of it but the upper bound's last unit.
        guard numerator / denominator < 128 else {
            (lower, upper) = (0, 1)
            return
        }
        var halvings = 0
        var (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        while whole >= 1 << UInt128(halvings) { halvings += 1 }
        halvings += 1
        // γ / 2^halvings in the unit, both ways: the fraction's bits one by one, which cannot overflow.
        var fraction: UInt128 = 0
        for _ in 0..<100 {
            let isOver = rest >= denominator - rest
            fraction = fraction << 1 | (isOver ? 1 : 0)
            rest = isOver ? rest - (denominator - rest) : rest + rest
        }
        whole = whole << 100 | fraction
        let least = whole >> UInt128(halvings)
        let most = least + 1
        var low = Self.series(most).lower
        var high = min(Self.series(least).upper, Self.one)
        for _ in 0..<halvings {
            low = Self.product(low, low)
            high = Self.productUp(high, high)
        }
        (lower, upper) = (low, high)
    }

    /// exp(−x) for x up to 1/2 in the unit: partial sums of an alternating series of falling terms enclose it.
    private static func series(_ x: UInt128) -> (lower: UInt128, upper: UInt128) {
        var low = one
        var high = one
        var (termLow, termHigh) = (one, one)
        var order: UInt128 = 1
        while termHigh > 1 {
            termLow = product(termLow, x) / order
            termHigh = productUp(termHigh, x) / order + 1
            if order % 2 == 1 {
                low -= min(low, termHigh)
                high -= termLow
            } else {
                low += termLow
                high += termHigh
            }
            order += 1
        }
        // What was cut off is smaller than the last term.
        return (low - min(low, termHigh), high + termHigh)
    }

    /// left · right, rounded down.
    static func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
        let full = left.multipliedFullWidth(by: right)
        return full.high << 28 | full.low >> 100
    }

    /// left · right, rounded up.
    static func productUp(_ left: UInt128, _ right: UInt128) -> UInt128 {
        let full = left.multipliedFullWidth(by: right)
        return (full.high << 28 | full.low >> 100) + (full.low & (one - 1) == 0 ? 0 : 1)
    }

    /// Whether left · leftFactor ≤ right · rightFactor, in 256 bits.
    static func isAtMost(_ left: UInt128, _ leftFactor: UInt128, _ right: UInt128, _ rightFactor: UInt128) -> Bool {
        let ours = left.multipliedFullWidth(by: leftFactor)
        let theirs = right.multipliedFullWidth(by: rightFactor)
        return (ours.high, ours.low) <= (theirs.high, theirs.low)
    }
}
