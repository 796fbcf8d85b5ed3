internal import Foundation

/// The ends between which the mean of values from 0 to 1 lies, each of which was kept with the same chance. They are
/// computed from the sum of the kept values, and hold in at least 19 of 20 draws, however the values are spread.
///
/// An end is where the draw would be too surprising. Let S be the sum of the n that were kept of N values, µ the mean
/// of all, p the chance. For all a and b, E exp(aS + bn) = ∏(1 − p + p·exp(a·x + b)); the logarithm of a factor is
/// convex in x, so that no values with the mean µ make it larger than zeros and ones do (as in Hoeffding 1963, Theorem
/// 1). Where µ·log(1 − p + p·exp(a + b)) + (1 − µ)·log(1 − p + p·exp(b)) = 0 it is at most 1 for every N, and by
/// Markov's inequality aS + bn reaches log 40 in one of 40 draws at most. The ends are those of the slope a that fits
/// the draw best (Chernoff); with p → 0 that is n·KL(S/n ‖ µ) = log 40. Unlike a normal interval it needs no variance,
/// which is not released. That the slope is chosen after the draw is not in the proof: over zeros and ones, for which
/// all is exact, a test adds up every draw.
package struct DrawnMean {
    /// The lower end, 0 to 1.
    package let low: Double
    /// The upper end, 0 to 1.
    package let high: Double

    /// One draw of 40 may be more surprising, on each side.
    package static let limit = log(40.0)
    /// Bisections: the ends are exact to one part in 10^12.
    private static let steps = 40

    /// - Parameters:
    ///   - sum: of the kept values, 0 to `events`.
    ///   - events: how many values were kept; with none, nothing is known.
    ///   - rate: the chance of each to be kept: more than 0, less than 1.
    package init(_ sum: Double, of events: Int64, rate: Double) {
        let events = Double(events)
        guard events > 0 else {
            (low, high) = (0, 1)
            return
        }
        let sum = Swift.min(Swift.max(sum, 0), events)
        func isTooFar(_ mean: Double) -> Bool { Self.surprise(sum, of: events, ifMean: mean, rate: rate) > Self.limit }
        let kept = sum / events
        low = sum > 0 ? Self.end(from: kept, to: 0, isTooFar) : 0
        high = sum < events ? Self.end(from: kept, to: 1, isTooFar) : 1
    }

    /// Returns the ends between which the mean of the kept values lies, if the mean of all values is known: the inverse
    /// of the ends above.
    package static func meansKept(of events: Int64, ifMean mean: Double, rate: Double) -> (low: Double, high: Double) {
        let events = Double(events)
        guard events > 0 else { return (0, 1) }
        func isTooFar(_ kept: Double) -> Bool { surprise(kept * events, of: events, ifMean: mean, rate: rate) > limit }
        return (isTooFar(0) ? end(from: mean, to: 0, isTooFar) : 0, isTooFar(1) ? end(from: mean, to: 1, isTooFar) : 1)
    }

    /// The last place on the way that is not too far, or a little beyond.
    private static func end(from inside: Double, to outside: Double, _ isTooFar: (Double) -> Bool) -> Double {
        var (inside, outside) = (inside, outside)
        for _ in 0..<steps {
            let middle = (inside + outside) / 2
            if isTooFar(middle) { outside = middle } else { inside = middle }
        }
        return outside
    }

    /// −log of how likely such a draw is at most: the largest aS + bn; which is, the other way round, the least
    /// T·KL(S/T ‖ p) + C·KL((n − S)/C ‖ p) over all numbers T of ones and C of zeros with the mean T / (T + C).
    package static func surprise(_ sum: Double, of events: Double, ifMean mean: Double, rate: Double) -> Double {
        let rest = events - sum
        guard mean > 0, mean < 1 else { return (mean <= 0 ? sum : rest) > 0 ? .infinity : 0 }
        // All values are at least those that were kept, and at most as many as if the rarer kind was kept as often.
        var least = Swift.max(sum / mean, rest / (1 - mean))
        var most = least / rate
        for _ in 0..<steps {
            let all = (least + most) / 2
            let slope =
                mean * log((1 - sum / (mean * all)) / (1 - rate))
                + (1 - mean) * log((1 - rest / ((1 - mean) * all)) / (1 - rate))
            if slope > 0 { most = all } else { least = all }
        }
        let all = (least + most) / 2
        return divergence(sum, of: mean * all, rate) + divergence(rest, of: (1 - mean) * all, rate)
    }

    /// T·KL(kept/T ‖ rate).
    private static func divergence(_ kept: Double, of all: Double, _ rate: Double) -> Double {
        let left = Swift.max(all - kept, 0)
        return (kept > 0 ? kept * log(kept / (all * rate)) : 0) + (left > 0 ? left * log(left / (all * (1 - rate))) : 0)
    }
}
