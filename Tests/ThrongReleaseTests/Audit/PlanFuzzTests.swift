import Testing
import ThrongSystem
import throng_lab

@Suite("Random plans over random people: no combination of numbers tells more than is promised")
struct PlanFuzzTests {
    @Test("a few seeds of what Deploy/bench plans tries for hours", arguments: UInt64(1)...3)
    func holds(seed: UInt64) throws {
        let trial = PlanTrial(seed: seed)
        guard (try? trial.plans.map { try $0.read() }) != nil else { return }
        let outcome = try trial.run(draws: 120)
        #expect(outcome.violations.isEmpty, "\(trial)\n\(outcome.violations)")
        #expect(outcome.numbers == 0 || outcome.combinations > 0)
    }

    @Test("the control: with the noise off each of them tells exact numbers")
    func noiseOff() throws {
        var found = 0
        for seed in 1...8 {
            let trial = PlanTrial(seed: UInt64(seed))
            guard let outcome = try? trial.run(draws: 10, without: [.noiseOff]) else { continue }
            found += outcome.violations.isEmpty ? 0 : 1
        }
        #expect(found > 3)
    }
}
