import SuppressionOracle
import ThrongSuppression

/// Prints what large cubes take, most cells of which are small, and statistical offices' tables, few cells of which are.
struct ScaleBench {
    private static let cubes: [(name: String, sizes: [Int], events: Int, seconds: Double)] = [
        ("1e3", [12, 10, 6], 5_000, 5), ("1e4", [32, 22, 16], 110_000, 5), ("1e5", [76, 50, 40], 900_000, 30),
        ("1e6", [190, 120, 90], 7_000_000, 300),
    ]

    /// Measures cubes whose names are given; `offices` is the table of few small cells.
    func run(_ names: [String]) throws {
        for cube in Self.cubes where names.contains(cube.name) {
            let crowd = try CrowdCube(sizes: cube.sizes, events: cube.events, partitions: true, seed: 1)
            // Half of the time is for looking, because what is not found by then takes as long again to hide.
            try measure(cube.name, crowd.problem, depth: crowd.depth, must: cube.seconds, proofs: cube.seconds * 0.6)
        }
        if names.contains("offices") {
            let table = try SyntheticTable(
                dimensions: [[4, 4], [4, 3], [5], [5]], meanLeaf: 50, skew: 0.8, threshold: 4, seed: 1)
            try measure(
                "offices", table.problem, depth: table.problem.cells.map { _ in 0 }, must: 2, proofs: 60)
        }
    }

    private func measure(
        _ name: String, _ problem: SuppressionProblem, depth: [Int], must: Double, proofs: Double
    ) throws {
        let clock = ContinuousClock()
        let before = SuppressionBench.peak()
        var found: SuppressionPattern?
        let search = try clock.measure {
            found = try SuppressionEngine(
                options: SuppressionOptions(seed: 7, proof: .witnesses(seconds: proofs))
            ).pattern(for: problem)
        }
        guard let pattern = found else { return }
        var random = SecretGenerator(seed: 11)
        let prime = RandomPrime.draw(using: &random)
        var violations = 0
        let check = clock.measure {
            violations = PatternVerifier(problem).violations(of: pattern, prime: prime, seed: 12).count
        }
        let sensitive = problem.cells.count { $0.isSensitive }
        print(
            name, "cells", problem.cells.count, "sensitive %",
            Yardstick.percent(Int64(sensitive), of: Int64(problem.cells.count)), "search s",
            Yardstick.rounded(search / .seconds(1)), "must", must, "verify s", Yardstick.rounded(check / .seconds(1)),
            "unproved", pattern.unproved.count, "violations", violations, "peak MiB",
            SuppressionBench.peak() / 1024, "of them the table", before / 1024, pattern.statistics)
        for level in Set(depth).sorted() {
            let able = problem.cells.indices.filter {
                depth[$0] == level && problem.cells[$0].floor >= problem.threshold
            }
            let shown = able.count { pattern.isPublished[$0] }
            print(
                "  level", level, "publishable", able.count, "published", shown, "%",
                Yardstick.percent(Int64(shown), of: Int64(able.count)))
        }
        print("  " + Yardstick.measure().text)
    }
}
