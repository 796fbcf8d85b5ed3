internal import SuppressionOracle
internal import ThrongSuppression

/// Prints, level by level, what is published of crowds with heavy tails.
struct CrowdBench {
    /// How long proofs are looked for at most. Unit: seconds.
    let seconds: Double
    /// Whether the engine is told where leaves stand.
    let isGridded: Bool

    private static let cubes: [(name: String, sizes: [Int], events: Int)] = [
        ("tiny", [10, 8, 6], 5_000), ("small", [20, 12, 10], 30_000), ("middle", [30, 20, 15], 100_000),
        ("large", [60, 40, 30], 400_000), ("wide", [3000, 4], 60_000), ("deep", [8, 7, 6, 5, 4], 60_000),
    ]

    /// Measures the cubes whose names are given, with and without a dimension that partitions devices.
    func run(_ names: [String]) throws {
        print(
            "cube    devices   level  publishable  published      %   bound  % of events  sensitive  unproved  search s  verify s  MB"
        )
        for cube in Self.cubes where names.contains(cube.name) {
            for partitions in [true, false] {
                try measure(cube.name, cube.sizes, cube.events, partitions: partitions)
            }
        }
    }

    private func measure(_ name: String, _ sizes: [Int], _ events: Int, partitions: Bool) throws {
        let cube = try CrowdCube(sizes: sizes, events: events, partitions: partitions, seed: 1, isGridded: isGridded)
        let problem = cube.problem
        let clock = ContinuousClock()
        var found: SuppressionPattern?
        let search = try clock.measure {
            let options = SuppressionOptions(seed: 7, proof: .witnesses(seconds: seconds), flatCells: 0)
            found = try SuppressionEngine(options: options).pattern(for: problem)
        }
        guard let pattern = found else { return }
        var random = SecretGenerator(seed: 11)
        let prime = RandomPrime.draw(using: &random)
        var violations: [PatternVerifier.Violation] = []
        let check = clock.measure {
            violations = PatternVerifier(problem).violations(of: pattern, prime: prime, seed: 12)
        }
        // What has no proof is coarsened by the release: every published number that holds one of its leaves goes.
        let open = pattern.unproved + pattern.openRelations.map { problem.relations[$0].parent }
        let leaves = Set(open.flatMap { problem.columns[Int($0.value)] })
        let isPublished = problem.cells.indices.map { column in
            pattern.isPublished[column] && !problem.columns[column].contains(where: leaves.contains)
        }
        for level in 0...sizes.count {
            let cells = problem.cells.indices.filter { cube.depth[$0] == level }
            let able = cells.filter { problem.cells[$0].floor >= problem.threshold }
            let shown = able.filter { isPublished[$0] }
            let all = able.reduce(Int64(0)) { $0 + cube.events[$1] }
            let seen = shown.reduce(Int64(0)) { $0 + cube.events[$1] }
            let sensitive = cells.count { problem.cells[$0].isSensitive }
            let unproved = pattern.unproved.count { cube.depth[Int($0.value)] == level }
            // What no safe pattern can exceed.
            let least =
                level == 0 || level == sizes.count
                ? nil
                : SuppressionEngine(options: SuppressionOptions(seed: 7)).leastHidden(
                    of: problem, at: level, beside: isPublished)
            let bound = least.map { share(Int64(able.count - $0), Int64(able.count)) } ?? "-"
            print(
                [
                    padded(name, 7), padded(partitions ? "add" : "overlap", 8), padded("\(level)", 6),
                    padded("\(able.count)", 12), padded("\(shown.count)", 10),
                    padded(share(Int64(shown.count), Int64(able.count)), 6), padded(bound, 6),
                    padded(share(seen, all), 12),
                    padded("\(sensitive)", 10), padded("\(unproved)", 9), padded("\(search / .seconds(1))", 9),
                    padded("\(check / .seconds(1))", 9), "\(SuppressionBench.peak() / 1024)",
                ].joined(separator: " "))
        }
        print("violations", violations.count, violations.prefix(2), pattern.statistics)
    }

    private func share(_ part: Int64, _ whole: Int64) -> String {
        whole == 0 ? "-" : "\((Double(part) / Double(whole) * 1_000).rounded() / 10)"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(text.prefix(width)) + String(repeating: " ", count: max(0, width - text.count))
    }
}
