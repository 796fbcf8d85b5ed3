import Testing
import throng_lab

@testable import ThrongAudit

@Suite("Releases that keep their promises are found to keep them")
struct KeptTests {
    @Test("thirty days of the notes app: all is examined, and the first line says so")
    func notes() throws {
        let report = Auditor().audit(try AuditTown().input(days: 0..<30))
        #expect(report.holds, "\(report.text)")
        #expect(report.exitCode == 0 && report.unexamined.isEmpty)
        #expect(report.examined == report.numbers && report.numbers > 500)
        #expect(report.margins > 500 && report.sums > 30 && report.days > 400 && report.squares > 400)
        #expect(report.text.hasPrefix("examined \(report.numbers) of \(report.numbers) numbers from 90 sources, "))
        #expect(report.seconds < 30)
        let devices = try #require(report.closest.first { $0.measure == "devices" })
        for risk in ["singling out", "linkability", "inference"] { #expect(report.text.contains("\n\(risk): kept. ")) }
        #expect(
            report.text.contains("closest of devices: known to ± 13.86 in 19 of 20 cases (standard deviation 7.07, "))
        #expect(devices.promised == 5 && abs(devices.deviation - 50.0.squareRoot()) < 0.01)
    }

    @Test(
        "random plans: the stated margins are those of an arithmetic that shares nothing with the engine's",
        arguments: UInt64(1)...12)
    func random(seed: UInt64) throws {
        let trial = PlanTrial(seed: seed)
        guard trial.plans.count == 1, let plan = try? trial.plans[0].read() else { return }
        var input = AuditInput()
        try input.learn(plan)
        for release in try trial.town().releases(secret: Int(seed)) { input.add(release) }
        let report = Auditor().audit(input)
        #expect(report.holds, "\(trial)\n\(report.text)")
        #expect(report.unexamined.isEmpty && report.examined == report.numbers)
    }

    @Test("a margin is no wider than the law and what rounding moved")
    func narrow() throws {
        var input = try AuditTown().input()
        let known = input.known
        input.metrics = input.metrics.mapValues { $0.beside(known) }
        for number in input.numbers {
            let law = try #require(input.metric(of: number)?.law(of: number))
            let margin = try #require(number.margin)
            #expect(margin < law.margin * 1.5 + 10, "\(number.text): \(margin), and \(law.margin)")
        }
    }
}
