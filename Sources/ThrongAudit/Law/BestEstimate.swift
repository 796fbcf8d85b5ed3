/// The best unbiased estimate of a combination of published numbers, and its standard deviation.
struct BestEstimate {
    let value: Double
    let deviation: Double
    /// The numbers that it consists of, with their coefficients, ascending.
    let terms: [(number: Int, coefficient: Double)]
}

/// Published numbers with their laws, and the estimates that an attacker makes of them.
///
/// Interactions have independent noise, and within a question each number is made of them in one way, so there is
/// nothing to average. Only counts of events of several questions are linear in each other: those of one place and
/// period, whose sets of events overlap, are weighted by least squares (Gauss and Markov).
struct Estimator {
    let numbers: [AuditNumber]
    let laws: [NumberLaw]
    /// The numbers and coefficients of each number's own best estimate.
    let best: [[(number: Int, coefficient: Double)]]

    /// Works out the best estimate of each number.
    ///
    /// - Complexity: O(numbers of one place and period, cubed).
    init(_ numbers: [AuditNumber], _ laws: [NumberLaw], events: [Set<String>?]) {
        (self.numbers, self.laws) = (numbers, laws)
        var best = numbers.indices.map { [(number: $0, coefficient: 1.0)] }
        var places: [String: [Int]] = [:]
        for place in numbers.indices where numbers[place].measure == .events && events[place] != nil {
            let number = numbers[place]
            places["\(number.app) \(number.period.label) \(number.place)", default: []].append(place)
        }
        for group in places.values where group.count > 1 {
            // One number a question: equal questions have equal numbers.
            var seen: Set<String> = []
            let asked = group.filter { seen.insert(laws[$0].question).inserted }
            for target in group {
                guard let own = asked.firstIndex(where: { laws[$0].question == laws[target].question }),
                    let weights = Self.weights(
                        of: own, sets: asked.map { events[$0] ?? [] }, variances: asked.map { laws[$0].deviation })
                else { continue }
                best[target] = zip(asked, weights).filter { abs($1) > 1e-12 }.map { ($0, $1) }
            }
        }
        self.best = best
    }

    /// Returns the estimate of a combination by those of its numbers: weights are linear in what is estimated.
    func estimate(_ combination: [(number: Int, coefficient: Double)]) -> BestEstimate {
        var all: [Int: Double] = [:]
        for (number, coefficient) in combination {
            for (part, weight) in best[number] { all[part, default: 0] += weight * coefficient }
        }
        let terms = all.filter { abs($0.value) > 1e-12 }.sorted { $0.key < $1.key }.map {
            (number: $0.key, coefficient: $0.value)
        }
        var variance = 0.0
        for (one, left) in terms {
            for (other, right) in terms { variance += left * right * laws[one].covariance(with: laws[other]) }
        }
        return BestEstimate(
            value: terms.reduce(0) { $0 + $1.coefficient * numbers[$1.number].value },
            deviation: max(0, variance).squareRoot(), terms: terms)
    }

    /// Returns the weights with the least variance by which independent numbers of sets of events make up one of them.
    ///
    /// With A the sets' rows and D the variances they are D⁻¹A·z where AᵀD⁻¹A·z is the target's row.
    private static func weights(of target: Int, sets: [Set<String>], variances deviations: [Double]) -> [Double]? {
        let rows = Linear.rows(of: sets)
        let precisions = deviations.map { 1 / ($0 * $0) }
        let matrix = Linear.normal(rows, precisions)
        guard let solution = Linear.solve(matrix, rows[target])?.solution else { return nil }
        return rows.indices.map { row in
            precisions[row] * zip(rows[row], solution).reduce(0) { $0 + $1.0 * $1.1 }
        }
    }
}
