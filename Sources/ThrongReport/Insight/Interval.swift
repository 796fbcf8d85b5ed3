internal import Foundation
package import ThrongPlan

/// The range that holds a number in 19 of 20 cases (95 %).
///
/// Every number has a margin, and its interval includes that. The interval of a sample is about the draw, too: how far
/// the events that were kept may misrepresent all that happened on the same devices in the same period. Each event is
/// drawn by itself, so that this holds however events are spread over devices. It says nothing about other days or
/// other people. What no draw can change has no width, and nothing else has none.
package struct Interval: Sendable, Hashable {
    /// Its lower end; nil where nothing bounds it.
    package let low: Decimals?
    /// Its upper end; nil where nothing bounds it.
    package let high: Decimals?

    /// The two-sided 95 % point of the normal distribution.
    package static let z = 1.959_963_984_540_054

    /// The same with a chance of error that so many comparisons share (Bonferroni): with them, all hold at once in 19
    /// of 20 cases.
    package static func z(sharedBy comparisons: Int) -> Double {
        guard comparisons > 1 else { return z }
        var (low, high) = (z, 10.0)
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if erfc(middle / 2.0.squareRoot()) > 0.05 / Double(comparisons) { low = middle } else { high = middle }
        }
        return high
    }

    package init(low: Decimals?, high: Decimals?) { (self.low, self.high) = (low, high) }

    /// Rounded outwards; an infinite end is open.
    package init(_ low: Double, _ high: Double, places: Int) {
        self.low = low.isFinite ? Decimals(low, rounded: .down, places: places) : nil
        self.high = high.isFinite ? Decimals(high, rounded: .up, places: places) : nil
    }

    /// The same times a factor, as readers are told it: outwards, to a digit that its width leaves.
    func told(times scale: Double = 1) -> Interval {
        let (low, high) = ends
        let digit = high - low < .infinity ? (high - low) / 5 * scale : 1
        func end(_ value: Double, _ rule: FloatingPointRoundingRule) -> Decimals? {
            value.isFinite ? Decimals(value * scale, rounded: rule, toFirstDigitOf: digit) : nil
        }
        return Interval(low: end(low, .down), high: end(high, .up))
    }

    /// Its ends, infinite where they are open.
    package var ends: (low: Double, high: Double) { (low?.approximate ?? -.infinity, high?.approximate ?? .infinity) }

    /// The interval of all events of which some were kept; nil where each was.
    ///
    /// - Parameters:
    ///   - kept: how many. Unit: events.
    ///   - rate: the chance of each event to be kept.
    ///   - margin: within which 19 of 20 numbers of kept events lie. Unit: events.
    ///   - threshold: how many devices the sample has where the number is published.
    package init?(ofTotal kept: Int64, rate: Double, margin: Int64, threshold: Threshold) {
        guard rate > 0, rate < 1 else { return nil }
        let (low, high) = Self.total(kept, rate: rate, margin: margin, threshold: threshold)
        self.init(low, high, places: 0)
    }

    /// The interval of a number of devices: there are never fewer than none.
    package init(ofDevices devices: Int64, margin: Int64) {
        low = Decimals(units: Swift.max(Int128(devices) - Int128(margin), 0), places: 0)
        high = Decimals(units: Int128(devices) + Int128(margin), places: 0)
    }

    /// The interval of a number of a sample, of devices, or of a quotient; nil for others, of which the margin says
    /// all.
    ///
    /// - Parameters:
    ///   - basis: how it was drawn, and what is published.
    ///   - clip: between which bounds the values of a mean lie.
    package init?(of quantity: Quantity, basis: NumberBasis, clip: ClosedRange<Double>?, kind: Insight.Kind) {
        let (rate, k) = (basis.sampling, basis.threshold)
        switch quantity {
        case .drawn(let number, of: _, let within):
            guard kind == .reach, let margin = within ?? basis.margin.devices else { return nil }
            self.init(ofDevices: number, margin: margin)
        case .share, .mean:
            let sampled = rate < 1 ? Self.sampled(quantity, rate: rate, threshold: k, clip: clip, kind: kind) : nil
            self.init(ofDrawn: quantity, clip: clip, kind: kind, sampled: sampled)
        case .estimate(let estimate):
            self.init(ofTotal: estimate.counted, rate: rate, margin: basis.margin.events, threshold: k)
        case .settled:
            let value = quantity.approximate
            self.init(value, value, places: Quantity.sharePlaces)
        case .quantile: return nil
        }
    }

    /// Returns the ends between which a quotient lies, by the draw of the sample alone; nil where the draw says
    /// nothing.
    private static func sampled(
        _ quantity: Quantity, rate: Double, threshold: Threshold, clip: ClosedRange<Double>?, kind: Insight.Kind
    ) -> (low: Double, high: Double)? {
        switch (quantity, kind) {
        case (.share(let part, let whole, _), .retention): ratio(part, whole, rate: rate, threshold: threshold)
        case (.share(let part, let whole, _), .share(of: .events, part: _)):
            share(part, of: whole, rate: rate, threshold: threshold)
        case (.mean(_, _, let events, _), _):
            clip.map { mean(quantity.approximate, events: events, clip: $0, rate: rate) }
        default: nil
        }
    }

    /// N where n of them were kept: the score interval, which solves |n − N·rate| = z·√(N·rate·(1 − rate)), and the
    /// margin of the number that was drawn for n, by "square and add" as in ``difference(_:_:places:)``.
    ///
    /// It holds given that the number is published, which it is only where its sample has k devices: the lower end
    /// takes k of the kept events for certain, and the draw for n − k of N − k. For whatever way the events are spread
    /// over devices, look at the devices one by one, and at each one's events until the first that was kept: where k
    /// devices are found, just k kept events were looked at, and the draw of all others is still open. So n − k is at
    /// most a draw of N − k. That k devices were found makes n only larger, so that the upper end may stay.
    package static func total(
        _ kept: Int64, rate: Double, margin: Int64 = 0, threshold: Threshold = Threshold(devices: 0)
    ) -> (low: Double, high: Double) {
        let counted = Swift.max(Double(kept), 0)
        let certain = Swift.min(Double(threshold.devices), counted)
        let low = certain + score(counted - certain, rate: rate).low
        let high = score(counted, rate: rate).high
        guard margin > 0 else { return (Swift.max(low, counted), high) }
        let (centre, off) = (counted / rate, Double(margin) / rate)
        return (Swift.max(centre - far(centre - low, off), 0), centre + far(high - centre, off))
    }

    private static func score(_ counted: Double, rate: Double) -> (low: Double, high: Double) {
        let spread = z * (rate * (1 - rate)).squareRoot()
        let root = (spread * spread + 4 * rate * counted).squareRoot()
        let low = (root - spread) / (2 * rate)
        let high = (root + spread) / (2 * rate)
        return (low * low, high * high)
    }

    /// The part of a whole, both drawn at once: the mean of ones and zeros.
    ///
    /// It holds given that part and whole are published, as a total's does.
    package static func share(
        _ part: Int64, of whole: Int64, rate: Double, threshold: Threshold = Threshold(devices: 0)
    ) -> (low: Double, high: Double) {
        let certain = Swift.min(threshold.devices, part)
        return (
            DrawnMean(Double(part - certain), of: whole - certain, rate: rate).low,
            DrawnMean(Double(part), of: whole, rate: rate).high
        )
    }

    /// The quotient of two numbers that were drawn independently: the odds of being among the one in both together.
    ///
    /// It holds given that both are published, as a total's does. There are at least as many in the whole as were kept.
    package static func ratio(
        _ part: Int64, _ whole: Int64, rate: Double, threshold: Threshold = Threshold(devices: 0)
    ) -> (low: Double, high: Double) {
        func odds(_ share: Double) -> Double { share / (1 - share) }
        let (few, fewer) = (Swift.min(threshold.devices, part), Swift.min(threshold.devices, whole))
        let low = DrawnMean(Double(part - few), of: part - few + whole, rate: rate).low
        let high = DrawnMean(Double(part), of: part + whole - fewer, rate: rate).high
        return (odds(low), Swift.min(odds(high), total(part, rate: rate).high / Double(whole)))
    }

    /// A mean of values between known bounds, however they spread between them.
    package static func mean(
        _ mean: Double, events: Int64, clip: ClosedRange<Double>, rate: Double
    ) -> (low: Double, high: Double) {
        let width = clip.upperBound - clip.lowerBound
        // Only one value is possible, and it is the mean.
        guard width > 0 else { return (clip.lowerBound, clip.upperBound) }
        let drawn = DrawnMean((mean - clip.lowerBound) / width * Double(events), of: events, rate: rate)
        return (clip.lowerBound + width * drawn.low, clip.lowerBound + width * drawn.high)
    }

    /// Returns the parts of the kept events between which the value at a quantile lies: thousandths, 0 to 1000. At 0
    /// the value may be below all of them, at 1000 above.
    package static func parts(at quantile: Quantile, events: Int64, rate: Double) -> (low: Double, high: Double) {
        let (low, high) = DrawnMean.meansKept(of: events, ifMean: Double(quantile.perMille) / 1000, rate: rate)
        return (low * 1000, high * 1000)
    }

    /// The interval of a difference, from those of its two numbers (Newcombe 1998, "square and add").
    package static func difference(
        _ later: (value: Double, interval: Interval), _ earlier: (value: Double, interval: Interval), places: Int
    ) -> Interval {
        let difference = later.value - earlier.value
        let (new, old) = (later.interval.ends, earlier.interval.ends)
        let (low, high) = (
            far(later.value - new.low, old.high - earlier.value), far(new.high - later.value, earlier.value - old.low)
        )
        return Interval(difference - low, difference + high, places: places)
    }

    /// "Square and add".
    static func far(_ left: Double, _ right: Double) -> Double { (left * left + right * right).squareRoot() }
}

