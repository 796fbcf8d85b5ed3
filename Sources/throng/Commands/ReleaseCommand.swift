import ArgumentParser
import Foundation
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Releases periods that are over; explains numbers.",
        discussion: """
            Without a subcommand it makes what is due. A period is due once it is over and the plan's grace has \
            passed; `throng serve` releases by itself. What was released never changes; events that come later count \
            into the period that is open then.

            EXAMPLES
              throng release --plan plan.yaml --data ./data
              throng release explain visits 2026-11-20 total --plan plan.yaml --data ./data
            """, subcommands: [ReleaseDueCommand.self, ReleaseExplainCommand.self],
        defaultSubcommand: ReleaseDueCommand.self)
}

struct ReleaseDueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "due", abstract: "Releases every period that is due (the default).",
        usage: "throng release due --plan <file> [<options>]",
        discussion: """
            Every number is off on purpose, by noise that is drawn once, and says by how much. It is published where it \
            stands for at least k devices and what was drawn for them is k and its margin or more. Small numbers are \
            withheld because they are small, and none for another's sake.

            Noise is drawn from the secret of --data.

            It waits until every daemon of the database has flushed what it acknowledged up to now: what comes in later is \
            late, and its distinct counts are lost for good. Where one is away, it says so and releases nothing.

            EXAMPLE
              throng release due --plan plan.yaml --data ./data --period 2026-11-20
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @OptionGroup var period: PeriodOption

    @Flag(help: "Releases as soon as a period is over; what comes within the grace counts into a later one.")
    var ignoreGrace = false

    @Option(help: ArgumentHelp("Leaves out what this daemon has not flushed.", valueName: "daemon"))
    var without: [DaemonID] = []

    @Flag(help: "Prints what was released as JSON.") var json = false

    private struct Line: Encodable {
        let app, metric, period: String
        let published, withheld: Int
    }

    private struct Outcome {
        var lines: [Line] = []
        var failures: [String] = []
        /// The releases that are not due yet, a line each.
        var pending: [String] = []
    }

    func run() async throws {
        let plans = try plans.read()
        guard let secret = try ReleaseSecret.find(dataPath: place.dataPath) else {
            throw CommandFailure(
                "Noise is drawn from the daemons' secret, so that the same question always gets the same, and "
                    + "\(place.dataPath) is not there. Name a daemon's data directory with --data.")
        }
        let outcome = try await DatabaseAccess.releases(place) { store in
            if let doubt = try await MachineClock().look(DatabaseClock(store.connection)) {
                throw CommandFailure(doubt.description)
            }
            let now = UnixClock.system.now
            try await PlanFiles.sayWhatIsNotInForce(plans, store.connection)
            try await settle(SettlementStore(store.connection), at: now)
            let scheduler = ReleaseScheduler(store: store, rules: .system, secret: secret)
            var outcome = Outcome()
            for plan in plans {
                let calendar = plan.calendar
                let only = try period.period(of: plan)
                let made = try await scheduler.releaseDue(
                    of: plan, now: now, only: only, ignoringGrace: ignoreGrace,
                    failed: {
                        outcome.failures.append(
                            "\(plan.app.name) \($0.metric) \(calendar.label(of: $0.period)): \($0.error)")
                    })
                outcome.lines += made.map {
                    Line(
                        app: plan.app.name.text, metric: $0.metric.text, period: calendar.label(of: $0.period),
                        published: $0.published, withheld: $0.withheld)
                }
                outcome.pending += try await store.pending(of: plan).filter { only == nil || $0.period == only }
                    .map { Self.line($0, of: plan, calendar, now: now) }
            }
            return outcome
        }
        if json { try Terminal.json(outcome.lines) } else { show(outcome.lines) }
        guard outcome.failures.isEmpty else {
            throw CommandFailure("Not released:\n" + outcome.failures.joined(separator: "\n"))
        }
        if outcome.lines.isEmpty { sayWhatWaits(outcome.pending) }
    }

    /// Waits until PostgreSQL has what daemons acknowledged up to now.
    private func settle(_ store: SettlementStore, at now: UnixSeconds) async throws {
        let barrier = Settlement(store)
        let silent = try await barrier.silent(barrier.ask(at: now), without: Set(without)) { _ in
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
        let due = pending.due <= now ? "waits for releases before it" : "due at \(Terminal.instant(pending.due))"
        return "\(plan.app.name) \(pending.metric) \(calendar.label(of: pending.period)): \(over), \(due)"
    }

    private func sayWhatWaits(_ pending: [String]) {
        guard !pending.isEmpty else {
            let what = period.period ?? "these plans"
            return Terminal.talk("Nothing of \(what) waits: all that was counted there is released, if anything was.")
        }
        let most = 20
        let rest = pending.count > most ? ["and \(pending.count - most) more"] : []
        Terminal.talk(
            "Nothing is due yet. A period is released once it is over and the plan's grace has passed; these wait:\n"
                + (pending.prefix(most) + rest).joined(separator: "\n"))
    }

    private func show(_ lines: [Line]) {
        for line in lines {
            Terminal.data(
                "\(line.app) \(line.metric) \(line.period): \(Terminal.count(line.published, "number")) published, "
                    + "\(Terminal.grouped(line.withheld)) withheld")
        }
    }
}

struct ReleaseExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why a number was withheld: fewer than k devices, near k, or not asked for.",
        usage: "throng release explain <metric> <period> <cell> --plan <file> [<options>]",
        discussion: """
            For operators: it tells small cells from empty ones, which no reader of a release can. The reasons go \
            with the raw counters, a week after the release.

            EXAMPLES
              throng release explain visits 2026-11-20 channel=Email,hour=03 --plan plan.yaml
              throng release explain visits 2026-11-20 total --plan plan.yaml
            """)

    @Argument(help: "A metric of the plan.") var metric: String
    @Argument(help: "A period that was released: 2026-11-20, 2026-W47, 2026-11, 2026-11-20T10:00.") var period: String
    @Argument(help: "The cell: dimension=bucket, separated by commas; or total.") var cell: String
    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @Flag(help: "Prints the explanation as JSON.") var json = false

    func run() async throws {
        let buckets = try Self.buckets(cell)
        guard let plan = try plans.read().first(where: { $0.metric(MetricName(metric)) != nil }) ?? plans.read().first
        else { throw CommandFailure("There is no plan. Name one with --plan.") }
        let found = try PeriodOption.period(period, of: plan)
        try await DatabaseAccess.releases(place) { store in
            let explainer = ReleaseExplainer(store: store)
            let explanation = try await explainer.explain(MetricName(metric), found, buckets, of: plan)
            if json { return try Terminal.json(explanation) }
            let place = "\(explanation.metric) \(explanation.period), \(explanation.cell)"
            Terminal.data("\(place): \(explanation.state.rawValue)\n\(explanation.sentence)")
        }
    }

    private static func buckets(_ cell: String) throws -> [DimensionName: BucketLabel] {
        if cell == "total" { return [:] }
        var buckets: [DimensionName: BucketLabel] = [:]
        for part in cell.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map { String($0).trimmingCharacters(in: .whitespaces) }
            guard sides.count == 2 else {
                throw ValidationError("'\(part)' is no dimension=bucket. Write os=iOS,channel=Email, or total.")
            }
            buckets[DimensionName(sides[0])] = BucketLabel(sides[1])
        }
        return buckets
    }
}
