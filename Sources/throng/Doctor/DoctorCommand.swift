import ArgumentParser
import Foundation
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks whether all is there, and says what to do.",
        discussion: """
            It takes the options of `throng serve`, too, so that a command line can be tried out; starts nothing, and looks at \
            settings, plans, the data directory, PostgreSQL, the clock, uap-core, space, backups, and a daemon that runs here. \
            It ends with 2 where something is wrong.

            --show prints each setting with its value, unit, origin and meaning: options go before the environment, that before \
            the file, that before the default. Passwords are never shown.

            --confirm-clock: what is due by this machine's clock is then released, and what is too old deleted, for good.

            EXAMPLES
              throng doctor --plan plan.yaml --data ./data
              throng doctor --settings --plan plan.yaml
            """)

    // Those of `throng serve --help`.
    @OptionGroup(visibility: .hidden) var serve: ServeOptions

    @Flag(help: "Looks only at the settings, before a restart or a reload.")
    var settings = false

    @Flag(help: "Prints all settings.")
    var show = false

    @Flag(
        help: "Waits a minute at --listen for one request by your proxy, and says what its headers are like.")
    var proxy = false

    @Option(
        help: ArgumentHelp("Says that this machine's clock is right, by today's date, UTC.", valueName: "date"))
    var confirmClock: String?

    @Flag(help: "Prints it as JSON.")
    var json = false

    private struct Document: Encodable {
        let file: String?
        let problems: [String]
        let settings: [SettingLine]
    }

    func validate() throws {
        guard [settings, show, proxy, confirmClock != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Name one of --settings, --show, --proxy and --confirm-clock.")
        }
    }

    func run() async throws {
        if let confirmClock { return try await confirm(confirmClock) }
        let found = try serve.settings()
        if settings || show { return try tell(found) }
        if proxy { return try finish([try ProxyVisit.awaited(at: found)]) }
        try finish(await findings(found))
    }

    private func findings(_ settings: Settings) async -> [DoctorFinding] {
        let machine = DoctorMachine(settings)
        var findings = [machine.program] + Self.settings(settings)
        findings += [machine.directory, machine.rules, machine.space, machine.backups, machine.certificate].compactMap {
            $0
        }
        findings += await DoctorDatabase(serve.place, settings).findings
        findings += await DoctorDaemon(settings).findings
        return findings
    }

    private func finish(_ findings: [DoctorFinding]) throws {
        if json {
            try Terminal.json(findings)
        } else {
            for line in DoctorFinding.lines(findings) { Terminal.data(line) }
        }
        if findings.contains(where: { $0.state == .wrong }) { throw ExitCode(2) }
    }

    // MARK: Settings

    private static func settings(_ settings: Settings) -> [DoctorFinding] {
        let problems = Self.problems(of: settings)
        guard !problems.isEmpty else {
            let place = settings.file.map { ", with \($0.path)" } ?? ""
            return [DoctorFinding("settings", .good, "`throng serve` would take them\(place)")]
        }
        return problems.map {
            DoctorFinding("settings", .wrong, $0, "mend it; `throng doctor --show` has all settings")
        }
    }

    /// Prints the settings, or only what a start would refuse of them.
    private func tell(_ settings: Settings) throws {
        let problems = Self.problems(of: settings)
        if show {
            let lines = Setting.all.map { SettingLine($0, settings) }
            if json {
                try Terminal.json(Document(file: settings.file?.path, problems: problems, settings: lines))
            } else {
                for line in SettingTable(lines, isStyled: Terminal.isStyled).text { Terminal.data(line) }
            }
        }
        guard problems.isEmpty else {
            let count = problems.count == 1 ? "one thing" : "\(problems.count) things"
            Terminal.talk("`throng serve` would refuse \(count):")
            for problem in problems { Terminal.talk("  " + problem.replacing("\n", with: "\n  ")) }
            throw ExitCode(2)
        }
        if !show { Terminal.talk("`throng serve` would take these settings.") }
    }

    /// Returns the problems for which a start would be refused, a line each or more.
    private static func problems(of settings: Settings) -> [String] {
        let (_, problems) = DaemonSettings.daemon(settings)
        var texts = (settings.file?.problems ?? []) + problems.map { "\($0)" }
        texts += DoctorMachine(settings).unreadable
        if let database = settings.value(of: .database), ConnectionSettings.shown(database.text) == nil {
            texts.append(
                """
                \(database.place) takes a PostgreSQL as a URL or keywords, and this is neither, or has a password that is not \
                percent-encoded (@ as %40).
                """)
        }
        return texts
    }

    // MARK: Clock

    private func confirm(_ date: String) async throws {
        let today = PeriodCalendar.utc.date(at: UnixClock.system.now)
        guard CalendarDate(date) == today else {
            throw CommandFailure(
                "By the clock of this machine it is \(today), UTC. If that is wrong, set the clock; if it is right, "
                    + "write it.")
        }
        try await DatabaseAccess.use(serve.place) { settings in
            let store = DatabaseClock(settings)
            defer { store.close() }
            do {
                try await MachineClock().confirm(store)
            } catch let doubt as ClockDoubt {
                throw CommandFailure(doubt.description)
            }
        }
        Terminal.talk("Noted. `throng serve` goes on at its next look at what is due.")
    }
}
