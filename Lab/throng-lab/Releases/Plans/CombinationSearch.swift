/// Looks for whole-number combinations of drawn numbers that tell the most, in units of what is promised.
struct CombinationSearch {
    typealias Combination = [(place: Int, coefficient: Double)]

    private let promises: [Double]
    private let truths: [[Double]]
    /// Of the draws, which are alike in mean.
    private let covariance: [[Double]]

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - promises: by number.
    ///   - truths: by crowd, then by number.
    ///   - drawn: by draw, then by number.
    init(promises: [Double], truths: [[Double]], drawn: [[Double]]) {
        (self.promises, self.truths) = (promises, truths)
        let count = Double(drawn.count)
        let means = promises.indices.map { place in drawn.reduce(0) { $0 + $1[place] } / count }
        covariance = promises.indices.map { one in
            promises.indices.map { other in
                drawn.reduce(0) { $0 + ($1[one] - means[one]) * ($1[other] - means[other]) } / (count - 1)
            }
        }
    }

    /// The variance in units of the promise, squared; nil of what estimates nothing.
    private func ratio(_ coefficients: [Double]) -> Double? {
        let used = coefficients.indices.filter { coefficients[$0] != 0 }
        let tells = truths.contains { truth in
            abs(used.reduce(0) { $0 + coefficients[$1] * truth[$1] }) > 1e-9
        }
        guard tells, let promise = used.map({ promises[$0] }).min() else { return nil }
        var variance = 0.0
        for one in used {
            for other in used { variance += coefficients[one] * coefficients[other] * covariance[one][other] }
        }
        return variance / (promise * promise)
    }

    /// Some random combinations, and for each start the closest that small changes lead to.
    ///
    /// - Complexity: O(starts · steps · numbers of a combination²).
    func closest(starts: Int = 12, steps: Int = 300, using random: inout some RandomNumberGenerator) -> [Combination] {
        var found: [[Double]] = []
        for _ in 0..<starts {
            var best = promises.map { _ in 0.0 }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                best[Int.random(in: 0..<best.count, using: &random)] += Double(Int.random(in: -2...2, using: &random))
            }
            found.append(best)
            for _ in 0..<steps {
                var next = best
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    next[Int.random(in: 0..<next.count, using: &random)] += Bool.random(using: &random) ? 1 : -1
                }
                guard let reached = ratio(next), reached < ratio(best) ?? .infinity else { continue }
                best = next
            }
            found.append(best)
        }
        return found.filter { ratio($0) != nil }.map { coefficients in
            coefficients.indices.filter { coefficients[$0] != 0 }.map { ($0, coefficients[$0]) }
        }
    }
}

/// The traces of a change under noise.
enum Evidence {
    /// The squared length of a change in units of the noise, and the number of draws' directions that it was taken in;
    /// nil where some number that changes has no noise.
    ///
    /// Numbers are taken one after the other, the widest first, each without what the ones before say of it, until
    /// nothing new is left.
    /// - Parameter most: directions.
    static func square(of change: [Double], noise: [[Double]], most: Int) -> (square: Double, rank: Int)? {
        let count = Double(max(1, noise.count - 1))
        let means = change.indices.map { place in noise.reduce(0) { $0 + $1[place] } / Double(noise.count) }
        var rows = noise.map { draw in zip(draw, means).map { $0 - $1 } }
        var left = change
        var (square, rank) = (0.0, 0)
        let first = change.indices.map { place in rows.reduce(0) { $0 + $1[place] * $1[place] } / count }
        guard !change.indices.contains(where: { change[$0] != 0 && first[$0] < 1e-9 }) else { return nil }
        while rank < most {
            let variances = change.indices.map { place in rows.reduce(0) { $0 + $1[place] * $1[place] } / count }
            // What adds up has nothing of its own but rounding.
            let open = change.indices.filter { variances[$0] > 0.05 * first[$0] && variances[$0] > 0.5 }
            guard let pivot = open.max(by: { variances[$0] / first[$0] < variances[$1] / first[$1] }) else { break }
            square += left[pivot] * left[pivot] / variances[pivot]
            rank += 1
            let shares = change.indices.map { place in
                rows.reduce(0) { $0 + $1[place] * $1[pivot] } / count / variances[pivot]
            }
            let pivotLeft = left[pivot]
            for place in change.indices { left[place] -= shares[place] * pivotLeft }
            rows = rows.map { row in row.indices.map { row[$0] - shares[$0] * row[pivot] } }
        }
        return (square, rank)
    }
}
