import ArgumentParser
import ThrongSystem

/// Runs simulated histories, and says which promise one of them breaks.
struct HistoryProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "histories", abstract: "Runs simulated histories of the daemon.",
        discussion: "A debug build with a promise broken on purpose (--fault) shows what the simulation finds.")

    @Option(help: "How many histories to run; 1,000 unless --seed names one.") var seeds: UInt64?
    @Option(help: "The first of them; alone where --seeds is left out.") var seed: UInt64?
    @Option(help: "Steps a history.") var steps = 300
    @Option(help: "A promise to break, as in THRONG_FAULT; may be given more than once.") var fault: [String] = []

    @Flag(help: "Goes on behind a broken promise, and says at the end how often each was broken.") var all = false

    @Flag(help: "Has the daemon write checkpoints; a seed's history is another one then.") var checkpoints = false
    @Flag(help: "Has the daemon stand still again and again; a seed's history is another one then.") var stutters =
        false
    @Flag(help: "Has the daemon stop in order while PostgreSQL is away; a seed's history is another one then.")
    var stops = false
    @Flag(help: "Prints each history's digest.") var digests = false
    @Flag(help: "Prints all that happened in each history.") var trace = false

    func run() throws {
        let faults = Set(
            try fault.map { name in
                guard let fault = Fault(rawValue: name) else { throw ValidationError("no fault is called '\(name)'") }
                return fault
            })
        let simulator = try Simulator()
        let first = seed ?? 1
        let seeds = seeds ?? (seed == nil ? 1000 : 1)
        let started = ContinuousClock.now
        var broken: [Violation.Promise: [UInt64]] = [:]
        for value in first..<(first + seeds) {
            let seed = Seed(value, steps: steps, checkpoints: checkpoints, stutters: stutters, stops: stops)
            let outcome = Simulator.breaking(faults) { simulator.run(seed) }
            if trace {
                for line in Simulator.breaking(faults, { simulator.run(seed.actions, isTraced: true).lines }) {
                    print(line)
                }
            }
            if digests { print("\(value) \(String(outcome.digest, radix: 16))") }
            guard let violation = outcome.violation else { continue }
            if all {
                broken[violation.promise, default: []].append(value)
                continue
            }
            print("seed \(value), \(value - first + 1) tried: \(violation)")
            let shrunken = Simulator.breaking(faults) { simulator.shrink(seed.actions, violation.promise) }
            let again = Simulator.breaking(faults) { simulator.run(shrunken, isTraced: true) }
            for line in again.lines { print("  \(line)") }
            if let violation = again.violation { print("  \(violation)") }
            throw ExitCode.failure
        }
        let length = ContinuousClock.now - started
        print("\(seeds) seeds, \(seeds * UInt64(steps)) steps in \(length)")
        for (promise, found) in broken.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            print("\(promise.rawValue): \(found.count) times, by the seeds \(found.prefix(8))")
        }
        if broken.isEmpty { print("every promise was kept") } else { throw ExitCode.failure }
    }
}
