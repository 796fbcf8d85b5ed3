import ArgumentParser
import Foundation
import Synchronization
import ThrongChance
import ThrongInsight
import ThrongPlan
import ThrongRelease
import ThrongSchedule
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

            It waits until every daemon of the database has flushed what it acknowledged up to now: what comes in later is \
            late, and its distinct counts are lost for good. Where one is away, it says so and releases nothing.
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @OptionGroup var period: PeriodOption

    @Flag(help: "Releases as soon as a period is over; what comes within the grace counts into a later one.")
    var ignoreGrace = false

    @Option(
        name: .customLong("without"),
        help: ArgumentHelp(
            "Does not wait for this daemon: what it has acknowledged and not flushed is left out.", valueName: "daemon")
    )
    var without: [String] = []

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
        /// What the verification did not look at a second time.
        let unexamined: ReleaseDecision.Unexamined
        /// How often the verification refused what was decided; then finer splits were left out.
        let refusals: Int
        let seconds: Double
        /// Of numbers that stand for k devices, by how many dimensions they are split by; for operators only.
        let levels: [ReleaseDecision.Level]
    }

    private struct Outcome {
        var lines: [Line] = []
        var failures: [String] = []
        /// What is not due yet, a line each.
        var pending: [String] = []
    }

    func run() async throws {
        let plans = try plans.read()
        let excused = try Set(
            without.map { text in
                guard let daemon = DaemonID(text) else {
                    throw ValidationError("'\(text)' is no daemon: write its name as the message about it has it.")
                }
                return daemon
            })
        let bar = ReleaseBar()
        let secret = try ReleaseSecret.find(dataPath: place.dataPath)
        if secret == nil {
            Terminal.talk(
                "warning: \(place.dataPath) is not there, and \(Setting.releaseSecret.variable) names no secret: releases "
                    + "that are made again after a restore may withhold other numbers")
        }
        let proof = ReleaseScheduler.ProofOptions(
            isStrict: strict, proofSeconds: seconds, ties: secret ?? TieSecret()
        ) { metric, _, progress in
            bar.show(metric, progress)
        }
        let outcome = try await DatabaseAccess.use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            if let doubt = try await MachineClock().look(DatabaseClock(store.connection)) {
                throw CommandFailure(doubt.description)
            }
            let now = UnixClock.system.now
            try await PlanFiles.sayWhatIsNotInForce(plans, store.connection)
            try await settle(SettlementStore(store.connection), at: now, without: excused)
            let scheduler = ReleaseScheduler(store: store, rules: .system, proof: proof)
            var outcome = Outcome()
            for plan in plans {
                let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
                let made = try await scheduler.releaseDue(
                    of: plan, now: now, only: try period.period(of: plan), ignoringGrace: ignoreGrace,
                    failed: {
                        outcome.failures.append(
                            "\(plan.app.name) \($0.metric) \(calendar.label(of: $0.period)): \($0.error)")
                    })
                outcome.lines += made.map {
                    Line(
                        app: plan.app.name.text,
                        metric: $0.metric.text,
                        period: calendar.label(of: $0.period),
                        published: $0.published,
                        withheld: $0.withheld,
                        sensitive: $0.summary?.sensitive ?? 0,
                        complementary: $0.summary?.complementary ?? 0,
                        proved: $0.summary?.proved ?? 0,
                        unexamined: $0.summary?.unexamined ?? .init(),
                        refusals: $0.summary?.refusals ?? 0,
                        seconds: $0.summary?.seconds ?? 0,
                        levels: $0.summary?.levels ?? [])
                }
                let only = try period.period(of: plan)
                outcome.pending += try await store.pending(of: plan).filter { only == nil || $0.period == only }
                    .map { Self.line($0, of: plan, calendar, now: now) }
            }
            return outcome
        }
        bar.clear()
        if json { try Terminal.json(outcome.lines) } else { show(outcome.lines) }
        guard outcome.failures.isEmpty else {
            throw CommandFailure("Not released:\n" + outcome.failures.joined(separator: "\n"))
        }
        if outcome.lines.isEmpty { sayWhatWaits(outcome.pending) }
    }

    /// Waits until PostgreSQL has what daemons acknowledged up to now.
    private func settle(_ store: SettlementStore, at now: UnixSeconds, without excused: Set<DaemonID>) async throws {
        let barrier = Settlement(store)
        let silent = try await barrier.silent(barrier.ask(at: now), without: excused) { _ in
            Terminal.talk("Waiting until PostgreSQL has all that daemons acknowledged.")
        }
        guard !silent.isEmpty else { return }
        let names = silent.map {
            "\($0.daemon), of which nothing was heard for \(Wording.english.roughly(seconds: $0.unheard))"
        }
        throw CommandFailure(
            """
            Nothing was released: PostgreSQL may lack what these daemons acknowledged, and distinct counts that come later \
            are lost for good:
            \(names.joined(separator: "\n"))
            Start them, or see why they can't flush, and try again. To go on without one, and without what it holds: \
            --without \(silent[0].daemon)
            """)
    }

    private static func line(
        _ pending: PendingRelease, of plan: Plan, _ calendar: PeriodCalendar, now: UnixSeconds
    ) -> String {
        let over = pending.period.end <= now ? "is over" : "is over at \(Terminal.instant(pending.period.end))"
        return "\(plan.app.name) \(pending.metric) \(calendar.label(of: pending.period)): \(over), due at "
            + "\(Terminal.instant(pending.due))"
    }

    private func sayWhatWaits(_ pending: [String]) {
        guard !pending.isEmpty else {
            return Terminal.talk("Nothing is due, and no period waits: nothing of these plans was counted yet.")
        }
        let most = 20
        let rest = pending.count > most ? ["and \(pending.count - most) more"] : []
        Terminal.talk(
            "Nothing is due yet. A period is released once it is over and the plan's grace has passed; these wait:\n"
                + (pending.prefix(most) + rest).joined(separator: "\n"))
    }

    /// "; of what could be published 98 % of numbers, with 99 % of their events": of those that stand for k devices, so that
    /// small and empty ones do not count.
    private static func shares(_ levels: [ReleaseDecision.Level]) -> String {
        let publishable = levels.reduce(0) { $0 + $1.publishable }
        let events = levels.reduce(0.0) { $0 + Double($1.publishableEvents) }
        guard publishable > 0, events > 0 else { return "" }
        let published = levels.reduce(0) { $0 + $1.published }
        let held = levels.reduce(0.0) { $0 + Double($1.publishedEvents) }
        func percent(_ part: Double) -> String { String(format: "%.1f %%", (part * 1000).rounded(.down) / 10) }
        return "; of the publishable \(percent(Double(published) / Double(publishable))), with "
            + "\(percent(held / events)) of their events"
    }

    private func show(_ lines: [Line]) {
        for line in lines {
            Terminal.data(
                "\(line.app) \(line.metric) \(line.period): \(Terminal.count(line.published, "number")) published, "
                    + "\(Terminal.grouped(line.withheld)) withheld, \(Terminal.grouped(line.complementary)) of them "
                    + "for another's sake" + Self.shares(line.levels))
            if line.refusals > 0 {
                Terminal.talk(
                    "\(line.app) \(line.metric) \(line.period): finer splits are left out, because the verification refused "
                        + "what had been chosen of them. Please report this.")
            }
            if !line.unexamined.isEmpty {
                Terminal.talk(
                    "\(line.app) \(line.metric) \(line.period): not verified a second time: what "
                        + "\(Terminal.count(line.unexamined.numbers, "number")) tell with others, unions in "
                        + "\(Terminal.count(line.unexamined.parts, "part")), and "
                        + "\(Terminal.count(line.unexamined.bounds, "bound")) by bands")
            }
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
