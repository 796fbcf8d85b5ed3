internal import Testing
internal import ThrongNoise

/// An exact probability function in bins, and the test that a sampler has to pass against it.
struct Histogram: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable { case laplace, gaussian }

    let name: String
    let kind: Kind
    let parameter: String
    /// Bins are -reach, …, reach and the rest.
    let reach: Int
    /// Of chi-squared with 2·reach + 1 degrees of freedom, at a significance of 10^-6.
    let critical: Double
    /// Unit: 2^-62.
    let probabilities: [UInt64]

    var testDescription: String { name }

    func noise() throws -> NoiseDistribution { try Self.noise(kind, parameter) }

    static func noise(_ kind: Kind, _ parameter: String) throws -> NoiseDistribution {
        switch kind {
        case .laplace: try .laplace(DiscreteLaplace(scale: Rational(parsing: parameter)))
        case .gaussian: try .gaussian(DiscreteGaussian(variance: Rational(parsing: parameter)))
        }
    }

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
