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
