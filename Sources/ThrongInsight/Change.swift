/// How a published number differs from an earlier one.
package struct Change: Sendable, Hashable {
    /// Later less earlier, in the answer's unit; of shares in fractions of 1.
    package let difference: Decimals
    /// The difference over the earlier number, as a fraction of 1; nil where that is not above 0.
    package let relative: Decimals?
    /// Of sampled numbers, where the difference lies in 19 of 20 cases.
    package let interval: Interval?
    /// Whether the later number is larger, the same or smaller, exactly.
    package let direction: Direction

    /// Which way a number went.
    package enum Direction: String, Sendable, Hashable, CaseIterable {
        case up
        case same
        case down
    }

    /// Compares two numbers of one kind; nil for others.
    ///
    /// - Parameter interval: of a number of that kind.
    package init?(from earlier: Quantity, to later: Quantity, interval: (Quantity) -> Interval?) {
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
        if let new = interval(later), let old = interval(earlier) {
            self.interval = Interval.difference(
                (later.approximate, new), (earlier.approximate, old), places: places)
        } else {
            self.interval = nil
        }
    }

    /// Whether sampling alone may have made the difference.
    package var isWithinChance: Bool {
        guard let interval else { return false }
        return interval.low.units <= 0 && interval.high.units >= 0
    }
}

extension Quantity {
    /// A difference of two ``fraction``s in the unit of this number.
    fileprivate func unscaled(_ numerator: Int128, over denominator: Int128, places: Int) -> Decimals {
        switch self {
        case .mean(_, let decimals, _):
            var scaled = denominator
            for _ in 0..<decimals { scaled = scaled.multipliedReportingOverflow(by: 10).partialValue }
            return Decimals(wide: numerator, over: scaled, places: places)
        case .estimate(let estimate):
            let rate = Decimals(exactly: estimate.rate)
            var scale: Int128 = 1
            for _ in 0..<rate.places { scale *= 10 }
            return Decimals(wide: numerator * scale, over: rate.units, places: places)
        case .events, .devices, .said, .identifiers, .share, .settled, .quantile:
            return Decimals(wide: numerator, over: denominator, places: places)
        }
    }
}
