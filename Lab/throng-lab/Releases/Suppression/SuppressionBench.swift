import ArgumentParser
internal import Foundation

/// Prints what the engine takes on seeded synthetic tables.
struct SuppressionBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suppress", abstract: "Measures throng suppress on made-up tables.")

    @Argument(help: "Parts of their names, or smoke, exact [ATTEMPTS], fuzz [SECONDS [SEED]].") var words: [String] = []

    /// Tables by size and dimensions, and one such as statistical offices have, few cells of which are small.
    private static let cases: [(name: String, dimensions: [[Int]], mean: Double, threshold: Int64)] = [
        ("1e3 3d", [[3, 4], [8], [6]], 60, 20), ("1e4 2d", [[4, 4, 4], [5, 5, 3]], 90, 20),
        ("1e4 4d", [[4, 4], [4, 3], [4], [5]], 50, 20), ("offices", [[4, 4], [4, 3], [5], [5]], 50, 4),
        ("1e5 2d", [[6, 6, 6], [7, 7, 7]], 90, 20), ("1e5 3d", [[4, 4, 4], [5, 6], [5, 6]], 90, 20),
        ("1e5 4d", [[4, 4, 3], [5, 5], [6], [6]], 90, 20),
    ]

    func run() throws {
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "exact": try Self.compare(seconds: 25, attempts: numbers.first ?? 1)
        case "fuzz":
            try Self.fuzz(seconds: numbers.first ?? 30, from: numbers.dropFirst().first.map { UInt64($0) } ?? 1)
        // Every measurement, on little.
        case "smoke": try Self.measure(["1e3"])
        default: try Self.measure(words)
        }
    }

    /// Measures the tables whose names hold one of some words; all of them where there is none.
    private static func measure(_ words: [String]) throws {
        for entry in cases where words.isEmpty || words.contains(where: { entry.name.contains($0) }) {
            let table = try SyntheticTable(
                dimensions: entry.dimensions, meanLeaf: entry.mean, skew: 0.8, threshold: entry.threshold, seed: 1)
            let clock = ContinuousClock()
            var pattern: SuppressionPattern?
            let search = try clock.measure {
                pattern = try SuppressionEngine(options: SuppressionOptions(seed: 7)).pattern(for: table.problem)
            }
            guard let pattern else { continue }
            var random = SecretGenerator(seed: 11)
            let prime = RandomPrime.draw(using: &random)
            var violations: [PatternVerifier.Violation] = []
            let check = clock.measure {
                violations = PatternVerifier(table.problem).violations(of: pattern, prime: prime, seed: 12)
            }
            let hidden = pattern.isPublished.count { !$0 }
            let cells = Double(table.cellCount)
            print(
                entry.name, "cells", table.cellCount, "sensitive", Double(table.sensitiveCount) / cells, "extra",
                Double(hidden - table.sensitiveCount) / cells, "unproved", pattern.unproved.count, "search", search,
                "verify",
                check, "violations", violations.count, violations.prefix(2), pattern.statistics, "peak MB",
                peak() / 1024)
            print("  " + Yardstick.measure().text)
        }
    }

    /// Compares the greedy cost with the exact one on random tables.
    static func compare(seconds: Int, attempts: Int) throws {
        let end = ContinuousClock().now + .seconds(seconds)
        var seed: UInt64 = 1
        var greedyCost: Int64 = 0
        var exactCost: Int64 = 0
        var tables = 0
        var unfinished = 0
        var dearer = 0
        var longest = Duration.zero
        while ContinuousClock().now < end {
            let problem = try FuzzRun.problem(seed: seed)
            seed += 1
            let exact: SuppressionPattern
            let start = ContinuousClock().now
            do {
                exact = try ExactSuppression(seconds: 5, seed: 1).pattern(for: problem)
            } catch {
                unfinished += 1
                longest = max(longest, ContinuousClock().now - start)
                continue
            }
            longest = max(longest, ContinuousClock().now - start)
            let greedy = try SuppressionEngine(options: SuppressionOptions(seed: 1, attempts: attempts)).pattern(
                for: problem)
            if !exact.unproved.isEmpty || !greedy.unproved.isEmpty { continue }
            if exact.extraCost > greedy.extraCost { dearer += 1 }
            tables += 1
            greedyCost += greedy.extraCost
            exactCost += exact.extraCost
        }
        print(
            "tables", tables, "unfinished", unfinished, "exact dearer", dearer, "greedy", greedyCost, "exact",
            exactCost, "attempts", attempts, "longest of 5 s", longest)
    }

    /// Protects random tables and attacks them until the time is over.
    static func fuzz(seconds: Int, from first: UInt64) throws {
        var run = FuzzRun()
        let end = ContinuousClock().now + .seconds(seconds)
        var seed = first
        while ContinuousClock().now < end {
            // A solver that aborts takes the process along: this names the table that it did so on, to within a hundred.
            if (seed - first).isMultiple(of: 100) {
                let found = run.violations.count + run.rejected.count + run.peeled.count
                FileHandle.standardError.write(
                    Data("seed \(seed), cells attacked \(run.attacked), found \(found)\n".utf8))
            }
            try run.run(seed: seed)
            seed += 1
        }
        print(
            "tables", run.tables, "with sums", run.withSums, "attacked", run.attacked, "violations",
            run.violations.count,
            "rejected", run.rejected.count, "unproved", run.unproved, "undecided", run.undecided, "naive broken",
            run.naiveBroken,
            "attacked from inside", run.attackedFromInside, "peeled", run.peeled.count, "last seed", seed - 1)
        for violation in run.violations.prefix(10) { print("violation", violation) }
        for violation in run.rejected.prefix(10) { print("rejected", violation) }
        for peeled in run.peeled.prefix(10) { print("peeled", peeled) }
    }

    /// Peak resident memory. Unit: KiB.
    static func peak() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }
}
