import ArgumentParser
import Foundation
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks whether all is there, and says what to do.",
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
    @Flag(help: "Looks only at the settings, before a restart or a reload.") var settings = false
    @Flag(help: "Prints all settings.") var show = false

    @Flag(help: "Waits a minute at --listen for one request by your proxy, and says what its headers are like.")
    var proxy = false

    @Option(help: ArgumentHelp("Says that this machine's clock is right, by today's date, UTC.", valueName: "date"))
    var confirmClock: String?

    @Flag(help: "Prints it as JSON.") var json = false

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
        let machine = DoctorMachine(settings: settings)
        let files = [machine.directory, machine.rules, machine.space, machine.backups, machine.certificate]
        return await [machine.program] + Self.settings(settings) + files.compactMap(\.self)
            + DoctorDatabase(settings: settings).findings + DoctorDaemon(settings: settings).findings
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
        texts += DoctorMachine(settings: settings).unreadable
        if let database = settings.value(of: .database), ConnectionSettings.shown(database.text) == nil {
            texts.append(
                "\(database.place) takes a PostgreSQL as a URL or keywords, and this is neither, "
                    + "or has a password that is not percent-encoded (@ as %40).")
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
            do { try await MachineClock().confirm(store) } catch let doubt as ClockDoubt {
                throw CommandFailure(doubt.description)
            }
        }
        Terminal.talk("Noted. `throng serve` goes on at its next look at what is due.")
    }
}

/// One thing that `throng doctor` looked at.
struct DoctorFinding: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        case good
        /// It works, and somebody should look at it.
        case look
        /// It keeps the daemon from its work, or will.
        case wrong
    }

    let subject: String
    let state: State
    let found: String
    /// The thing to do; nil where nothing is.
    let cure: String?

    init(_ subject: String, _ state: State, _ found: String, _ cure: String? = nil) {
        (self.subject, self.state, self.found, self.cure) = (subject, state, found, cure)
    }

    /// Lines for people: the state, the subject, what was found, and on a line of its own what to do.
    static func lines(_ findings: [DoctorFinding]) -> [String] {
        let width = findings.map(\.subject.count).max() ?? 0
        return findings.flatMap { finding -> [String] in
            let margin = String(repeating: " ", count: width + 9)
            let found = finding.found.replacing("\n", with: "\n" + margin)
            let head = finding.state.rawValue.padded(to: 5) + "  " + finding.subject.padded(to: width) + "  " + found
            return [head] + (finding.cure.map { ["\(margin)→ \($0)"] } ?? [])
        }
    }
}

struct SettingLine: Encodable {
    let key, variable: String
    let option: String?
    /// Nil where nobody says anything, and for what can't be shown.
    let value: String?
    let `default`: String
    let unit: String?
    /// `option`, `environment`, `file` or `default`.
    let origin: String
    /// The option's or variable's name, or the file and its line.
    let place: String?
    /// True if a change takes a restart, and no reload.
    let restart: Bool
    let heading, meaning: String

    init(_ setting: Setting, _ settings: Settings) {
        let found = settings.value(of: setting)
        key = setting.key
        variable = setting.variable
        option = setting.option
        `default` = setting.standard
        unit = setting.unit
        restart = !setting.isReloaded
        heading = setting.heading
        meaning = setting.meaning
        if case .connection = setting.kind {
            value = found.map {
                ConnectionSettings.shown($0.text)
                    ?? "not shown: no URL and no keywords, or a password that is not percent-encoded"
            }
        } else {
            value = found.map { AddressText.shown($0.text) }
        }
        switch found?.origin {
        case .option(let name): (origin, place) = ("option", name)
        case .environment(let name): (origin, place) = ("environment", name)
        case .file(let path, let line, _): (origin, place) = ("file", "\(path):\(line)")
        case nil: (origin, place) = ("default", nil)
        }
    }

    /// The value, or the default, with its unit; bytes also as people read them.
    var shown: String {
        let text = value ?? `default`
        guard let unit else { return text }
        guard unit == "bytes", let bytes = Int(text), bytes >= 1 << 10 else {
            return text == "1" && unit == "seconds" ? "1 second" : "\(text) \(unit)"
        }
        let (size, name) =
            [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
            .first { bytes % $0.0 == 0 } ?? (1, "")
        return size == 1 ? "\(text) bytes" : "\(text) bytes (\(bytes / size) \(name))"
    }
}

struct SettingTable {
    let text: [String]

    /// - Parameter isStyled: whether what is not the default is written boldly, and the rest faintly.
    init(_ lines: [SettingLine], isStyled: Bool) {
        // A few long values need not push all origins out of sight.
        let values = min(47, lines.map(\.shown.count).max() ?? 0)
        let keys = (lines.map(\.key.count).max() ?? 0) + 1
        var text: [String] = []
        var heading = ""
        for line in lines {
            if line.heading != heading {
                if !heading.isEmpty { text.append("") }
                heading = line.heading
                text.append(isStyled ? "\u{1B}[1m\(heading)\u{1B}[0m" : heading)
            }
            let isDefault = line.origin == "default"
            let key = (line.key + (line.restart ? "" : "*")).padded(to: keys)
            let row = "  \(key)  \(line.shown.padded(to: values))  \(line.place ?? "default")"
            text.append(isStyled ? "\u{1B}[\(isDefault ? 2 : 1)m\(row)\u{1B}[0m" : row)
            text.append("      \(line.meaning)")
        }
        self.text =
            text + [
                "", "* read anew by SIGHUP; everything else takes a restart",
                "The variable of intake.idle-seconds is THRONG_INTAKE_IDLE_SECONDS, and so with all.",
            ]
    }
}
