import Foundation
import Probe
import Testing

@Suite("What is counted of a crowd is what is true of it")
struct SimulationTests {
    /// The whole of it, 10,000 devices, is `swift run -c release Probe client simulate`, or this test with the number in
    /// `THRONG_SIMULATED_DEVICES`.
    @Test("reach by day, week and month, retention and frequency equal the truth after thirty unreliable days")
    func crowd() async throws {
        let devices = ProcessInfo.processInfo.environment["THRONG_SIMULATED_DEVICES"].flatMap { Int($0) } ?? 200
        let simulation = try Simulation()
        let outcome = try await simulation.run(devices: devices, seed: 1)
        #expect(outcome.installations > devices && outcome.withdrawals > 0 && outcome.leavers > 0)
        #expect(outcome.takenBack > 20)
        #expect(outcome.failedFlushes * 10 > outcome.flushes)
        let report = simulation.compare(outcome)
        #expect(report.isEqual, "\(report.text)")
        #expect(simulation.daemon.refusals.isEmpty)
    }

    @Test("a flaw of any kind makes the counters differ from the truth", arguments: Simulation.Flaw.allCases)
    func flaws(flaw: Simulation.Flaw) async throws {
        let simulation = try Simulation(days: 14, flaw: flaw)
        let report = simulation.compare(try await simulation.run(devices: 60, seed: 2))
        #expect(!report.isEqual, "\(report.text)")
    }
}
