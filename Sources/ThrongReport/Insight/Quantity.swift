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
