import Testing
import throng_lab

@Suite struct FuzzTests {
    @Test("attack 26: no sensitive cell of a random table is pinned or bounded under k by a full integer program")
    func randomTables() throws {
        var run = FuzzRun()
        for seed in UInt64(1)...60 { try run.run(seed: seed) }
        #expect(run.violations.isEmpty)
        #expect(run.rejected.isEmpty)
        #expect(run.undecided == 0)
        #expect(run.peeled.isEmpty)
        #expect(run.naiveBroken > 0, "the control must be seen to fail")
        #expect(run.attacked > 100)
        #expect(run.withSums > 5 && run.attackedFromInside > 20)
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