/// The noise of a quotient's two terms: their variances and covariance.
package struct QuotientNoise: Sendable, Hashable {
    /// Variance of the part. Unit: the part's, squared.
    package let part: Double
    /// Variance of the whole. Unit: the whole's, squared.
    package let whole: Double
    /// Covariance of the two. Unit: the part's times the whole's.
    package let covariance: Double

    package init(part: Double, whole: Double, covariance: Double = 0) {
        (self.part, self.whole, self.covariance) = (part, whole, covariance)
    }
}

/// The quotients that two numbers p and w with normal errors leave open: every θ for which p − θ·w is no further from 0
/// than its noise reaches in 19 of 20 cases.
///
/// For the true θ that difference is 0 but for noise of the variance v(p) − 2θ·cov + θ²·v(w). So the set holds the true
/// quotient in 19 of 20 cases, whatever it is (Fieller 1954). Where w itself may be 0, the set has no end on one side
/// or on both: nothing bounded could hold the quotient that often (Gleser and Hwang 1987).
package enum Fieller: Sendable, Hashable {
    case between(Double, Double)
    case atLeast(Double)
    case atMost(Double)
    /// Everything but what lies between the two.
    case outside(Double, Double)
    case anything

    /// Solves (p − θw)² ≤ z²·(v(p) − 2θ·cov + θ²·v(w)) for θ.
    package init(_ part: Double, over whole: Double, noise: QuotientNoise, z: Double = Interval.z) {
        let square = whole * whole - z * z * noise.whole
        let linear = part * whole - z * z * noise.covariance
        let constant = part * part - z * z * noise.part
        guard square != 0 else {
            self =
                linear == 0 ? .anything : linear > 0 ? .atLeast(constant / linear / 2) : .atMost(constant / linear / 2)
            return
        }
        let root = linear * linear - square * constant
        let spread = max(root, 0).squareRoot()
        let (one, other) = ((linear - spread) / square, (linear + spread) / square)
        self = square > 0 ? .between(one, other) : root <= 0 ? .anything : .outside(other, one)
    }

    /// The smallest interval that holds all of it between two bounds; an infinite end says that nothing bounds it
    /// there.
    package func hull(from least: Double, to most: Double) -> (low: Double, high: Double) {
        let pieces: [(low: Double, high: Double)] =
            switch self {
            case .between(let low, let high): [(low, high)]
            case .atLeast(let low): [(low, .infinity)]
            case .atMost(let high): [(-.infinity, high)]
            case .outside(let below, let above): [(-.infinity, below), (above, .infinity)]
            case .anything: [(-.infinity, .infinity)]
            }
        let inside = pieces.filter { $0.high >= least && $0.low <= most }
        // Noise may take all of it beyond a bound.
        let left = inside.isEmpty ? Array(pieces.prefix(1)) : inside
        func clamped(_ end: Double) -> Double { min(max(end, least), most) }
        return (clamped(left.map(\.low).min() ?? least), clamped(left.map(\.high).max() ?? most))
    }
}

