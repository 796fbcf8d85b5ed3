/// The difference between a published number and an earlier one.
package struct Change: Sendable, Hashable {
    /// Later less earlier, in the answer's unit; of shares in fractions of 1.
    package let difference: Decimals
    /// The difference over the earlier number, as a fraction of 1; nil where that is not above 0.
    package let relative: Decimals?
    /// The interval that holds the difference in 19 of 20 cases.
    package let interval: Interval
    /// The interval that holds the relative change in 19 of 20 cases, as a fraction of 1; nil for quotients and for a
    /// sample.
    package let relativeInterval: Interval?
    /// The direction of the change, by the numbers as they were drawn.
    package let direction: Direction

    package enum Direction: String, Sendable, Hashable, CaseIterable {
        case up
        case same
        case down
    }

    /// Compares two numbers of one kind; nil for others, and for quantiles.
    ///
    /// - Parameters:
    ///   - isSameQuestion: whether half of the noise of both is the same, because it is kept from period to period.
    ///   - interval: of a number of that kind.
    package init?(
        from earlier: Quantity, to later: Quantity, isSameQuestion: Bool = false, interval: (Quantity) -> Interval?
    ) {
        guard let then = earlier.fraction, let now = later.fraction, let places = later.decimal?.places else {
            return nil
        }
        let left = Int128(now.numerator) * Int128(then.denominator)
        let right = Int128(then.numerator) * Int128(now.denominator)
        let (gap, overflow) = left.subtractingReportingOverflow(right)
        guard !overflow else { return nil }
        direction = gap > 0 ? .up : gap < 0 ? .down : .same
        difference = later.unscaled(gap, over: Int128(now.denominator) * Int128(then.denominator), places: places)
        relative = right > 0 ? Decimals(wide: gap, over: right, places: Quantity.sharePlaces) : nil
        if let new = later.within, let old = earlier.within {
            let noise = Self.noise(from: old, to: new, isSameQuestion: isSameQuestion)
            // Whole margins stay whole.
            let spread = Interval.z * (noise.part + noise.whole - 2 * noise.covariance).squareRoot() - 1e-6
            let gap = later.approximate - earlier.approximate
            self.interval = Interval(gap - spread, gap + spread, places: places)
            let (low, high) = Fieller(later.approximate, over: earlier.approximate, noise: noise)
                .hull(from: 0, to: .infinity)
            relativeInterval = relative.map { _ in Interval(low - 1, high - 1, places: Quantity.sharePlaces) }
        } else {
            guard let new = interval(later), let old = interval(earlier) else { return nil }
            self.interval = Interval.difference((later.approximate, new), (earlier.approximate, old), places: places)
            relativeInterval = nil
        }
    }

    /// The noise of two drawn numbers. Of a question's noise half or more is kept, and a wider one has all of a
    /// narrower one in it: both have at least half of the smaller variance in common.
    static func noise(from earlier: Int64, to later: Int64, isSameQuestion: Bool) -> QuotientNoise {
        func variance(_ margin: Int64) -> Double { Double(margin) * Double(margin) / Interval.z / Interval.z }
        let (old, new) = (variance(earlier), variance(later))
        return QuotientNoise(part: new, whole: old, covariance: isSameQuestion ? min(old, new) / 2 : 0)
    }

    /// True if chance alone may have made the difference: the draw of a sample, or noise.
    ///
    /// - Parameter comparisons: how many share the chance of error.
    package func isWithinChance(of comparisons: Int = 1) -> Bool {
        let (low, high) = interval.ends
        let gap = difference.approximate
        let side = gap > 0 ? gap - low : high - gap
        return abs(gap) <= side * Interval.z(sharedBy: comparisons) / Interval.z
    }
}

extension Quantity {
    /// A difference of two ``fraction``s in the unit of this number.
    fileprivate func unscaled(_ numerator: Int128, over denominator: Int128, places: Int) -> Decimals {
        switch self {
        case .mean(_, let decimals, _, _):
            var scaled = denominator
            for _ in 0..<decimals { scaled = scaled.multipliedReportingOverflow(by: 10).partialValue }
            return Decimals(wide: numerator, over: scaled, places: places)
        case .estimate(let estimate):
            let rate = Decimals(exactly: estimate.rate)
            return Decimals(wide: numerator * .ten(to: rate.places), over: rate.units, places: places)
        case .drawn, .share, .settled, .quantile: return Decimals(wide: numerator, over: denominator, places: places)
        }
    }
}
