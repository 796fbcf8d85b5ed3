package import ThrongPlan

/// A number that is computed from published cells, kept as it is until it is written down.
package enum Quantity: Sendable, Hashable {
    /// Events, identifiers or devices: what was drawn, and within what the count lies in 19 of 20 cases; nil for what
    /// some numbers leave of another.
    case drawn(Int64, of: Counted, within: Int64? = nil)
    /// Part over whole; the whole is above 0.
    case share(part: Int64, whole: Int64, noise: QuotientNoise)
    /// A share that no draw can change: a whole's own of itself, or that of what can't occur.
    case settled(part: Int64, whole: Int64)
    /// A sum in units of 10^-decimals, over events; events are above 0.
    case mean(sum: Int64, decimals: Int, events: Int64, noise: QuotientNoise)
    /// Events or devices, scaled up from a sample.
    case estimate(Estimate)
    /// A value below which a part of the events lies.
    case quantile(QuantileReading)

    /// Decimal places of a share in CSV and JSON, where it is a fraction of 1.
    package static let sharePlaces = 6
    /// Fewest decimal places of a mean.
    package static let leastMeanPlaces = 2

    /// Decimal places of a mean of values with so many.
    package static func places(ofMean decimals: Int) -> Int { Swift.max(decimals, leastMeanPlaces) }

    /// The number as CSV and JSON have it: an exact decimal, rounded half to even; a share is a fraction of 1. Nil for
    /// a quantile in a band that is open, or in one within which it can't be told.
    package var decimal: Decimals? {
        switch self {
        case .drawn(let count, of: _, within: _): Decimals(count, over: 1, places: 0)
        case .share(let part, let whole, _), .settled(let part, let whole):
            Decimals(part, over: whole, places: Self.sharePlaces)
        case .mean(let sum, let decimals, let events, _):
            Decimals(sum, shiftedBy: decimals, over: events, places: Self.places(ofMean: decimals))
        case .estimate(let estimate): estimate.decimal
        case .quantile(let reading): reading.value
        }
    }

    /// An approximation for lengths of bars and for order, never for print.
    package var approximate: Double {
        switch self {
        case .drawn(let count, of: _, within: _): Double(count)
        case .share(let part, let whole, _), .settled(let part, let whole): Double(part) / Double(whole)
        case .mean(let sum, let decimals, let events, _):
            Double(sum) / Double(Int128.ten(to: decimals)) / Double(events)
        case .estimate(let estimate): Double(estimate.counted) / estimate.rate
        case .quantile(let reading): reading.value?.approximate ?? (reading.lowest ?? reading.highest)?.approximate ?? 0
        }
    }

    /// The number that parts and wholes have in common, of a sample as it was drawn.
    package var amount: Int64? {
        switch self {
        case .drawn(let number, of: _, within: _): number
        case .estimate(let estimate): estimate.counted
        case .share, .settled, .mean, .quantile: nil
        }
    }

    /// The numerator and the denominator, the latter above 0, by which two numbers of one kind can be compared; nil for
    /// quantiles.
    package var fraction: (numerator: Int64, denominator: Int64)? {
        switch self {
        case .drawn(let number, of: _, within: _): (number, 1)
        case .estimate(let estimate): (estimate.counted, 1)
        case .share(let part, let whole, _), .settled(let part, let whole): (part, whole)
        case .mean(let sum, _, let events, _): (sum, events)
        case .quantile: nil
        }
    }

    /// True if it is larger than another number of its kind, as both were drawn.
    package func exceeds(_ other: Quantity) -> Bool {
        guard let mine = fraction, let theirs = other.fraction else { return false }
        return Int128(mine.numerator) * Int128(theirs.denominator) > Int128(theirs.numerator) * Int128(mine.denominator)
    }

    /// Two numbers, one over the other, in the answer's unit; nil for what is no quotient.
    package var drawnQuotient: (part: Double, whole: Double, noise: QuotientNoise)? {
        switch self {
        case .share(let part, let whole, let noise): return (Double(part), Double(whole), noise)
        case .mean(let sum, let decimals, let events, let noise):
            var unit = 1.0
            for _ in 0..<decimals { unit /= 10 }
            let scaled = QuotientNoise(
                part: noise.part * unit * unit, whole: noise.whole, covariance: noise.covariance * unit)
            return (Double(sum) * unit, Double(events), scaled)
        case .drawn, .settled, .estimate, .quantile: return nil
        }
    }

    package var isShare: Bool {
        switch self {
        case .share, .settled: true
        case .drawn, .mean, .estimate, .quantile: false
        }
    }

    /// The margin that holds a number in 19 of 20 cases; nil for quotients, estimates and what is left of a whole.
    /// Unit: the number's.
    package var within: Int64? { if case .drawn(_, _, let within) = self { within } else { nil } }

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

/// All events, or all devices that answer, as estimated from those that were sent: each client keeps each one with the
/// same chance, by a draw of its own.
package struct Estimate: Sendable, Hashable {
    /// The number that was sent and counted, as it was drawn.
    package let counted: Int64
    /// The chance: more than 0, less than 1.
    package let rate: Double
    package let counts: Counted

    package init(counted: Int64, rate: Double, counts: Counted) {
        (self.counted, self.rate, self.counts) = (counted, rate, counts)
    }

    /// True if the draw could as well have kept fewer than k, and the number would not be published. Such numbers lean
    /// high, because those that the draw made small are not there to make up for them.
    ///
    /// - Parameter kept: how many were. Unit: events.
    package static func leansHigh(_ kept: Int64, rate: Double, threshold: Threshold) -> Bool {
        let counted = Double(kept)
        let spread = rate < 1 ? Interval.z * (counted * (1 - rate)).squareRoot() : 0
        return spread > 0 && counted - spread < Double(threshold.devices)
    }

    /// counted / rate, to a whole number.
    package var decimal: Decimals {
        let fraction = Decimals(exactly: rate)
        return Decimals(wide: Int128(counted) * .ten(to: fraction.places), over: fraction.units, places: 0)
    }
}

extension Interval {
    /// The interval of a quotient, where a value can lie at all: shares from 0 to 1, others from 0, means between the
    /// bounds of their values.
    ///
    /// - Parameter sampled: where the quotient of a sample lies, if both were exact. The two are combined by "square
    ///   and add".
    package init?(
        ofDrawn quantity: Quantity, clip: ClosedRange<Double>?, kind: Insight.Kind,
        sampled: (low: Double, high: Double)? = nil
    ) {
        guard let (part, whole, noise) = quantity.drawnQuotient else { return nil }
        var (least, most) = (0.0, 1.0)
        switch kind {
        case .mean: (least, most) = (clip?.lowerBound ?? -.infinity, clip?.upperBound ?? .infinity)
        case .retention: most = .infinity
        case .count, .reach, .share, .distribution, .quantiles, .frequency, .funnel: break
        }
        var (low, high) = Fieller(part, over: whole, noise: noise).hull(from: least, to: most)
        if let sampled {
            let value = part / whole
            (low, high) = (
                max(value - Self.far(value - low, value - sampled.low), least),
                min(value + Self.far(high - value, sampled.high - value), most)
            )
        }
        self.init(low, high, places: quantity.decimal?.places ?? Quantity.sharePlaces)
    }
}

extension Decimals {
    /// Rounded to the first digit of how far off it may be: 15,658 ± 110 is 15,700. It is finer where nothing would be
    /// left.
    package func rounded(toFirstDigitOf width: Double) -> Decimals {
        guard width > 0, width.isFinite, units != 0 else { return self }
        for exponent in (-places...max(Self.exponent(of: width), -places)).reversed() {
            let rounded = exponent > 0 ? rounded(toTens: exponent) : rounded(to: -exponent)
            if rounded.units != 0 { return rounded }
        }
        return self
    }

    /// A floating-point number to the same digit, in one direction.
    init(_ value: Double, rounded rule: FloatingPointRoundingRule, toFirstDigitOf width: Double) {
        let exponent = Self.exponent(of: width)
        guard exponent > 0 else {
            self.init(value, rounded: rule, places: -exponent)
            return
        }
        let step = Int128.ten(to: exponent)
        self.init(units: Decimals(value / Double(step), rounded: rule, places: 0).units * step, places: 0)
    }

    /// The place of a number's first digit: 0 of 7, 2 of 110, −1 of 0.4; −6 at least.
    private static func exponent(of width: Double) -> Int {
        var (exponent, digit) = (0, 1.0)
        while digit * 10 <= width, exponent < 18 { (digit, exponent) = (digit * 10, exponent + 1) }
        while digit > width, exponent > -Quantity.sharePlaces { (digit, exponent) = (digit / 10, exponent - 1) }
        return exponent
    }

    private func rounded(toTens exponent: Int) -> Decimals {
        let (step, divisor) = (Int128.ten(to: exponent), Int128.ten(to: exponent + places))
        return Decimals(units: Decimals(wide: units, over: divisor, places: 0).units * step, places: 0)
    }
}

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

/// One number of a report, or why there is none.
package typealias Figure = Reported<Quantity>

/// Something that a report tells, or why it does not.
package enum Reported<Value: Sendable & Hashable>: Sendable, Hashable {
    /// It is computed from published cells only.
    case published(Value)
    /// It is of fewer than k devices, or of hardly more: see ``Withheld``.
    case withheld
    /// The plan says that nothing can be counted here: see ``Impossible``.
    case impossible
    /// There is nothing to be published or withheld: see ``Absence``.
    case absent(Absence)

    fileprivate var value: Value? { if case .published(let value) = self { value } else { nil } }

    var status: NumberStatus {
        switch self {
        case .published: .published
        case .withheld: .withheld
        case .impossible: .impossible
        case .absent(let absence): NumberStatus(absence)
        }
    }

    /// The words in place of what is not published.
    func marker(in locale: Language) -> String? { status.marker(in: locale) }
    /// The words in place of what is neither published nor withheld.
    func nothing(in locale: Language) -> String? { self == .withheld ? nil : marker(in: locale) }
}

extension Reported<Quantity> { package var quantity: Quantity? { value } }

extension Reported<Change> { package var change: Change? { value } }

/// The reason why there is no number at all: a fact that everybody knows, of the plan, the calendar or the list of
/// releases.
package enum Absence: Sendable, Hashable {
    case notReleased
    /// The metric was first released for a later period.
    case beganLater
    /// The metric's expiry date had come before the period began.
    case expired
    /// Age has taken what is that detailed: see the metric's `decay`.
    case aged
    /// The plan did not name this reader as one who receives it when it was counted.
    case unnamed
    /// The metric was laid out in another way then, so that the numbers mean different things.
    case changed(Difference)

    /// The difference that keeps two releases of a metric from being compared.
    package enum Difference: Sendable, Hashable, CaseIterable {
        case events, sampling, identifiers, contribution, buckets, sum, part, devices
    }
}

/// The status of a number in CSV and JSON: published, or the reason why it is not.
package enum NumberStatus: String, Sendable, Hashable, CaseIterable, Decodable {
    case published
    /// There is none: ``Withheld/wording``.
    case withheld
    /// There is none, and everybody knows that it is zero: the plan says that it cannot occur.
    case impossible
    /// There is a number, computed from published numbers: what others leave of the whole.
    case derived
    case notReleased = "not_released"
    case beganLater = "began_later"
    case expired
    case changed
    /// Numbers in this detail are not kept for so long.
    case aged
    case unnamed

    package init(_ absence: Absence) {
        self =
            switch absence {
            case .notReleased: .notReleased
            case .beganLater: .beganLater
            case .expired: .expired
            case .changed: .changed
            case .aged: .aged
            case .unnamed: .unnamed
            }
    }
}
