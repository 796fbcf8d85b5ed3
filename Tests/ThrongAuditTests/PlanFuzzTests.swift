import PlanTrial
import Testing
import ThrongFaults

/// A few of the random plans that `Deploy/bench plans` goes through for as long as one likes.
@Suite("Promise 5: random plans, edits and orders of release give nobody away", .serialized)
struct PlanFuzzTests {
    private static let seeds: ClosedRange<UInt64> = 1...12

    @Test(
        """
        what once was told, or refused: a band beside a near-highest sum, counts beside a clip, events beside devices, also of \
        several windows, a heavy device, a band of one metric beside another's sum, a higher k of a metric that overlaps, numbers \
        some of which contradict each other, a tied metric's empty places, and its weeks to come
        """,
        arguments: [
            700_059, 900_289, 1_202_877, 1_207_977, 20_000_586, 5_005_682, 20_002_013, 30_004_828, 30_008_262,
            40_001_675, 60_014_502, 80_004_138, 200_002_411, 300_000_136, 400_005_113,
        ] as [UInt64])
    func mended(seed: UInt64) throws {
        let outcome = try PlanTrial(seed: seed).run(auditSeconds: 5)
        #expect(outcome.violations.isEmpty, "\(outcome.violations)")
        #expect(outcome.numbers > 0)
    }

    @Test("what random plans publish stands for k devices, and so does what follows from it", arguments: seeds)
    func holds(seed: UInt64) throws {
        let trial = PlanTrial(seed: seed)
        let outcome = try trial.run(auditSeconds: 5)
        #expect(outcome.violations.isEmpty, "\(trial)\n\(outcome.violations.joined(separator: "\n"))")
    }

    @Test(
        "what a bound drops of a device for one metric only is no difference of two",
        arguments: [48, 224, 236, 290, 1045] as [UInt64])
    func dropped(seed: UInt64) throws {
        let trial = PlanTrial(seed: seed)
        let outcome = try trial.run(auditSeconds: 0)
        #expect(outcome.violations.isEmpty, "\(trial)\n\(outcome.violations.joined(separator: "\n"))")
    }

    @Test("a published sum of what two plans counted one after the other is no withheld number", arguments: [500_156])
    func edited(seed: UInt64) throws {
        let trial = PlanTrial(seed: seed)
        let outcome = try trial.run(auditSeconds: 5)
        #expect(outcome.isAudited && outcome.numbers > 0)
        #expect(outcome.violations.isEmpty, "\(trial)\n\(outcome.violations.joined(separator: "\n"))")
    }

    @Test("numbers on which the solver's branching ended the process are audited to the end", arguments: [501_960])
    func branching(seed: UInt64) throws {
        #expect(try PlanTrial(seed: seed).run(auditSeconds: 5).isAudited)
    }

    @Test("a total that is still to come does not keep anybody from looking at what there is without it")
    func expected() throws {
        let outcome = try PlanTrial(seed: 12_553).run(auditSeconds: 0)
        #expect(outcome.violations.isEmpty, "\(outcome.violations)")
    }

    @Test(
        "where only proved devices count, in whole periods or windows, others and their floods give nobody away",
        arguments: seeds)
    func proved(seed: UInt64) throws {
        let trial = PlanTrial(seed: seed, areProved: true)
        let outcome = try trial.run(auditSeconds: 5)
        #expect(outcome.violations.isEmpty, "\(trial)\n\(outcome.violations.joined(separator: "\n"))")
    }

    private static let ofOthers: [UInt64] = [40, 89, 1045, 1163, 1235, 1408, 1481, 1496, 1501, 1515]

    @Test(
        """
        what only devices without proof sent is no difference of two metrics; devices of a period are no fewer for short \
        windows; what an edit lays out anew is looked at where a metric of shorter periods ended with it
        """,
        arguments: ofOthers + [94, 2023, 300_452])
    func provedOnce(seed: UInt64) throws {
        let outcome = try PlanTrial(seed: seed, areProved: true).run(auditSeconds: 5)
        #expect(outcome.violations.isEmpty, "\(outcome.violations)")
        #expect(outcome.numbers > 0)
    }

    @Test(
        "a build that believes forgers, or takes what nobody proved for nothing, gives people behind these seeds away",
        arguments: [(Fault.overlookUnproved, ofOthers), (Fault.trustForgers, Array(1...40))])
    func unproved(fault: Fault, seeds: [UInt64]) throws {
        let found = try seeds.contains { seed in
            try PlanTrial(seed: seed, areProved: true).run(without: [fault], auditSeconds: 0).violations.contains {
                $0.hasPrefix("truth: ")
            }
        }
        #expect(found, "the truth finds nothing in any of the seeds")
    }

    @Test(
        "what the last steps would leave open is refused by the verification, and nothing that it passes gives anybody away"
    )
    func leftToVerification() throws {
        let outcomes = try (UInt64(1)...100).map { seed in
            try PlanTrial(seed: seed).run(without: [.leaveToVerification], auditSeconds: 0).violations
        }
        #expect(outcomes.contains { !$0.isEmpty }, "the control must be seen to fail")
        #expect(outcomes.joined().allSatisfy { $0.hasPrefix("verification: ") })
    }

    @Test(
        "the people behind these seeds are given away by a build that releases each metric apart, or forgets L2",
        arguments: [Fault.releaseApart, .ignoreUnions])
    func switchedOff(fault: Fault) throws {
        let found = try Self.seeds.contains { seed in
            try !PlanTrial(seed: seed).run(without: [fault], auditSeconds: 0).violations.isEmpty
        }
        #expect(found, "the truth finds nothing in any of the seeds")
    }
}
