import ArgumentParser
import Foundation
import ThrongPlan
import ThrongStore
import ThrongSystem

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Says how `throng serve` is set, by whom, and what it would refuse.",
        discussion: """
            It takes the options of `throng serve`, so that a command line can be tried out. An option goes before the \
            environment, that before the file (--config, else \(SettingsFile.variable), else \(SettingsFile.standardPath) \
            if it is there), and that before the default. Nothing is started, and nothing is written.

            It prints every setting with its value, its unit and where it comes from. Passwords are never shown, paths of \
            secrets are. What is not the default stands out on a terminal. SIGHUP reads anew what is marked with *; everything \
            else takes a restart.

            EXIT CODES
              0   `throng serve` would take it all
              2   it would refuse something; standard error says what
              64  the command line is wrong, or the file can't be read
            """)

    @OptionGroup var serve: ServeOptions

    @Flag(help: "Says only what would be refused: before a restart or a reload.")
    var check = false

    @Flag(help: "Prints it as JSON.")
    var json = false

    private struct Document: Encodable {
        let file: String?
        let problems: [String]
        let settings: [SettingLine]
    }

    func run() async throws {
        let settings = try serve.settings()
        let problems = Self.problems(of: settings)
        if !check {
            let lines = Setting.all.map { SettingLine($0, settings) }
            if json {
                try Terminal.json(Document(file: settings.file?.path, problems: problems, settings: lines))
            } else {
                for line in SettingTable(lines, isStyled: Terminal.isStyled).text { Terminal.data(line) }
            }
        }
        try Self.tell(problems, file: settings.file)
        if check { Terminal.talk("`throng serve` would take these settings.") }
    }

    /// Returns the problems for which a start would be refused, a line each or more.
    private static func problems(of settings: Settings) -> [String] {
        let (_, problems) = DaemonSettings.daemon(settings)
        var texts = (settings.file?.problems ?? []) + problems.map { "\($0)" }
        if let database = settings.value(of: .database), ConnectionSettings.shown(database.text) == nil {
            texts.append(
                "\(database.place) takes a PostgreSQL as a URL or keywords, and this is neither, or has a password that is not percent-encoded (@ as %40)."
            )
        }
        return texts
    }

    private static func tell(_ problems: [String], file: SettingsFile?) throws {
        guard !problems.isEmpty else { return }
        let count = problems.count == 1 ? "one thing" : "\(problems.count) things"
        Terminal.talk("`throng serve` would refuse \(count):")
        for problem in problems { Terminal.talk("  " + problem.replacing("\n", with: "\n  ")) }
        throw ExitCode(2)
    }
}

/// A setting as it stands.
struct SettingLine: Encodable {
    let key: String
    let variable: String
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
    let heading: String

    init(_ setting: Setting, _ settings: Settings) {
        let found = settings.value(of: setting)
        key = setting.key
        variable = setting.variable
        option = setting.option
        `default` = setting.standard
        unit = setting.unit
        restart = !setting.isReloaded
        heading = setting.heading
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

/// Settings under their headings, in columns.
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
            let key = Self.padded(line.key + (line.restart ? "" : "*"), keys)
            let row = "  \(key)  \(Self.padded(line.shown, values))  \(line.place ?? "default")"
            text.append(isStyled ? "\u{1B}[\(isDefault ? 2 : 1)m\(row)\u{1B}[0m" : row)
        }
        self.text = text + ["", "* read anew by SIGHUP; everything else takes a restart"]
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
