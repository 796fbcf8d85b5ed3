import ArgumentParser
import ThrongSystem

/// Draws random plans over random people by hundreds of secrets, and looks for numbers that tell more than is promised.
///
/// A trial has 1 to 4 metrics of up to three events, split by lists, groups, bands, kinds of events, a rule under two
/// names and a dimension made of another; purposes with consent, without, and with a refusal by signal; bounds from 1
/// to 10, a sum, a histogram, several k, one to four days, and in some trials an edit of the plan. It leaves out
/// rollups, sampling, frequency and funnels, revealed values, decay, firsts and purposes without identifiers.
struct PlanFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plans", abstract: "Attacks releases of random plans.",
        discussion: "In a debug build --faults noise_off switches the noise off, to see that it is missed.")

    @Option(help: "The time that it takes. Unit: seconds.") var seconds = 60.0
    @Option(help: "The first seed.") var seed: UInt64 = 1
    @Option(help: "The most seeds.") var seeds: UInt64 = .max
    @Option(help: "Draws that are searched, and as many more by which is judged.") var draws = 200
    @Option(help: "Protections to switch off, as in THRONG_FAULT, with commas between.") var faults = ""
    @Flag(help: "Goes on behind a finding.") var all = false
    @Flag(help: "Prints a line a seed.") var trace = false

    func run() throws {
        let off = Set(
            try faults.split(separator: ",").map { name in
                guard let fault = Fault(rawValue: String(name)) else {
                    throw ValidationError("no fault is called '\(name)'")
                }
                return fault
            })
        let started = ContinuousClock.now
        var (tried, numbers, combinations, unreadable): (UInt64, Int, Int, Int) = (0, 0, 0, 0)
        var least = Double.infinity
        var failed: [UInt64] = []
        while tried < seeds, ContinuousClock.now - started < .seconds(seconds) {
            let trial = PlanTrial(seed: seed &+ tried)
            tried += 1
            let outcome: TrialOutcome
            do {
                outcome = try trial.run(draws: draws, without: off)
            } catch {
                unreadable += 1
                if trace { print("seed \(trial.seed): \(error)") }
                continue
            }
            numbers += outcome.numbers
            combinations += outcome.combinations
            least = min(least, outcome.least)
            if trace {
                print("seed \(trial.seed): \(outcome.numbers) numbers, least \(outcome.least)")
            }
            guard !outcome.violations.isEmpty else { continue }
            failed.append(trial.seed)
            print(trial)
            for violation in outcome.violations.prefix(5) { print("  \(violation)") }
            if !all { break }
        }
        print(
            "\(tried) trials in \(ContinuousClock.now - started): \(numbers) numbers, \(combinations) combinations, "
                + "the least deviation \(least) of the promise, \(unreadable) refused, "
                + "\(failed.count) with violations \(failed.prefix(20))"
        )
        if !failed.isEmpty { throw ExitCode.failure }
    }
}
