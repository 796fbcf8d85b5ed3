internal import Foundation
internal import ThrongPlan

/// The noise of one published number, worked out from what the plan says: the interactions that it consists of, and
/// their widths.
///
/// A number adds up some of the buckets of its fields. The share of the draws of interaction S in the product of two
/// numbers is a product over the fields. If the numbers add up the buckets A and B of a field's n, its factor is |A∩B|
/// − |A||B|/n for a field in S and |A||B|/n² for another. A draw of S has the variance V / Π(1 − 1/n). Summed over all
/// S, that is a product over the fields again.
struct NumberLaw {
    /// The question, apart from its fields: numbers of other questions have other noise.
    let question: String
    /// The fields that it tells apart, by field and rule.
    let fields: [String: Field]
    /// V of the layer that stays. Unit: the measure's, squared.
    let kept: Double
    /// V of the layer of a period. Unit: the measure's, squared.
    let fresh: Double
    /// The number of periods that it is a sum of.
    let parts: Double
    let period: AuditPeriod
    /// The least standard deviation that is promised of any whole combination: k/4 devices, or k·b/10 events, and
    /// no less than devices have that send one event each.
    let promise: Double

    /// A field that a number tells apart.
    struct Field: Hashable {
        let buckets: Set<String>
        /// The number of the field's buckets.
        let count: Int
    }

    /// The standard deviation of the number.
    var deviation: Double { covariance(with: self).squareRoot() }

    /// The smallest half-width that holds in 19 of 20 cases.
    var margin: Double { Self.normal * deviation }

    /// The excess over k that a number needs to be shown.
    var publication: Double { (Self.normal * deviation + 0.5).rounded(.up) }

    /// The number of standard deviations within which 19 of 20 normal draws lie.
    static let normal = 1.959_964

    /// Returns the covariance of the noise of two numbers.
    ///
    /// - Complexity: O(fields).
    func covariance(with other: NumberLaw) -> Double {
        guard question == other.question else { return 0 }
        let shape = shape(with: other)
        let lasting = min(kept, other.kept) * parts * other.parts
        let passing = period == other.period && fresh == other.fresh ? fresh * min(parts, other.parts) : 0
        return shape * (lasting + passing)
    }

    /// Returns the covariance that noise of variance 1 makes.
    func shape(with other: NumberLaw) -> Double {
        var product = 1.0
        for (name, field) in fields { product *= Self.share(field, other.fields[name]) }
        for (name, field) in other.fields where fields[name] == nil { product *= Self.share(field, nil) }
        return product
    }

    /// Returns a field's factor of the covariance; a number without the field adds up all buckets.
    private static func share(_ field: Field, _ other: Field?) -> Double {
        let n = Double(field.count)
        let one = Double(field.buckets.count)
        guard let other else { return one / n }
        let two = Double(other.buckets.count)
        let both = Double(field.buckets.intersection(other.buckets).count)
        return (both - one * two / n) / (1 - 1 / n) + one * two / (n * n)
    }

    /// Returns the square of the rung of kept noise that is as wide as asked, or wider: 5, 10, 20, 30, 40, 50, 70, 100,
    /// 140, 200, 280, 400 and so on. Unit: devices, squared.
    static func rung(reaching square: Double) -> Double {
        let first: [Double] = [5, 10, 20, 30, 40, 50, 70]
        if let rung = first.first(where: { $0 * $0 >= square }) { return rung * rung }
        var (rung, isFull) = (100.0, true)
        while rung * rung < square {
            rung = (isFull ? rung * 1.4 : rung / 1.4 * 2).rounded()
            isFull.toggle()
        }
        return rung * rung
    }
}

extension AuditMetric {
    /// Returns the law of one of its numbers; nil if the number is by something that does not split the metric.
    func law(of number: AuditNumber) -> NumberLaw? {
        let isDevices = number.measure == .devices
        var unit = 1.0 / 16
        // No number of events is nearer than one of devices that send one each.
        let eventUnit = max(Double(bound) * Double(bound) / 100, unit)
        var (square, measure) = (Double(threshold * threshold), "devices")
        var isWide = isDevices || countsIdentifiers
        switch number.measure {
        case .devices: measure = knows.map { "\($0) in a \(number.period.kind.rawValue)" } ?? "identifiers"
        case .events where countsIdentifiers: measure = "identifiers"
        case .events:
            unit = eventUnit
            measure = "events, \(bound)"
        case .sum(let name):
            guard let sum = sums.first(where: { $0.name == name }) else { return nil }
            unit = sum.most * sum.most * eventUnit
            measure = "\(sum.text), \(bound)"
            isWide = false
        }
        square *= Double(isWide ? factors.devices : factors.events)
        guard let split = fields(of: number, onlyDevices: isDevices) else { return nil }
        let named = events?.sorted().joined(separator: "+") ?? "events of \(name)"
        return NumberLaw(
            question: ([app, named, audience, terms, measure] + split.occasions).joined(separator: " | "),
            fields: split.fields, kept: unit * NumberLaw.rung(reaching: square), fresh: unit * square,
            parts: isDevices ? 1 : number.period.parts(of: period), period: number.period,
            promise: (unit * Double(threshold * threshold)).squareRoot())
    }

    /// Returns the fields that draws are shared over, and the buckets of others, which are asked apart.
    private func fields(
        of number: AuditNumber, onlyDevices: Bool
    ) -> (fields: [String: NumberLaw.Field], occasions: [String])? {
        var fields: [String: NumberLaw.Field] = [:]
        var occasions: [String] = []
        for (name, buckets) in number.buckets.sorted(by: { $0.key < $1.key }) {
            guard let place = dimension(name) else { return nil }
            let dimension = dimensions[place]
            if onlyDevices, !dimension.partitionsDevices {
                occasions.append("\(dimension.field) \(dimension.rule) \(buckets.sorted())")
                continue
            }
            let base = dimension.base.map { dimensions[$0.place] } ?? dimension
            var held = buckets
            if let groups = dimension.base?.buckets {
                held = buckets.reduce(into: []) { $0.formUnion(groups[$1] ?? []) }
            }
            guard base.labels.count > 1 else { continue }
            guard !held.isEmpty, held.count <= base.labels.count else { return nil }
            let field = "\(base.field) \(base.rule)"
            let kept = fields[field].map { $0.buckets.intersection(held) } ?? held
            guard !kept.isEmpty else { return nil }
            fields[field] = NumberLaw.Field(buckets: kept, count: base.labels.count)
        }
        return (fields, occasions)
    }
}

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
