/// Protects random tables and attacks each result with independent integer programs.
package struct FuzzRun {
    /// Tables protected.
    package private(set) var tables = 0
    /// Sensitive cells attacked.
    package private(set) var attacked = 0
    /// Cells that the attacker pinned or bounded although the engine claimed a proof; the seeds to reproduce them.
    package private(set) var violations: [(seed: UInt64, column: ColumnIndex, weakness: IntegerAttacker.Weakness)] = []
    /// What the engine's own verification found.
    package private(set) var rejected: [(seed: UInt64, violation: PatternVerifier.Violation)] = []
    /// Sensitive cells that the engine left without a proof.
    package private(set) var unproved = 0
    /// Attacks that the solver did not finish.
    package private(set) var undecided = 0
    /// Tables in which hiding the sensitive cells alone was broken: the control.
    package private(set) var naiveBroken = 0
    /// Tables with two measures.
    package private(set) var withSums = 0
    /// Small cells attacked by a contributor who is alone in another one and knows its number.
    package private(set) var attackedFromInside = 0
    /// Of these, those that it could compute.
    package private(set) var peeled: [(seed: UInt64, column: ColumnIndex, by: ColumnIndex)] = []

    /// Nothing run yet.
    package init() {}

    /// Protects and attacks the table of one seed.
    package mutating func run(seed: UInt64) throws {
        let problem = try Self.problemWithSums(seed: seed)
        let options = SuppressionOptions(seed: seed, seconds: 10)
        let pattern = try SuppressionEngine(options: options).pattern(for: problem)
        tables += 1
        if problem.measures.count > 1 { withSums += 1 }
        var generator = SecretGenerator(seed: ~seed)
        let prime = RandomPrime.draw(using: &generator)
        for violation in PatternVerifier(problem).violations(of: pattern, prime: prime, seed: generator.next()) {
            rejected.append((seed, violation))
        }
        let excused = Set(pattern.unproved)
        unproved += excused.count
        let attacker = IntegerAttacker(problem, isPublished: pattern.isPublished)
        for (place, cell) in problem.cells.enumerated() where cell.isSensitive {
            let column = ColumnIndex(UInt32(place))
            if excused.contains(column) { continue }
            attacked += 1
            for measure in problem.measures.indices {
                switch attacker.weakness(of: column, measure: measure) {
                case nil: break
                case .undecided: undecided += 1
                case let weakness?: violations.append((seed, column, weakness))
                }
            }
        }
        attackFromInside(problem, pattern, seed: seed, using: &generator)
        let naive = IntegerAttacker(problem, isPublished: problem.cells.map { !$0.isSensitive })
        let isBroken = problem.cells.indices.contains { place in
            problem.cells[place].isSensitive && naive.weakness(of: ColumnIndex(UInt32(place)), measure: 0) != nil
        }
        if isBroken { naiveBroken += 1 }
    }

    /// Lets contributors who are alone in a cell compute others, a few of each table.
    private mutating func attackFromInside(
        _ problem: SuppressionProblem, _ pattern: SuppressionPattern, seed: UInt64, using random: inout SecretGenerator
    ) {
        let small = problem.cells.indices.filter { problem.cells[$0].isSensitive && !problem.columns[$0].isEmpty }
        let alone = small.filter { problem.value(of: ColumnIndex(UInt32($0)), measure: 0) == 1 }
        for insider in alone.shuffled(using: &random).prefix(2) {
            var seen = pattern.isPublished
            seen[insider] = true
            let attacker = IntegerAttacker(problem, isPublished: seen)
            let own = Set(problem.columns[insider])
            let others = small.filter { !own.isSubset(of: problem.columns[$0]) && !seen[$0] }
            for other in others.shuffled(using: &random).prefix(5) {
                attackedFromInside += 1
                let column = ColumnIndex(UInt32(other))
                if attacker.weakness(of: column, measure: 0) == .unique {
                    peeled.append((seed, column, ColumnIndex(UInt32(insider))))
                }
            }
        }
    }

    /// The table of a seed: two to four dimensions with hierarchies, or linked groupings that do not nest.
    package static func problem(seed: UInt64) throws -> SuppressionProblem {
        var random = SecretGenerator(seed: seed)
        let threshold = Int64.random(in: 3...12, using: &random)
        let protection: AdditiveMeasure.Protection =
            Bool.random(using: &random) ? .reachesThreshold : .surrounds(percent: 10)
        if Int.random(in: 0..<3, using: &random) == 0 {
            return try LinkedTable.problem(threshold: threshold, protection: protection, using: &random)
        }
        while true {
            var dimensions: [[Int]] = []
            for _ in 0..<Int.random(in: 2...4, using: &random) {
                dimensions.append(
                    (0..<Int.random(in: 1...2, using: &random)).map { _ in Int.random(in: 2...4, using: &random) })
            }
            let cells = dimensions.reduce(1) { product, branching in
                var level = 1
                var nodes = 1
                for width in branching {
                    level *= width
                    nodes += level
                }
                return product * nodes
            }
            if cells > 300 { continue }
            let skew = Double.random(in: 0...1.3, using: &random)
            let mean = Double.random(in: 0.5...4, using: &random) * Double(threshold)
            let table = try SyntheticTable(
                dimensions: dimensions, meanLeaf: mean, skew: skew, threshold: threshold, seed: random.next(),
                protection: protection)
            if table.cellCount > 0 { return table.problem }
        }
    }
}
