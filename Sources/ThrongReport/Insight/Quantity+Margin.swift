package import ThrongPlan

extension Quantity {
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
