import ArgumentParser
import PlanTrial
import ThrongFaults

/// Releases random plans over random people, attacks what was published, and prints what was found, made smaller.
///
/// A trial has 1 to 4 metrics of up to three events, split by lists, groups, bands, kinds of events, a rule under two names
/// and a dimension made of another; purposes with consent, without, and with a refusal by signal; windows of a day and of an
/// hour; hours and days, days and weeks, or weeks that make up a month; bounds from 1 to 100, sums with clips, histograms,
/// reach, sensitive dimensions and several k; heavy devices and devices that come late; and in every fourth trial an
/// edit of the plan. With `--attested` only devices that prove themselves count for k, some prove nothing, some of these make
/// floods, and some metrics count who proved itself in the period. It leaves out rollups, re-releases, margins, sampling, frequency and funnels, revealed values, decay,
/// impossible combinations, time zones, coverage and firsts; and where a metric has two layouts of one name, the audit.
/// What the audit calls uncounted is left to the truth, which knows how many devices it is of.
@main
struct PlanFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Attacks releases of random plans.",
        discussion: "In a debug build --faults switches protections off, to see that they are missed.")

    @Option(help: "How long. Unit: seconds.") var seconds = 60.0
    @Option(help: "The first seed.") var seed: UInt64 = 1
    @Option(help: "How many seeds at most.") var seeds: UInt64 = .max
    @Option(help: "Protections to switch off, as in THRONG_FAULT, with commas between.") var faults = ""
    @Option(help: "How long the audit of a trial may take; 0 asks the truth only. Unit: seconds.") var audit = 10.0
    @Flag(help: "Only proved devices count for k.") var attested = false
    @Flag(help: "Goes on behind a finding, and makes none smaller.") var all = false
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
        var (tried, published, audited, unreadable): (UInt64, Int, Int, Int) = (0, 0, 0, 0)
        var failed: [UInt64] = []
        while tried < seeds, ContinuousClock.now - started < .seconds(seconds) {
            let trial = PlanTrial(seed: seed &+ tried, areProved: attested)
            tried += 1
            let outcome: TrialOutcome
            do {
                outcome = try trial.run(without: off, auditSeconds: audit)
            } catch {
                unreadable += 1
                if trace { print("seed \(trial.seed): \(error)") }
                continue
            }
            published += outcome.numbers
            audited += outcome.isAudited ? 1 : 0
            if trace { print("seed \(trial.seed): \(outcome.numbers) numbers, at \(ContinuousClock.now - started)") }
            guard !outcome.violations.isEmpty else { continue }
            failed.append(trial.seed)
            print("seed \(trial.seed): \(outcome.violations.count) violations, such as\n  \(outcome.violations[0])")
            if all { continue }
            let small = trial.shrunk(without: off, auditSeconds: audit)
            print(small)
            for violation in try small.run(without: off, auditSeconds: audit).violations { print("  \(violation)") }
            break
        }
        print(
            "\(tried) trials in \(ContinuousClock.now - started): \(published) published numbers, \(audited) audited, "
                + "\(unreadable) not releasable, \(failed.count) with violations \(failed.prefix(20))")
        if !failed.isEmpty { throw ExitCode.failure }
    }
}
