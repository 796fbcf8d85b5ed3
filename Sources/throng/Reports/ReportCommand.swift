import ArgumentParser
import Crypto
import Foundation
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Makes partners' reports, and says how they stand.",
        discussion: "EXAMPLES\n  throng report --plan plan.yaml --data ./data\n  throng report show --data ./data",
        subcommands: [ReportMakeCommand.self, ReportShowCommand.self, ReportSendCommand.self],
        defaultSubcommand: ReportMakeCommand.self)
}

struct ReportSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Lets a run's deliveries be tried again: those that were given up, and folders.",
        discussion: """
            The files are the ones that were made, the idempotency keys those of the first tries. What arrived over HTTPS is \
            not sent again. `throng serve` does it at its next look at what is due.

            EXAMPLE
              throng report send weekly_shop-2026-W47 --data ./data
            """)

    @Argument(help: "What `throng report show` begins its lines with, such as weekly_shop-2026-W47.") var id: String
    @OptionGroup var place: Place

    func run() async throws {
        try await DatabaseAccess.connect(place, Connection.reporting) { connection in
            let run = try await ReportRecord.find(id, in: RunStore(connection))
            try await DeliveryStore(connection).reopenDeliveries(of: run.name, now: UnixClock.system.now)
        }
        Terminal.talk("`throng serve` delivers \(id) at its next look at what is due.")
    }
}

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Lists the runs of reports, or shows all that is on record of one.",
        usage: "throng report show [<id>] [<options>]",
        discussion: """
            Without a run it lists all: partner, report, period, how each stands, and its deliveries. running: it is being made. \
            made: deliveries are under way. delivered: it arrived everywhere. undelivered: a delivery was given up, and `throng \
            report send` tries it again. failed: it could not be made, and is tried again up to five times.

            Of one run it shows the files with their SHA-256, the manifest, deliveries and errors. The files are kept as they \
            were made, until the first number in them may be kept no longer. The totals of the app's events are exact, and for \
            operators only.

            EXAMPLE
              throng report show weekly_shop-2026-W47 --data ./data --out ./again
            """)

    @Argument(help: "What the list begins a line with, such as weekly_shop-2026-W47.") var id: String?
    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("Lists only this app's.", valueName: "name")) var app: String?
    @Option(help: ArgumentHelp("Lists only this partner's.", valueName: "name")) var partner: String?

    @Option(help: ArgumentHelp("A folder that gets the files once more, as they were made.", valueName: "dir"))
    var out: String?

    @Flag(help: "Prints it as JSON.") var json = false

    private struct Shown: Encodable {
        let run: ReportRecord
        let files: [FileLine]
        /// The counts by what became of events. Unit: events.
        let coverage: [String: Int64]
        let manifest: String?

        struct FileLine: Encodable {
            let name: String
            let size: Int
            let sha256: String
        }
    }

    func validate() throws {
        guard id == nil || (app == nil && partner == nil) else {
            throw ValidationError("--app and --partner are for the list; leave them out beside a run.")
        }
        guard id != nil || out == nil else { throw ValidationError("--out takes the files of one run: name it.") }
    }

    func run() async throws {
        guard let id else { return try await list() }
        let (shown, files) = try await DatabaseAccess.connect(place, Connection.reporting) { connection in
            let kept = DeliveryStore(connection)
            let run = try await ReportRecord.find(id, in: RunStore(connection))
            let files = try await kept.files(of: run.name).filter { !$0.name.hasSuffix(ReportFile.letterEnding) }
            let deliveries = try await kept.deliveries(of: run.name)
            let manifest = files.first { $0.name.hasSuffix(".manifest.json") }
            return (
                Shown(
                    run: ReportRecord(run, deliveries),
                    files: files.map {
                        .init(name: $0.name, size: $0.contents.count, sha256: SHA256.hash(data: $0.contents).lowerHex)
                    },
                    coverage: try await CoverageStore(connection).totals(app: run.app, period: run.period),
                    manifest: manifest.map { String(decoding: $0.contents, as: UTF8.self) }),
                files
            )
        }
        if let out {
            let kept = ReportFiles(files.map { ReportFile(name: $0.name, bytes: $0.contents) })
            for path in try ReportFolder(path: out).deliver(kept) { Terminal.talk("wrote \(path.printable)") }
        }
        if json { return try Terminal.json(shown) }
        Terminal.data(Self.text(shown))
    }

    private static func text(_ shown: Shown) -> String {
        let run = shown.run
        var parts = [
            Terminal.table([
                ("report", run.id), ("app", run.app), ("partner", run.partner), ("period", run.period),
                ("outcome", run.outcome + (run.detail.map { ": \($0.printable)" } ?? "")), ("tries", "\(run.tries)"),
                ("began", run.startedAt), ("ended", run.finishedAt ?? "not yet"),
            ])
        ]
        if !shown.files.isEmpty {
            parts.append(
                "Files\n"
                    + shown.files.map { "  \($0.sha256)  \(Terminal.grouped($0.size)) bytes  \($0.name)" }
                    .joined(separator: "\n"))
        }
        for delivery in run.deliveries {
            var rows = [
                ("state", delivery.state), ("tries", "\(delivery.tries)"), ("files arrived", "\(delivery.files)"),
                ("idempotency key", delivery.idempotencyKey),
            ]
            if let next = delivery.nextTryAt { rows.append(("next try", next)) }
            if let ended = delivery.finishedAt { rows.append(("ended", ended)) }
            if let error = delivery.lastError { rows.append(("last error", error.printable)) }
            parts.append("Delivery to \(delivery.target.printable)\n" + Terminal.table(rows))
        }
        if !shown.coverage.isEmpty {
            let rows = shown.coverage.sorted { $0.key < $1.key }.map { ($0.key, Terminal.grouped(Int($0.value))) }
            let title = "Events of the app in the period, and windows by their largest network"
            parts.append(title + "\n" + Terminal.table(rows))
        }
        if let manifest = shown.manifest { parts.append("Manifest\n" + manifest.trimmingCharacters(in: .newlines)) }
        return parts.joined(separator: "\n\n")
    }

    func list() async throws {
        let records = try await DatabaseAccess.connect(place, Connection.reporting) { connection in
            let deliveries = DeliveryStore(connection)
            var records: [ReportRecord] = []
            for run in try await RunStore(connection).runs(app: app.map { AppName($0) })
            where partner == nil || run.partner.text == partner {
                records.append(ReportRecord(run, try await deliveries.deliveries(of: run.name)))
            }
            return records
        }
        if json { return try Terminal.json(records) }
        if records.isEmpty { return Terminal.talk("No report is on record.") }
        for record in records {
            let sent = record.deliveries.count { $0.state == "sent" }
            let deliveries = record.deliveries.isEmpty ? "" : "  \(sent) of \(record.deliveries.count) deliveries"
            Terminal.data(
                "\(record.id)  \(record.app)  \(record.partner)  \(record.outcome)  "
                    + "\(record.finishedAt ?? record.startedAt)\(deliveries)")
        }
    }
}

