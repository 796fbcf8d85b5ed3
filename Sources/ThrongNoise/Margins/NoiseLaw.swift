internal import Foundation

/// The exact law of a published number's noise: a sum of independent discrete Gaussian draws times whole numbers, over a
/// denominator, as it comes from the interactions of its grouping.
///
/// **Method.** With φ the law's characteristic function, the chance of less than j on both sides is a sum over the M-th
/// roots of unity. It is exactly the integral, apart from what is aliased from beyond M − j:
///
///     P(|noise| < j) = (1/M) · Σ over i < M of φ(2πi/M) · sin((j − 1/2)·2πi/M) / sin(πi/M) − P'
///
/// where 0 ≤ P' ≤ P(|noise| > M − j). A discrete Gaussian draw is no wider than a normal one in the sense of sub-Gaussian tails
/// (Canonne, Kamath and Steinke 2020), nor is the sum, so that P' ≤ 2·exp(−(M − j)²/2s²) for the sum's deviation s: below 10^−17
/// for M = j + 9s. Terms are left out only where a bound on all that follow is below 10^−12: by Jacobi's triple product the
/// function of one draw falls from 0 to π, and beyond a draw is taken for 1. There remains floating point, for which 10^−9 is
/// added, a million times what the sums can lose. So ``tail(from:)`` is never too small.
package struct NoiseLaw: Sendable {
    /// Draws of one kind.
    struct Part: Sendable, Hashable {
        /// Their coefficient without its sign: the law is symmetric.
        let factor: Int64
        let variance: Rational
        let count: Int
    }

    /// The denominator of the unit in which ``tail(from:)`` counts. Unit: the measure's.
    let denominator: Int128
    /// The variance of the noise in the measure's unit. Unit: the measure's, squared.
    package let variance: Rational
    /// The deviation s of the sum before it is divided.
    private let deviation: Double
    /// Characteristic function at multiples of `step`, up to where the rest is nothing.
    private let values: [Double]
    private let points: Double
    /// Bound on what the terms that were left out add to a chance.
    private let slack: Double

    /// Creates the law of a sum of draws.
    ///
    /// - Parameters:
    ///   - parts: at least one.
    ///   - variance: the variance of all of them, over the denominator's square.
    init(parts: [Part], denominator: Int128, variance: Rational) {
        self.denominator = denominator
        self.variance = variance
        deviation = variance.approximate.squareRoot() * Double(denominator)
        // Chances are asked for up to 8 deviations.
        points = 2 * ((17 * deviation + 16) / 2).rounded(.up) + 1
        let functions = parts.map { CharacteristicFunction($0) }
        // Angles at which a draw's function comes to its end at π.
        let ends = Set(parts.map { Double.pi / Double($0.factor) }).sorted()
        func bound(_ angle: Double) -> Double { exp(functions.reduce(0) { $0 + $1.logarithmUpToPi(at: angle) }) }
        let later = ends.map(bound)
        var values: [Double] = []
        var slack = 1.0
        while 2 * Double(values.count + 1) < points {
            let angle = 2 * Double.pi * Double(values.count + 1) / points
            values.append(functions.reduce(1) { $0 * $1.value(at: angle) })
            let most = zip(ends, later).reduce(bound(angle)) { $1.0 >= angle ? max($0, $1.1) : $0 }
            slack = most / (2 * sin(angle / 2))
            if slack < 1e-12 { break }
        }
        self.slack = 2 * Double(values.count + 1) < points ? slack : 0
        self.values = values
    }

    /// Returns an upper bound on the chance that the noise is `least` or more; hardly above the exact chance.
    ///
    /// - Parameter least: in units of 1 over the denominator, above 0.
    /// - Complexity: O(terms): about 15 where the law is smooth, some thousands for a field of many buckets.
    package func tail(from least: Int128) -> Double {
        let place = Double(least)
        guard place < 8 * deviation else { return 1e-9 }
        var sum = 2 * place - 1
        for (term, value) in values.enumerated() {
            let angle = Double.pi * Double(term + 1) / points
            sum += 2 * value * sin((2 * place - 1) * angle) / sin(angle)
        }
        return (1 - sum / points) / 2 + slack + 1e-9
    }

    /// Returns the smallest multiple of a step that the noise reaches with a chance of at most 1/40.
    ///
    /// - Parameter step: in units of 1 over the denominator.
    func quantile(in step: Int128) -> Int128 {
        // 1/40 is 1.96 deviations of a normal law, and at most 2.72 of any sub-Gaussian one: √(2·ln 40).
        var (low, high) = (Int128(0), Int128(2.75 * deviation / Double(step)) + 1)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if tail(from: middle * step) <= 0.025 { high = middle } else { low = middle }
        }
        return high * step
    }
}

/// The value E exp(iut·X) for one draw, at the angle u of the whole law: θ(angle) over θ(0).
private struct CharacteristicFunction {
    private let factor: Double
    private let variance: Double
    private let count: Double

    init(_ part: NoiseLaw.Part) {
        factor = Double(part.factor)
        variance = part.variance.approximate
        count = Double(part.count)
    }

    /// Returns the function to the power of the number of draws.
    func value(at angle: Double) -> Double { exp(logarithm(abs((factor * angle).remainder(dividingBy: 2 * .pi)))) }

    /// Returns a bound for all angles from this one on to where the next draw's function ends.
    func logarithmUpToPi(at angle: Double) -> Double { factor * angle > .pi ? 0 : logarithm(factor * angle) }

    /// Returns the logarithm for an angle of 0 to π, by Poisson's summation: normal curves around multiples of 2π.
    private func logarithm(_ angle: Double) -> Double {
        var (above, below) = (0.0, 1.0)
        for order in 1...6 {
            let shift = 2 * Double.pi * Double(order)
            let middle = exp(-variance * shift * shift / 2)
            above +=
                exp(-variance * shift * (shift / 2 - angle)) + exp(-variance * shift * (shift / 2 + angle)) - 2 * middle
            below += 2 * middle
        }
        return count * (log1p(above / below) - variance * angle * angle / 2)
    }
}
