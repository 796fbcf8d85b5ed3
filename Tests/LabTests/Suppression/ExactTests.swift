import Testing
import throng_lab

@Suite("Exact suppression finds the least cost within its time, or says that it did not")
struct ExactTests {
    @Test("the exact pattern costs no more than the greedy one and passes verification and attack")
    func cheapest() throws {
        var cheaper = 0
        for seed in UInt64(1)...6 {
            let problem = try SyntheticTable(
                dimensions: [[4], [4]], meanLeaf: 9, skew: 0.8, threshold: 5, seed: seed
            ).problem
            let exact = try ExactSuppression(seconds: 60, seed: 1).pattern(for: problem)
            let greedy = try SuppressionEngine(options: SuppressionOptions(seed: 1)).pattern(for: problem)
            guard greedy.unproved.isEmpty, exact.unproved.isEmpty else { continue }
            #expect(exact.extraCost <= greedy.extraCost)
            if exact.extraCost < greedy.extraCost { cheaper += 1 }
            let faults = PatternVerifier(problem).violations(of: exact, prime: 2_305_843_009_213_693_951, seed: seed)
            #expect(faults.isEmpty)
            let attacker = IntegerAttacker(problem, isPublished: exact.isPublished)
            for place in problem.cells.indices where problem.cells[place].isSensitive {
                #expect(attacker.weakness(of: ColumnIndex(UInt32(place)), measure: 0) == nil)
            }
        }
        #expect(cheaper > 0)
    }

    @Test("a table that is too hard for its time is given up when the time is over")
    func deadline() throws {
        let table = try SyntheticTable(
            dimensions: [[5], [5], [5]], meanLeaf: 9, skew: 0.9, threshold: 8, seed: 4,
            protection: .surrounds(percent: 10))
        #expect(table.cellCount <= ExactSuppression.cellLimit)
        let start = ContinuousClock().now
        #expect(throws: SuppressionError.exactModeTimedOut(seconds: 0.5)) {
            try ExactSuppression(seconds: 0.5, seed: 1).pattern(for: table.problem)
        }
        // Far more than it takes, because the machine may be busy; without a deadline it would be minutes.
        #expect(ContinuousClock().now - start < .seconds(20))
    }
}
