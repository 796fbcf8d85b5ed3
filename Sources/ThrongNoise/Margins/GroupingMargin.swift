internal import Foundation

/// The margins of one grouping's numbers.
package struct GroupingMargin: Sendable, Hashable {
    /// The variance of each drawn number: 2V·Π(1 + 1/n²) for fields with n buckets each, exactly. Unit: the measure's,
    /// squared.
    package let variance: Rational
    /// The excess over k that a published number has: the smallest whole m that the noise reaches with a chance of at most 1/40.
    /// Unit: the measure's.
    package let publication: Int64
    /// The smallest q within which 19 of 20 drawn numbers lie, before anything is rounded. Unit: the measure's.
    package let drawn: Rational

    /// The margin of numbers without noise.
    package static let none = GroupingMargin(variance: .zero, publication: 0, drawn: .zero)

    /// The margin that a release states: 19 of 20 of its whole numbers lie within it.
    ///
    /// A drawn number is off by more than q with a chance of 1/20 at most. Later steps look at drawn numbers only and
    /// move the published ones by s at most, so that no more of them are off by more than q + s. The stated margin is
    /// whole, since errors are.
    /// - Parameter moved: s, from ``GroupingTable/farthest(_:where:)``.
    /// - Throws: ``NoiseError/overflow``.
    package func stated(moved: Rational) throws(NoiseError) -> Int64 { Int64(clamping: try drawn.adding(moved).floor) }
}

/// Independent draws of one law that are added to a cell of a question's table.
package struct CellDraws: Sendable, Hashable {
    /// The variance of one draw. Unit: the measure's, squared.
    package let variance: Rational
    /// The number of times that each is added: in a sum over seven days, the kept layer's is added seven times.
    package let factor: Int64
    /// The number of draws.
    package let count: Int

    package init(variance: Rational, factor: Int64 = 1, count: Int = 1) {
        (self.variance, self.factor, self.count) = (variance, factor, count)
    }

    /// The variance that they add to a cell.
    var total: Rational {
        get throws(NoiseError) {
            try variance.multiplied(by: Rational(Int128(factor) * Int128(factor) * Int128(count), over: 1))
        }
    }
}

extension Lattice {
    /// Returns the law of the noise of a grouping's cells, which is the same for all of them, or of sums of such cells.
    ///
    /// The noise of a sum, in units of 1/N_G, is the sum over parts S of the grouping and cells of S of a whole factor
    /// times the cell's draws. If c of a field's n buckets are added up, the factor is a product over fields: c for a
    /// field that is not in S, n − c for a field of S whose bucket is one of those that are added up, and −c for one
    /// whose bucket is another. A single cell has c = 1.
    /// - Parameters:
    ///   - draws: the draws of one cell of a table by S, for each part S: the kept layer's and the fresh layer's.
    ///   - summed: the numbers of buckets that are added up, by field of the grouping in order; one of each if left
    ///     out.
    /// - Throws: ``NoiseError/notOfTheLattice`` if a part's draws are missing, ``NoiseError/overflow``.
    package func law(
        of grouping: FieldSet, draws all: [FieldSet: [CellDraws]], summed: [Int]? = nil
    ) throws(NoiseError) -> NoiseLaw {
        let sums = Dictionary(
            uniqueKeysWithValues: zip(grouping.places, summed ?? Array(repeating: 1, count: grouping.count)))
        guard interactions.contains(grouping), sums.count == grouping.count else { throw .notOfTheLattice }
        var counts: [Int64: [Rational: Int]] = [:]
        var variance = Rational.zero
        for part in grouping.subsets {
            guard let draws = all[part] else { throw .notOfTheLattice }
            let spread = try spread(of: part, in: grouping, sums)
            for draw in draws { variance = try variance.adding(try draw.total.multiplied(by: spread)) }
            for inside in part.subsets {
                var (factor, cells) = (Int64(1), 1)
                for field in grouping.places {
                    let (count, sum) = (fields[field].buckets, sums[field] ?? 1)
                    if !part.contains(field) {
                        factor *= Int64(sum)
                    } else if inside.contains(field) {
                        (factor, cells) = (factor * Int64(count - sum), cells * sum)
                    } else {
                        (factor, cells) = (factor * Int64(sum), cells * (count - sum))
                    }
                }
                guard factor > 0, cells > 0 else { continue }
                for draw in draws {
                    counts[factor * draw.factor, default: [:]][draw.variance, default: 0] += cells * draw.count
                }
            }
        }
        let parts = counts.flatMap { factor, draws in
            draws.map { NoiseLaw.Part(factor: factor, variance: $0.key, count: $0.value) }
        }
        // Sorted, so that sums in floating point are the same on each run.
        return NoiseLaw(
            parts: parts.sorted { ($0.factor, $0.variance) < ($1.factor, $1.variance) },
            denominator: Int128(cells(of: grouping)), variance: variance)
    }

