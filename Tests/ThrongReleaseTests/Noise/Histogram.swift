internal import Testing
internal import ThrongNoise

/// An exact probability function in bins, and the test that a sampler has to pass against it.
struct Histogram: Sendable, CustomTestStringConvertible {
    let name: String
    let variance: String
    /// Bins are -reach, …, reach and the rest.
    let reach: Int
    /// Of chi-squared with 2·reach + 1 degrees of freedom, at a significance of 10^-6.
    let critical: Double
    /// Unit: 2^-62.
    let probabilities: [UInt64]

    var testDescription: String { name }

    func noise() throws -> DiscreteGaussian { try DiscreteGaussian(variance: Rational(parsing: variance)) }

    /// Pearson's statistic of that many samples; every bin expects more than 5.
    func chiSquared(samples: Int, _ sample: () throws -> Int128) rethrows -> Double {
        var counts = Array(repeating: 0, count: probabilities.count)
        for _ in 0..<samples {
            let place = try sample() + Int128(reach)
            counts[place >= 0 && place < counts.count - 1 ? Int(place) : counts.count - 1] += 1
        }
        return zip(counts, probabilities).reduce(0) { sum, bin in
            let expected = Double(samples) * Double(bin.1) / Double(1 << 62)
            let off = Double(bin.0) - expected
            return sum + off * off / expected
        }
    }
}
