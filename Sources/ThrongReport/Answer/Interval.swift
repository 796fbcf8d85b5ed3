internal import Foundation
internal import ThrongPlan

/// Where a number lies that was estimated from a sample, in 19 of 20 cases (95 %).
///
/// It is about the draw only: how far the events that were kept may misrepresent all that happened on the same devices in
/// the same period. Each event is drawn by itself, so that this holds however events are spread over devices; it says
/// nothing about other days or other people. A number that carries noise as well has it added.
public struct Interval: Sendable, Hashable {
    /// Its lower end.
    public let low: Decimals
    /// Its upper end.
    public let high: Decimals

    /// The two-sided 95 % point of the normal distribution.
    static let z = 1.959_963_984_540_054

    /// Puts an interval together that was written down.
    public init(low: Decimals, high: Decimals) {
        self.low = low
        self.high = high
    }

    /// Rounded outwards.
    init(_ low: Double, _ high: Double, places: Int) {
        self.low = Decimals(low, rounded: .down, places: places)
        self.high = Decimals(high, rounded: .up, places: places)
    }

    /// The interval of all events of which some were kept; nil where each was.
    ///
    /// - Parameters:
    ///   - kept: how many. Unit: events.
    ///   - rate: the chance of each event to be kept.
    ///   - margin: within which 19 of 20 noisy numbers of kept events lie; nil where they are exact. Unit: events.
    public init?(ofTotal kept: Int64, rate: Double, margin: Int64?) {
        guard rate > 0, rate < 1 else { return nil }
        let (low, high) = Self.total(kept, rate: rate, margin: margin ?? 0)
        self.init(low, high, places: 0)
    }

    /// The interval of a number whose parts were drawn at a rate under 1; nil where there is none: devices in a sample are
    /// a lower bound of all devices, and stay one. Plans refuse quotients of noisy numbers.
    ///
    /// - Parameters:
    ///   - rate: the chance of each event to be kept.
    ///   - noise: what the numbers carry.
    ///   - clip: between which bounds the values of a mean lie.
    init?(
        of quantity: Quantity, rate: Double, noise: NumberNoise?, clip: ClosedRange<Double>?, kind: Insight.Kind
    ) {
        guard rate < 1 else { return nil }
        switch (quantity, kind) {
        case (.estimate(let estimate), _):
            self.init(ofTotal: estimate.counted, rate: rate, margin: noise?.margin)
        case (.share(let part, let whole), .retention):
            let (low, high) = Self.ratio(part, whole, rate: rate)
            self.init(low, high, places: Quantity.sharePlaces)
        case (.share(let part, let whole), .share(of: .events, part: _)):
            let (low, high) = Self.share(part, of: whole, rate: rate)
            self.init(low, high, places: Quantity.sharePlaces)
        case (.mean(_, _, let events), _):
            guard let clip else { return nil }
            let (low, high) = Self.mean(quantity.approximate, events: events, clip: clip, rate: rate)
            self.init(low, high, places: quantity.decimal?.places ?? 0)
        default:
            return nil
        }
    }

    /// N where n of them were kept: the score interval, which solves |n − N·rate| = z·√(N·rate·(1 − rate)), and the margin
    /// of its noise, by "square and add" as in ``difference(_:_:places:)``. Noise may leave n below 0, but not N.
    static func total(_ kept: Int64, rate: Double, margin: Int64 = 0) -> (low: Double, high: Double) {
        let counted = Swift.max(Double(kept), 0)
        let spread = z * (rate * (1 - rate)).squareRoot()
        let root = (spread * spread + 4 * rate * counted).squareRoot()
        let low = (root - spread) / (2 * rate)
        let high = (root + spread) / (2 * rate)
        guard margin > 0 else { return (Swift.max(low * low, counted), high * high) }
        let (centre, noise) = (counted / rate, Double(margin) / rate)
        return (
            Swift.max(centre - far(centre - low * low, noise), 0), centre + far(high * high - centre, noise)
        )
    }

    /// The part of a whole, both drawn at once: Wilson's interval with the correction for a finite whole, of which `rate`
    /// is known.
    static func share(_ part: Int64, of whole: Int64, rate: Double) -> (low: Double, high: Double) {
        let count = Double(whole)
        let share = Double(part) / count
        let z = z * (1 - rate).squareRoot()
        let scale = 1 + z * z / count
        let centre = (share + z * z / (2 * count)) / scale
        let half = z / scale * (share * (1 - share) / count + z * z / (4 * count * count)).squareRoot()
        return (Swift.max(centre - half, 0), Swift.min(centre + half, 1))
    }

    /// The quotient of two numbers that were drawn independently, by the logarithm's standard error.
    static func ratio(_ part: Int64, _ whole: Int64, rate: Double) -> (low: Double, high: Double) {
        let ratio = Double(part) / Double(whole)
        guard part > 0, part != whole else { return (ratio, ratio) }
        let factor = exp(z * ((1 - rate) * (1 / Double(part) + 1 / Double(whole))).squareRoot())
        return (ratio / factor, ratio * factor)
    }

    /// A mean of values between known bounds. How they spread is not released: it is taken to be the most that the mean
    /// allows, (high − mean)·(mean − low) (Bhatia and Davis 2000), so that the interval is rather too wide.
    static func mean(
        _ mean: Double, events: Int64, clip: ClosedRange<Double>, rate: Double
    ) -> (low: Double, high: Double) {
        let variance = Swift.max((clip.upperBound - mean) * (mean - clip.lowerBound), 0)
        let half = z * (variance * (1 - rate) / Double(events)).squareRoot()
        return (Swift.max(mean - half, clip.lowerBound), Swift.min(mean + half, clip.upperBound))
    }

    /// Between which parts of the events the value at a quantile lies: thousandths, at most 0 to 1000.
    static func parts(at quantile: Quantile, events: Int64, rate: Double) -> (low: Double, high: Double) {
        let part = Double(quantile.perMille)
        let half = z * (part * (1000 - part) * (1 - rate) / Double(events)).squareRoot()
        return (Swift.max(part - half, 0), Swift.min(part + half, 1000))
    }

    /// The interval of a difference, from those of its two numbers (Newcombe 1998, "square and add").
    public static func difference(
        _ later: (value: Double, interval: Interval), _ earlier: (value: Double, interval: Interval), places: Int
    ) -> Interval {
        let difference = later.value - earlier.value
        let low = far(later.value - later.interval.low.approximate, earlier.interval.high.approximate - earlier.value)
        let high = far(later.interval.high.approximate - later.value, earlier.value - earlier.interval.low.approximate)
        return Interval(difference - low, difference + high, places: places)
    }

    private static func far(_ left: Double, _ right: Double) -> Double { (left * left + right * right).squareRoot() }
}
