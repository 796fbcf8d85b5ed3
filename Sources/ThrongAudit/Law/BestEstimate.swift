internal import Foundation

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
        return rows.indices.map { row in precisions[row] * zip(rows[row], solution).reduce(0) { $0 + $1.0 * $1.1 } }
    }
}

/// Small systems of equations.
enum Linear {
    /// Returns a row for each set of events: 1 for each event that is in it, 0 for each other.
    static func rows(of sets: [Set<String>]) -> [[Double]] {
        let events = sets.reduce(into: Set<String>()) { $0.formUnion($1) }.sorted()
        return sets.map { set in events.map { set.contains($0) ? 1 : 0 } }
    }

    /// Returns AᵀWA for rows A and weights W.
    static func normal(_ rows: [[Double]], _ weights: [Double]) -> [[Double]] {
        let columns = rows.first?.indices ?? 0..<0
        return columns.map { one in
            columns.map { other in rows.indices.reduce(0) { $0 + rows[$1][one] * rows[$1][other] * weights[$1] } }
        }
    }

    /// Solves a system that has a solution, though perhaps several, any of which will do. Nil if none is found.
    ///
    /// - Complexity: O(unknowns³).
    static func solve(_ system: [[Double]], _ values: [Double]) -> (solution: [Double], rank: Int)? {
        var (matrix, right) = (system, values)
        let count = right.count
        let scale = matrix.flatMap { $0 }.map { abs($0) }.max() ?? 0
        let size = right.map { abs($0) }.max() ?? 0
        var pivots: [Int] = []
        for column in 0..<count where pivots.count < count {
            let row = pivots.count
            guard let best = (row..<count).max(by: { abs(matrix[$0][column]) < abs(matrix[$1][column]) }),
                abs(matrix[best][column]) > 1e-10 * scale
            else { continue }
            matrix.swapAt(row, best)
            right.swapAt(row, best)
            for other in 0..<count where other != row {
                let factor = matrix[other][column] / matrix[row][column]
                guard factor != 0 else { continue }
                for place in column..<count { matrix[other][place] -= factor * matrix[row][place] }
                right[other] -= factor * right[row]
            }
            pivots.append(column)
        }
        guard right[pivots.count...].allSatisfy({ abs($0) <= 1e-6 * max(1, size) }) else { return nil }
        var solution = Array(repeating: 0.0, count: count)
        for (place, column) in pivots.enumerated() { solution[column] = right[place] / matrix[place][column] }
        return (solution, pivots.count)
    }

    /// Returns the squared distance of numbers from what events allow, in variances, and its freedom.
    static func residual(_ values: [Double], _ rows: [[Double]], variances: [Double]) -> (sum: Double, freedom: Int)? {
        let weights = variances.map { 1 / $0 }
        let right = (rows.first?.indices ?? 0..<0).map { column in
            rows.indices.reduce(0.0) { $0 + rows[$1][column] * weights[$1] * values[$1] }
        }
        guard let (solution, rank) = solve(normal(rows, weights), right) else { return nil }
        var sum = 0.0
        for (place, row) in rows.enumerated() {
            let rest = values[place] - zip(row, solution).reduce(0) { $0 + $1.0 * $1.1 }
            sum += rest * rest * weights[place]
        }
        return (sum, rows.count - rank)
    }
}

/// A sum of squares, to be judged by whether it is as large as chance makes it.
struct ChiSquare {
    private(set) var sum = 0.0
    private(set) var freedom = 0

    /// Adds independent squares, in units of their variances.
    mutating func add(_ sum: Double, freedom: Int) {
        self.sum += sum
        self.freedom += freedom
    }

    /// The sum as a standard normal number (Wilson and Hilferty 1931).
    var normal: Double {
        guard freedom > 0 else { return 0 }
        let spread = 2 / (9 * Double(freedom))
        return (cbrt(sum / Double(freedom)) - (1 - spread)) / spread.squareRoot()
    }

    /// True if a sum this small was to be expected less than once in 300,000 audits.
    var isTooSmall: Bool { normal < -4.5 }

    /// True if there are enough squares that a sum of 0 would have been noticed.
    var isTelling: Bool { freedom >= 6 }
}