    /// The share of a part's variance in a sum of cells: c − c²/n for a field of the part, (c/n)² for another.
    private func spread(of part: FieldSet, in grouping: FieldSet, _ sums: [Int: Int]) throws(NoiseError) -> Rational {
        var spread = Rational(1)
        for field in grouping.places {
            let (count, sum) = (Int128(fields[field].buckets), Int128(sums[field] ?? 1))
            let share =
                part.contains(field)
                ? try Rational(sum * (count - sum), over: count) : try Rational(sum * sum, over: count * count)
            spread = try spread.multiplied(by: share)
        }
        return spread
    }

    /// Returns the margins of a grouping's numbers, or of sums of them.
    ///
    /// - Parameter summed: the parameter of ``law(of:draws:summed:)``.
    /// - Throws: the errors of ``law(of:draws:summed:)``.
    package func margin(
        of grouping: FieldSet, draws: [FieldSet: [CellDraws]], summed: [Int]? = nil
    ) throws(NoiseError) -> GroupingMargin {
        let law = try law(of: grouping, draws: draws, summed: summed)
        // |noise| > q is noise of q and one more step on either side.
        return GroupingMargin(
            variance: law.variance, publication: Int64(clamping: law.quantile(in: law.denominator) / law.denominator),
            drawn: try Rational(law.quantile(in: 1) - 1, over: law.denominator))
    }

    /// Returns the widest margins of sums of a grouping's numbers, in each respect.
    ///
    /// - Parameter ways: the numbers of buckets that are added up; see ``law(of:draws:summed:)``.
    /// - Throws: the errors of ``law(of:draws:summed:)``.
    package func margin(
        of grouping: FieldSet, draws: [FieldSet: [CellDraws]], over ways: [[Int]]
    ) throws(NoiseError) -> GroupingMargin {
        var widest = GroupingMargin.none
        for summed in ways {
            let margin = try margin(of: grouping, draws: draws, summed: summed)
            widest = GroupingMargin(
                variance: max(widest.variance, margin.variance),
                publication: max(widest.publication, margin.publication), drawn: max(widest.drawn, margin.drawn))
        }
        return widest
    }

    /// The draws of both layers of a width.
    ///
    /// - Throws: the sampler's errors.
    package func draws(_ width: NoiseWidth) throws(NoiseError) -> [FieldSet: [CellDraws]] {
        var draws: [FieldSet: [CellDraws]] = [:]
        for interaction in interactions {
            let buckets = buckets(of: interaction)
            let fresh = try LayerVariance(least: width.least, buckets: buckets).drawn.variance
            draws[interaction] =
                try KeptNoise(width, buckets: buckets).draws.map { CellDraws(variance: $0.variance) }
                + [CellDraws(variance: fresh)]
        }
        return draws
    }

    /// The cost of one device's day in one question by these fields: the ρ of zero-concentrated differential privacy.
    ///
    ///     Σ over S of r(S) · change² / 2V
    ///
    /// The attacker is given the kept layer, which only helps; the rest of a day is the fresh layer, of variance V /
    /// r(S) in each interaction (Canonne, Kamath and Steinke 2020). Costs of all event sets that a device met, of
    /// counts and of sums, add up (Bun and Steinke 2016). The cost is 8/k² · Σ r(S) for devices, and 50/k² · (a/b)² · Σ
    /// r(S) for events.
    /// - Parameters:
    ///   - change: 1 for devices; for events and sums the amount that the device added, in one cell or in several.
    ///   - least: V; see ``LayerVariance``.
    /// - Throws: ``NoiseError/overflow``.
    package func cost(change: Rational, least: Rational) throws(NoiseError) -> Rational {
        var rests = Rational.zero
        for interaction in interactions { rests = try rests.adding(rest(of: interaction)) }
        return try rests.multiplied(by: change).multiplied(by: change).divided(by: least.multiplied(by: Rational(2)))
    }
}

/// The rule for publishing a cell: it has k devices or more, and its drawn number says so, too.
///
/// A cell of fewer than k devices is never published, and one of exactly k with a chance of 1/40 at most, since its
/// noise has to reach the margin. The whole number that is shown and the exact one that was drawn both have to reach
/// it, so that no step after the draw can raise the chance.
package struct PublicationRule: Sendable, Hashable {
    /// k. Unit: devices.
    package let threshold: Int64
    /// m, from ``GroupingMargin/publication`` of the grouping's devices.
    package let margin: Int64

    package init(threshold: Int64, margin: Int64) { (self.threshold, self.margin) = (threshold, margin) }

    /// The least number that is published.
    package var least: Int64 { threshold + margin }

    /// True if a cell is published.
    ///
    /// - Parameters:
    ///   - floor: the number of devices that are proved to be behind it.
    ///   - whole: its number of devices as it would be shown.
    package func publishes(floor: Int64, whole: Int64, drawn: GroupingTable, at cell: Int) -> Bool {
        floor >= threshold && whole >= least && drawn.isAtLeast(least, at: cell)
    }
}

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
