import Dispatch
import Foundation
import Probe
import Synchronization
import Testing
import ThrongSystem

@Suite("Promise 3, in simulated histories", .serialized)
struct SimulationTests {
    @Test("one seed replays one history")
    func repeats() throws {
        let simulator = try Simulator()
        for value in UInt64(1)...24 {
            let (first, second) = (simulator.run(Seed(value)), simulator.run(Seed(value)))
            #expect(first.digest == second.digest)
            #expect(first.acknowledged == second.acknowledged)
        }
    }

    @Test("two processes, whose dictionaries differ in order, replay the same histories")
    func twoProcesses() throws {
        func digests() throws -> String {
            let child = Process()
            let pipe = Pipe()
            child.executableURL = Bundle.main.bundleURL.appendingPathComponent("Probe")
            child.arguments = ["histories", "--seed", "1", "--seeds", "24", "--all", "--digests"]
            child.standardOutput = pipe
            try child.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            child.waitUntilExit()
            return String(decoding: output, as: UTF8.self).split(separator: "\n").prefix(24).joined(separator: "\n")
        }
        let first = try digests()
        #expect(first.split(separator: "\n").count == 24)
        #expect(try digests() == first)
    }

    @Test("different seeds are different histories")
    func differ() throws {
        let simulator = try Simulator()
        #expect(Set((UInt64(1)...24).map { simulator.run(Seed($0)).digest }).count == 24)
    }

    @Test(
        "histories that broke a promise once don't any more",
        arguments: [(1367, 300), (1391, 300), (20030, 900), (30262, 300), (842, 300), (2219, 300)])
    func mended(seed: UInt64, steps: Int) throws {
        #expect(try Simulator().run(Seed(seed, steps: steps)).violation == nil)
    }

    /// `THRONG_SIMULATE_SEEDS` chooses how many histories of 300 steps are run: 400, or 3,400 for a million steps.
    @Test("no history loses or doubles what was acknowledged, refuses a start, or waits for ever")
    func keepsPromises() throws {
        let seeds = ProcessInfo.processInfo.environment["THRONG_SIMULATE_SEEDS"].flatMap { Int($0) } ?? 400
        let simulator = try Simulator()
        let acknowledged = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: seeds) { place in
            let value = UInt64(place + 1)
            let outcome = simulator.run(Seed(value))
            acknowledged.withLock { $0 += outcome.acknowledged }
            if let violation = outcome.violation {
                Issue.record("seed \(value): \(violation). Tests/Scripts/simulate --seed \(value) prints its history")
            }
        }
        #expect(acknowledged.withLock { $0 } > seeds * 10)
    }

    /// As above, `THRONG_SIMULATE_SEEDS` chooses how many.
    @Test("nor where the daemon goes on from checkpoints, whenever it ended while it wrote one")
    func keepsPromisesFromCheckpoints() throws {
        let seeds = ProcessInfo.processInfo.environment["THRONG_SIMULATE_SEEDS"].flatMap { Int($0) } ?? 150
        let simulator = try Simulator()
        let restored = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: seeds) { place in
            let value = UInt64(place + 1)
            let outcome = simulator.run(Seed(value, checkpoints: true))
            restored.withLock { $0 += outcome.restored }
            if let violation = outcome.violation {
                Issue.record(
                    "seed \(value): \(violation). Tests/Scripts/simulate --checkpoints --seed \(value) prints its history"
                )
            }
        }
        #expect(restored.withLock { $0 } > seeds)
    }

    /// As above.
    @Test("nor where it stands still again and again beside a slow PostgreSQL, while a copy takes its place")
    func keepsPromisesWhileItStutters() throws {
        let seeds = ProcessInfo.processInfo.environment["THRONG_SIMULATE_SEEDS"].flatMap { Int($0) } ?? 150
        let simulator = try Simulator()
        DispatchQueue.concurrentPerform(iterations: seeds) { place in
            let value = UInt64(place + 1)
            guard let violation = simulator.run(Seed(value, stutters: true)).violation else { return }
            Issue.record(
                "seed \(value): \(violation). Tests/Scripts/simulate --stutters --seed \(value) prints its history")
        }
    }

    /// As above.
    @Test("nor where it stops in order, and starts while PostgreSQL is away: alone it counts on, as after a kill")
    func keepsPromisesWhenItStops() throws {
        let seeds = ProcessInfo.processInfo.environment["THRONG_SIMULATE_SEEDS"].flatMap { Int($0) } ?? 150
        let simulator = try Simulator()
        DispatchQueue.concurrentPerform(iterations: seeds) { place in
            let value = UInt64(place + 1)
            guard let violation = simulator.run(Seed(value, stops: true)).violation else { return }
            Issue.record(
                "seed \(value): \(violation). Tests/Scripts/simulate --stops --seed \(value) prints its history")
        }
    }

    @Test(
        "where it waits although it is alone, or counts although others were told that it stopped, that finds it",
        arguments: [(Fault.waitAlone, Violation.Promise.readiness), (.returnUnheard, .unheard)])
    func stoppingControl(fault: Fault, promise: Violation.Promise) throws {
        let simulator = try Simulator()
        let found = (UInt64(1)...40).first { value in
            Simulator.breaking([fault]) { simulator.run(Seed(value, stops: true)).violation?.promise == promise }
        }
        #expect(found != nil, "40 seeds did not find it")
    }

    @Test("where a lease never ends that finds what is lost")
    func stutteringControl() throws {
        let simulator = try Simulator()
        let found = (UInt64(1)...60).first { value in
            Simulator.breaking([.outliveLease]) {
                simulator.run(Seed(value, stutters: true)).violation?.promise == .lost
            }
        }
        #expect(found != nil, "60 seeds did not find it")
    }

    @Test(
        "with a promise broken, the simulation finds it",
        arguments: [
            (Fault.reopenReplayedWindows, UInt64(100)), (.ignoreSyncedThrough, 100), (.numberBeyondBounds, 50),
            (.writeAnyRecord, 50), (.trustClock, 100),
            (.acknowledgeEarly, 50), (.ignoreFailedSync, 100), (.takeWithoutLease, 20), (.waitByTimeOfDay, 50),
            (.askPatiently, 320), (.countWithdrawn, 100), (.forgetRequests, 100),
        ])
    func controls(fault: Fault, seeds: UInt64) throws {
        let simulator = try Simulator()
        let found = (1...seeds).first { value in
            Simulator.breaking([fault]) {
                simulator.run(Seed(value)).violation != nil
            }
        }
        #expect(found != nil, "\(seeds) seeds did not find it")
    }
}