/// A quotient of whole numbers as a decimal of fixed places, rounded half to even in whole-number arithmetic.
package struct Decimals: Sendable, Hashable, CustomStringConvertible {
    /// The number in units of 10^-places.
    package let units: Int128
    /// Digits after the point.
    package let places: Int

    /// Divides; the divisor is above 0.
    ///
    /// - Parameter shiftedBy: the numerator counts units of 10^-shiftedBy, 0 to 6 (``SumMeasure/decimals``).
    package init(_ numerator: Int64, shiftedBy shift: Int = 0, over divisor: Int64, places: Int) {
        self.init(wide: Int128(numerator), over: Int128(divisor) * .ten(to: shift), places: places)
    }

    /// Divides wider numbers; the divisor is above 0. What does not fit 128 bits loses its last binary digits.
    package init(wide numerator: Int128, over divisor: Int128, places: Int) {
        var (dividend, divisor) = (numerator, divisor)
        for _ in 0..<places {
            while dividend.magnitude > Int128.max.magnitude / 10, divisor > 1 {
                (dividend, divisor) = (dividend / 2, Swift.max(divisor / 2, 1))
            }
            let (product, overflow) = dividend.multipliedReportingOverflow(by: 10)
            dividend = overflow ? (dividend < 0 ? .min : .max) : product
        }
        var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        if remainder < 0 { (quotient, remainder) = (quotient - 1, remainder + divisor) }
        let left = divisor - remainder
        if remainder > left || (remainder == left && quotient % 2 != 0) { quotient += 1 }
        (units, self.places) = (quotient, places)
    }

    /// A number of at most 15 digits as it is written, such as 0.25 or 1234.5.
    package init(exactly value: Double) {
        var (places, scale) = (0, 1.0)
        while places < 15, (value * scale).rounded() / scale != value { (places, scale) = (places + 1, scale * 10) }
        self.init(value, rounded: .toNearestOrEven, places: places)
    }

    /// A floating-point number, clamped to what 64 bits hold.
    package init(_ value: Double, rounded rule: FloatingPointRoundingRule, places: Int) {
        let scaled = (value * Double(Int128.ten(to: places))).rounded(rule)
        units = Int128(Swift.min(Swift.max(scaled, -0x1p62), 0x1p62))
        self.places = places
    }

    /// An approximation for lengths and order, never for print.
    package var approximate: Double { Double(units) / (0..<places).reduce(1.0) { power, _ in power * 10 } }

    package init(whole: Int) { self.init(units: Int128(whole), places: 0) }

    /// Reads what ``description`` writes: "-1234.50"; nil for anything else, and for more than 128 bits hold.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let units = Int128(parts.joined()), parts.allSatisfy({ $0.last?.isWholeNumber ?? false })
        else { return nil }
        self.init(units: units, places: parts.count > 1 ? parts[1].utf8.count : 0)
    }

    /// This number less another, exactly, in the finer places of the two; nil where it does not fit.
    package func less(_ other: Decimals) -> Decimals? {
        let places = Swift.max(places, other.places)
        guard let mine = units(in: places), let theirs = other.units(in: places) else { return nil }
        let (difference, overflow) = mine.subtractingReportingOverflow(theirs)
        return overflow ? nil : Decimals(units: difference, places: places)
    }

    /// This number as a fraction of another with as many places as shares have; nil where that is not above 0.
    package func over(_ other: Decimals) -> Decimals? {
        let places = Swift.max(places, other.places)
        guard let mine = units(in: places), let theirs = other.units(in: places), theirs > 0 else { return nil }
        return Decimals(wide: mine, over: theirs, places: Quantity.sharePlaces)
    }

    /// The same number with at least so many digits after the point.
    package func padded(to places: Int) -> Decimals {
        guard places > self.places, let units = units(in: places) else { return self }
        return Decimals(units: units, places: places)
    }

    private func units(in places: Int) -> Int128? {
        var scaled = units
        for _ in self.places..<places {
            let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            scaled = product
        }
        return scaled
    }

    /// A number of units of 10^-places.
    package init(units: Int128, places: Int) { (self.units, self.places) = (units, places) }

    /// "1234.50": no grouping, a hyphen for minus; what CSV and JSON carry.
    package var description: String {
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(places + 1 - digits.utf8.count, 0)) + digits
        return (units < 0 ? "-" : "") + padded.dropLast(places) + (places == 0 ? "" : ".\(padded.suffix(places))")
    }

    package var magnitude: Decimals { Decimals(units: units < 0 ? -units : units, places: places) }
}

extension Int128 {
    /// A power of ten, of 0 to 38.
    static func ten(to exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
