import ArgumentParser
import Foundation
import Synchronization
import ThrongPlan
import ThrongRelease
import ThrongServer
import ThrongStore

struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Releases periods that are over, once, for good; explains what was withheld.",
        discussion: """
            Without a subcommand it makes what is due. A period is due once it is over and the plan's grace has \
            passed; `throng serve` releases by itself. What was released never changes; events that come later count \
            into the period that is open then.
            """,
        subcommands: [ReleaseDueCommand.self, ReleaseExplainCommand.self],
        defaultSubcommand: ReleaseDueCommand.self)
}

struct ReleaseDueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "due",
        abstract: "Releases every period that is due (the default).",
        discussion: """
            A number is published where it stands for at least k devices and where nobody can use it, together with \
            everything else that was ever published, to compute a smaller group or to prove one to be small. What \
            can't be proved safe in time is withheld with its surroundings, or, with --strict, the whole release is \
            refused.
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @OptionGroup var period: PeriodOption

    @Flag(help: "Releases as soon as a period is over; what comes within the grace counts into a later one.")
    var ignoreGrace = false

    @Flag(help: "Refuses a release of which not every withheld cell could be proved safe in time.")
    var strict = false

    @Option(help: ArgumentHelp("How long proofs of one release are looked for.", valueName: "seconds"))
    var seconds = 60.0

    @Flag(help: "Prints what was released as JSON.")
    var json = false

    private struct Line: Encodable {
        let app: String
        let metric: String
        let period: String
        let published: Int
        let withheld: Int
        let sensitive: Int
        let complementary: Int
        let proved: Int
        let seconds: Double
        let missing: String?
    }

    func run() async throws {
        let plans = try plans.read()
        let bar = ReleaseBar()
        let manner = ReleaseDesk.Manner(isStrict: strict, proofSeconds: seconds) { metric, _, progress in
            bar.show(metric, progress)
        }
        let (lines, failures) = try await DatabaseAccess.use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            let desk = ReleaseDesk(store: store, rules: .system, manner: manner)
            var lines: [Line] = []
            var failures: [String] = []
            for plan in plans {
                let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
                let made = try await desk.releaseDue(
                    of: plan, now: UnixClock.system.now, only: try period.period(of: plan), ignoringGrace: ignoreGrace,
                    failed: {
                        failures.append("\(plan.app.name) \($0.metric) \(calendar.label(of: $0.period)): \($0.error)")
                    })
                lines += made.map {
                    Line(
                        app: plan.app.name.text,
                        metric: $0.metric.text,
                        period: calendar.label(of: $0.period),
                        published: $0.published,
                        withheld: $0.withheld,
                        sensitive: $0.summary?.sensitive ?? 0,
                        complementary: $0.summary?.complementary ?? 0,
                        proved: $0.summary?.proved ?? 0,
                        seconds: $0.summary?.seconds ?? 0,
                        missing: $0.gap?.description)
                }
            }
            return (lines, failures)
        }
        bar.clear()
        if json { try Terminal.json(lines) } else { show(lines, isAll: failures.isEmpty) }
        guard failures.isEmpty else {
            throw CommandFailure("Not released, and still due:\n" + failures.joined(separator: "\n"))
        }
    }

    private func show(_ lines: [Line], isAll: Bool) {
        if lines.isEmpty, isAll {
            return Terminal.talk("Nothing is due: no period that is over has unreleased counters.")
        }
        for line in lines {
            if let missing = line.missing {
                Terminal.talk("\(line.app) \(line.metric) \(line.period): not released: \(missing)")
                continue
            }
            Terminal.data(
                "\(line.app) \(line.metric) \(line.period): \(Terminal.grouped(line.published)) numbers published, "
                    + "\(Terminal.grouped(line.withheld)) withheld, \(Terminal.grouped(line.complementary)) of them "
                    + "for another's sake")
        }
    }
}

/// One line on standard error that says how far the proofs of a release are; appears after two seconds.
private final class ReleaseBar: Sendable {
    private let started = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isDrawn = Mutex(false)

    func show(_ metric: MetricName, _ progress: ReleaseProgress) {
        guard isTerminal, ContinuousClock.now - started > .seconds(2) else { return }
        isDrawn.withLock { $0 = true }
        let counts = "\(Terminal.grouped(progress.proved)) of \(Terminal.grouped(progress.needed))"
        Terminal.talk("\r\u{1b}[K\(metric)  \(counts) proofs", newline: false)
    }

    func clear() {
        if isDrawn.withLock({ $0 }) { Terminal.talk("\r\u{1b}[K", newline: false) }
    }
}