struct ReportRecord: Encodable {
    let id, app, report, partner, period, outcome: String
    let tries: Int
    let startedAt: String
    let finishedAt, detail: String?
    let deliveries: [DeliveryLine]

    struct DeliveryLine: Encodable {
        let target, state: String
        let tries, files: Int
        let nextTryAt, finishedAt, lastError: String?
        let idempotencyKey: String
    }

    init(_ run: ReportRun, _ deliveries: [ReportDelivery]) {
        id = Self.id(of: run)
        app = run.app.text
        report = run.report.text
        partner = run.partner.text
        period = run.label ?? Terminal.instant(run.period.start)
        outcome = run.outcome.rawValue
        tries = run.attempt
        startedAt = Terminal.instant(run.startedAt)
        finishedAt = run.finishedAt.map(Terminal.instant)
        detail = run.detail
        self.deliveries = deliveries.map {
            DeliveryLine(
                target: $0.target, state: $0.state.rawValue, tries: $0.attempts, files: $0.files,
                nextTryAt: $0.state == .pending ? Terminal.instant($0.nextAt) : nil,
                finishedAt: $0.finishedAt.map(Terminal.instant), lastError: $0.lastError,
                idempotencyKey: $0.idempotencyKey.lowerHex)
        }
    }

    /// Returns the name of a run in commands: its files' name without the ending.
    static func id(of run: ReportRun) -> String {
        ReportFile.stem(report: run.report.text, period: run.label ?? Terminal.instant(run.period.start))
    }

