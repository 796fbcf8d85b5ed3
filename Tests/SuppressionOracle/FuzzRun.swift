public import ThrongSuppression

/// Protects random tables and attacks each result with independent integer programs.
public struct FuzzRun {
    /// Tables protected.
    public private(set) var tables = 0
    /// Sensitive cells attacked.
    public private(set) var attacked = 0
    /// Cells that the attacker pinned or bounded although the engine claimed a proof; the seeds to reproduce them.
    public private(set) var violations: [(seed: UInt64, column: ColumnIndex, weakness: IntegerAttacker.Weakness)] = []
    /// What the engine's own verification found.
    public private(set) var rejected: [(seed: UInt64, violation: PatternVerifier.Violation)] = []
    /// Sensitive cells that the engine left without a proof.
    public private(set) var unproved = 0
    /// Attacks that the solver did not finish.
    public private(set) var undecided = 0
    /// Tables in which hiding the sensitive cells alone was broken: the control.
    public private(set) var naiveBroken = 0

    /// Nothing run yet.
    public init() {}

    /// Protects and attacks the table of one seed.
    public mutating func run(seed: UInt64) throws {
        let problem = try Self.problem(seed: seed)
        let options = SuppressionOptions(seed: seed, proof: .witnesses(seconds: 10))
        let pattern = try SuppressionEngine(options: options).pattern(for: problem)
        tables += 1
        var random = SeededGenerator(seed: ~seed)
        let prime = RandomPrime.draw(using: &random)
        for violation in PatternVerifier(problem).violations(of: pattern, prime: prime, seed: random.next()) {
            rejected.append((seed, violation))
        }
        let excused = Set(pattern.unproved + pattern.pinned)
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
        let naive = IntegerAttacker(problem, isPublished: problem.cells.map { !$0.isSensitive })
        let isBroken = problem.cells.indices.contains { place in
            problem.cells[place].isSensitive && naive.weakness(of: ColumnIndex(UInt32(place)), measure: 0) != nil
        }
        if isBroken { naiveBroken += 1 }
    }

    /// The table of a seed: two to four dimensions with hierarchies, or linked groupings that do not nest.
    public static func problem(seed: UInt64) throws -> SuppressionProblem {
        var random = SeededGenerator(seed: seed)
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
