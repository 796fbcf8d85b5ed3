import SuppressionOracle
import Testing
import ThrongSuppression

@Suite struct FuzzTests {
    @Test("attack 26: no sensitive cell of a random table is pinned or bounded under k by a full integer program")
    func randomTables() throws {
        var run = FuzzRun()
        let end = ContinuousClock().now + .seconds(30)
        var seed: UInt64 = 1
        while seed <= 300, ContinuousClock().now < end {
            try run.run(seed: seed)
            seed += 1
        }
        #expect(run.violations.isEmpty)
        #expect(run.rejected.isEmpty)
        #expect(run.undecided == 0)
        #expect(run.naiveBroken > 0, "the control must be seen to fail")
        #expect(run.attacked > 100)
    }

    @Test("verification finds a pattern that was tampered with")
    func tampering() throws {
        let problem = try FuzzRun.problem(seed: 5)
        let pattern = try SuppressionEngine(options: SuppressionOptions(seed: 5)).pattern(for: problem)
        let verifier = PatternVerifier(problem)
        #expect(verifier.violations(of: pattern, prime: 2_305_843_009_213_693_951, seed: 1).isEmpty)
        for place in pattern.isPublished.indices where !pattern.isPublished[place] && problem.cells[place].isSensitive {
            #expect(
                !verifier.violations(of: pattern.publishing(place), prime: 2_305_843_009_213_693_951, seed: 1).isEmpty)
        }
    }
}