    /// The only run that a text names: `REPORT-PERIOD`, with several apps `APP/REPORT-PERIOD`.
    static func find(_ text: String, in store: RunStore) async throws -> ReportRun {
        let runs = try await store.runs().filter { id(of: $0) == text || "\($0.app)/\(id(of: $0))" == text }
        guard let run = runs.first else {
            throw CommandFailure("There is no run '\(text)'; `throng report show` lists them.")
        }
        guard runs.count == 1 else {
            let names = runs.map { "\($0.app)/\(id(of: $0))" }.joined(separator: ", ")
            throw CommandFailure("'\(text)' may be any of \(names). Write one of these.")
        }
        return run
    }
}

struct ReportMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Makes reports and delivers them (the default).",
        usage: "throng report make --plan <file> [<options>]",
        discussion: """
            Without --period it takes each report's last complete period. A report is made once a period: where it was made \
            already, what was kept is delivered where it has not arrived yet, and into folders again. With --out the files \
            are made anew and go into that folder alone, and nothing goes on record.

            Relative paths are under the data directory. Paths and addresses of the files go to standard output.

            EXAMPLE
              throng report make --plan plan.yaml --data ./data --period 2026-11-20 --out ./look
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @OptionGroup var period: PeriodOption
    @Option(help: ArgumentHelp("Only this partner's reports.", valueName: "name")) var partner: String?

    @Option(help: ArgumentHelp("A folder for the files, instead of the plan's deliveries.", valueName: "dir"))
    var out: String?

    @Flag(help: "Prints the paths as JSON.") var json = false

    func run() async throws {
        // A report of made-up numbers says so, whoever makes it.
        let isMadeUp = MadeUpMark.isThere(in: place.dataPath)
        let plans = try plans.read().map { isMadeUp ? $0.forMadeUpCrowd() : $0 }
        let settings = try Settings.ofMachine()
        try DaemonSettings.check(settings)
        var reports = ReportSettings(dataPath: place.dataPath)
        try ReportVariables.apply(to: &reports, plans: out == nil ? plans : [], settings: settings)
        let paths = try await DatabaseAccess.releases(place) { [reports] store in
            try await PlanFiles.sayWhatIsNotInForce(plans, store.connection)
            let scheduler = ReportScheduler(
                store: store, rules: .system, folder: place.dataPath,
                signing: reports.signing, delivery: reports.delivery, printer: reports.printer)
            var paths: [String] = []
            for plan in plans { paths += try await deliver(plan, scheduler) }
            return paths
        }
        if json { return try Terminal.json(paths) }
        for path in paths { Terminal.data(path) }
    }

    private func deliver(_ plan: Plan, _ scheduler: ReportScheduler) async throws -> [String] {
        let reports = plan.reports.filter { partner == nil || $0.partner.text == partner }
        if reports.isEmpty, let partner {
            let known = plan.partners.map(\.name.text).joined(separator: ", ")
            throw CommandFailure("No report of \(plan.app.name) goes to '\(partner)'; its partners are \(known).")
        }
        let (calendar, now) = (plan.calendar, UnixClock.system.now)
        var paths: [String] = []
        for report in reports {
            let current = calendar.period(report.period, containing: now)
            let chosen = try period.period(of: plan) ?? calendar.period(report.period, containing: current.start - 1)
            guard chosen.kind == report.period else {
                Terminal.talk(
                    "\(report.name) covers a \(report.period.rawValue); \(calendar.label(of: chosen)) is a "
                        + "\(chosen.kind.rawValue). Left out.")
                continue
            }
            func lacking(_ error: PrintLack) { Terminal.talk("\(report.name): \(error)") }
            paths += try await scheduler.writeOrDeliver(
                report, plan: plan, period: chosen, now: now, to: out, lacking: lacking)
        }
        return paths
    }
}

extension ReportScheduler {
    /// Writes a report's files into a folder; delivers them as the plan says where none is named.
    func writeOrDeliver(
        _ report: Report, plan: Plan, period: Period, now: UnixSeconds, to out: String?, lacking: (PrintLack) -> Void
    ) async throws -> [String] {
        guard let out else { return try await deliver(report, plan: plan, period: period, now: now, lacking: lacking) }
        return try await write(report, plan: plan, period: period, now: now, to: out, lacking: lacking)
    }
}
