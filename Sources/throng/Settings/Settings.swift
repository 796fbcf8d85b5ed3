import ArgumentParser
import Foundation
import Logging
import ThrongPlan
import ThrongServer
import ThrongSystem
import Yams

/// All that is set for `throng serve`, and by whom: options first, then the environment, then a file; what nobody says
/// has its default.
struct Settings: Sendable {
    let environment: [String: String]
    let file: SettingsFile?
    /// The words of the command line, by key.
    private let options: [String: [String]]

    /// Other commands', which one environment may hold beside these.
    private static let others: Set = ["THRONG_SUPPRESS_SECRET", SettingsFile.variable]

    init(options: [String: [String]] = [:], environment: [String: String], file: SettingsFile? = nil) {
        (self.options, self.environment, self.file) = (options, environment, file)
    }

    /// Returns the settings for commands beside the daemon: from the environment, and from the file that it names or
    /// the machine has.
    ///
    /// - Throws: `ValidationError` for a file that can't be read, or says what it may not.
    static func ofMachine() throws -> Settings {
        let environment = ProcessInfo.processInfo.environment
        let file = try SettingsFile.find(nil, environment: environment)
        if let problems = file?.problems, !problems.isEmpty { throw ValidationError(problems.joined(separator: "\n")) }
        return Settings(environment: environment, file: file)
    }

    /// Returns the value of a setting; nil where nobody says.
    func value(of setting: Setting) -> SettingValue? {
        let isList = if case .paths = setting.kind { true } else { false }
        func value(_ texts: [String], _ origin: SettingValue.Origin) -> SettingValue {
            SettingValue(texts: isList ? texts : [texts.joined(separator: " ")], origin: origin)
        }
        if let texts = options[setting.key] { return value(texts, .option(setting.option ?? setting.key)) }
        if let text = environment[setting.variable] {
            let texts = text.split(separator: ":", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return value(isList ? texts : [text], .environment(setting.variable))
        }
        guard let file, let entry = file.entries[setting.key] else { return nil }
        return value(entry.texts, .file(path: file.path, line: entry.line, key: setting.key))
    }

    var unknownVariables: [String] {
        let known = Set(Setting.all.map(\.variable)).union(Self.others).union(Fault.variables)
            .union(DaemonSettings.testVariables)
        return environment.keys.sorted().filter { $0.hasPrefix("THRONG_") && !known.contains($0) }.map {
            "The environment has \($0), which throng does not know. `throng doctor --show` has the ones it knows."
        }
    }

    /// The settings that are others now and that only a start reads, by key.
    func changes(from former: Settings) -> [String] {
        Setting.all.filter { setting in
            !setting.isReloaded && value(of: setting)?.texts != former.value(of: setting)?.texts
        }.map(\.key)
    }
}

struct NumberSetting<Options>: Sendable {
    let key: String
    let unit: String
    let lowest: Int
    let highest: Int
    let standard: Int
    let meaning: String
    let apply: @Sendable (inout Options, Int) -> Void

    var setting: Setting {
        Setting(
            key: key, kind: .number(unit: unit, lowest: lowest, highest: highest), standard: "\(standard)",
            meaning: meaning)
    }

    /// Takes the value over where there is one.
    ///
    /// - Throws: `ValidationError` where it is no whole number, or out of range.
    func take(from settings: Settings, to options: inout Options) throws {
        guard let found = settings.value(of: setting) else { return }
        guard let value = Int(found.text), (lowest...highest).contains(value) else {
            throw ValidationError(
                "\(found.place) takes a whole number of \(unit) from \(lowest) to \(highest); found '\(found.text.prefix(60))'."
            )
        }
        apply(&options, value)
    }
}

extension LocalPaths {
    /// Returns the problem of each setting whose path is an address.
    static func problems(of settings: Settings) -> [any Error] {
        Setting.all.flatMap { setting -> [any Error] in
            switch setting.kind {
            case .path, .paths:
                guard let value = settings.value(of: setting) else { return [] }
                return value.texts.compactMap { AddressText.problem(ofPath: $0) }.map {
                    ValidationError("\(value.place): \($0).")
                }
            case .number, .text, .words, .choice, .connection: return []
            }
        }
    }
}

/// The options of `throng serve`, which `throng doctor --show` takes, too.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A settings file (default: \(SettingsFile.standardPath)).", valueName: "file"))
    var config: String?

    @Option(name: .customLong("plan"), help: ArgumentHelp("A plan; give it once for each app.", valueName: "file"))
    var plans: [String] = []

    @OptionGroup var place: Place
    @Option(help: Setting.listen.help("address")) var listen: String?
    @Option(help: Setting.metrics.help("host:port")) var metrics: String?
    @Option(help: Setting.portal.help("host:port")) var portal: String?
    @Option(help: Setting.members.help("host:port")) var members: String?
    @Option(help: Setting.advertised.help("url")) var advertise: String?
    @Option(name: .customLong("tls-certificate"), help: Setting.certificate.help("file")) var certificate: String?
    @Option(name: .customLong("tls-key"), help: Setting.key.help("file")) var key: String?
    @Option(help: Setting.log.help("level")) var log: String?
    @Option(name: .customLong("log-format"), help: Setting.logFormat.help("format")) var logFormat: String?

    /// All that is set, by these options, the environment and the file as it is now.
    ///
    /// - Throws: `ValidationError` for a file that is named and can't be read.
    func settings() throws -> Settings {
        let texts: [(Setting, String?)] = [
            (.data, place.data), (.database, place.database), (.listen, listen), (.metrics, metrics), (.portal, portal),
            (.members, members), (.advertised, advertise),
            (.certificate, certificate), (.key, key), (.log, log), (.logFormat, logFormat),
        ]
        var options = plans.isEmpty ? [:] : [Setting.plan.key: plans]
        for (setting, text) in texts { options[setting.key] = text.map { [$0] } }
        let environment = ProcessInfo.processInfo.environment
        return Settings(
            options: options, environment: environment, file: try SettingsFile.find(config, environment: environment))
    }

    /// Returns the options of a daemon by all that is set now.
    ///
    /// - Throws: what would be refused; all of it at once.
    func daemon(by settings: Settings) throws -> DaemonOptions {
        if let problems = settings.file?.problems, !problems.isEmpty {
            throw ValidationError(problems.joined(separator: "\n"))
        }
        let (options, problems) = DaemonSettings.daemon(settings)
        // One alone has its own exit code.
        if problems.count == 1 { throw problems[0] }
        guard problems.isEmpty else { throw ValidationError(problems.map { "\($0)" }.joined(separator: "\n")) }
        return options
    }
}

/// The options for what a command that runs until it is stopped writes to standard error, and how.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var log = "info"

    @Option(
        name: .customLong("log-format"),
        help: ArgumentHelp("text, for people, or json: an object a line, for programs.", valueName: "format"))
    var format = Format.text

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    func validate() throws {
        guard Logger.Level(rawValue: log) != nil else {
            throw ValidationError(
                "--log takes \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); found '\(log)'.")
        }
    }

    func logger(_ label: String) -> Logger { Self.logger(label, level: log, format: format.rawValue) }

    /// Sets the process's log up, once.
    ///
    /// - Parameters:
    ///   - level: nil for info.
    ///   - format: nil for text.
    static func logger(_ label: String, level: String?, format: String?) -> Logger {
        let format = format.flatMap { Format(rawValue: $0) } ?? .text
        LoggingSystem.bootstrap { label in
            switch format {
            case .text: StreamLogHandler.standardError(label: label)
            case .json: JSONLog(label: label)
            }
        }
        var logger = Logger(label: label)
        logger.logLevel = level.flatMap { Logger.Level(rawValue: $0) } ?? .info
        return logger
    }
}

/// A file of settings: YAML, a mapping whose keys are those of ``Setting``, a level a dot.
///
///     plan: [/etc/throng/shop.yaml]
///     listen: unix:/run/throng/clients
///     intake:
///       idle-seconds: 90
///       origins: [https://shop.example, https://www.shop.example]
///
/// Its faults are told all at once, each with its line.
struct SettingsFile: Sendable {
    struct Entry: Sendable, Hashable {
        let texts: [String]
        let line: Int
    }

    let path: String
    let entries: [String: Entry]
    /// The parts of it that can't be used, a sentence each.
    let problems: [String]

    /// The path at which it is looked for if nobody names one.
    static let standardPath = "/etc/throng/throng.yaml"
    /// The variable that names one, also to the commands that have no `--config`.
    static let variable = "THRONG_CONFIG"
    /// Unit: bytes.
    private static let longest = 1 << 20

    /// The file that an option names, else the environment, else the one of the machine if it is there.
    ///
    /// - Parameter option: what `--config` says.
    /// - Throws: `ValidationError` for one that is named and can't be read.
    static func find(_ option: String?, environment: [String: String]) throws -> SettingsFile? {
        guard let path = option ?? environment[variable] else {
            return FileManager.default.fileExists(atPath: standardPath) ? try SettingsFile(path: standardPath) : nil
        }
        return try SettingsFile(path: path)
    }

    /// Reads a file.
    ///
    /// - Throws: `ValidationError` where it can't be read, or is no text of at most 1 MiB.
    init(path: String) throws {
        let bytes: Data
        do {
            // Also of a device: /dev/null is a file that says nothing.
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            bytes = try file.read(upToCount: Self.longest + 1) ?? Data()
        } catch {
            throw ValidationError(
                "\(path): there is no such file, or this user can't read it. --config or \(Self.variable) names another."
            )
        }
        guard bytes.count <= Self.longest, let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("\(path) is no text of at most 1 MiB in UTF-8.")
        }
        self.init(text, path: path)
    }

    init(_ text: String, path: String) {
        self.path = path
        var reading = Reading(path: path)
        do {
            // Anchors are the parser's.
            let parser = try Parser(yaml: text, resolver: .basic)
            try withExtendedLifetime(parser) { if let root = try parser.singleRoot() { reading.read(root, below: "") } }
        } catch YamlError.duplicatedKeysInMapping(let names, let context) {
            reading.refuse(context.mark.line, "", "\(names.first ?? "a key") is written twice; keep one")
        } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _) {
            reading.refuse(mark.line, "", "this is no YAML: \(problem)")
        } catch { reading.refuse(1, "", "this is no YAML that can be read") }
        entries = reading.entries
        problems = reading.problems
    }

    private struct Reading {
        let path: String
        var entries: [String: Entry] = [:]
        var problems: [String] = []

        mutating func refuse(_ line: Int, _ key: String, _ words: String) {
            let end = words.hasSuffix("?") ? "" : "."
            problems.append("\(path):\(line): " + (key.isEmpty ? "" : "\(key): ") + words + end)
        }

        mutating func read(_ node: Node, below parent: String) {
            let line = node.mark?.line ?? 1
            // A file of comments alone says nothing.
            if parent.isEmpty, node.scalar?.string.isEmpty == true { return }
            guard let mapping = node.mapping else {
                return refuse(
                    line, parent, "found \(Self.name(node)); keys with values are allowed here, such as listen: :8080")
            }
            for (keyNode, value) in mapping {
                let line = keyNode.mark?.line ?? line
                guard let name = keyNode.scalar?.string else {
                    refuse(line, parent, "a key is a name")
                    continue
                }
                let key = parent.isEmpty ? name : "\(parent).\(name)"
                if let setting = Setting.named(key) {
                    take(value, setting, line)
                } else if Setting.all.contains(where: { $0.key.hasPrefix(key + ".") }) {
                    read(value, below: key)
                } else {
                    refuse(line, key, Self.unknown(key, below: parent))
                }
            }
        }

        private static func unknown(_ key: String, below parent: String) -> String {
            if let near = NearestName.nearest(to: key, among: Setting.all.map(\.key)) {
                return "there is no such setting; did you mean \(near)?"
            }
            let prefix = parent.isEmpty ? "" : parent + "."
            var names: [String] = []
            for setting in Setting.all where setting.key.hasPrefix(prefix) {
                let name = String(setting.key.dropFirst(prefix.count).prefix { $0 != "." })
                if !names.contains(name) { names.append(name) }
            }
            return "there is no such setting; allowed here: \(names.joined(separator: ", "))"
        }

        private mutating func take(_ node: Node, _ setting: Setting, _ line: Int) {
            let scalar = node.scalar?.string
            let (texts, allowed): ([String?], String) =
                switch setting.kind {
                case .number(let unit, let lowest, let highest):
                    (
                        [scalar.flatMap { Int($0) }.map { (lowest...highest).contains($0) } == true ? scalar : nil],
                        "a whole number of \(unit) from \(lowest) to \(highest)"
                    )
                case .choice(let known): ([known.first { $0 == scalar }], "one of \(known.joined(separator: ", "))")
                case .text, .path, .connection: ([Self.text(node)], "a text on one line")
                case .paths, .words:
                    (node.sequence.map { $0.map(Self.text) } ?? [Self.text(node)], "a text, or a list of texts,")
                }
            let found = texts.compactMap { $0 }
            guard !found.isEmpty, found.count == texts.count else {
                // A value that may hold a password is not repeated.
                let isSecret = if case .connection = setting.kind { true } else { false }
                let name = isSecret ? "something else" : Self.name(node)
                return refuse(line, setting.key, "found \(name); \(allowed) is allowed here")
            }
            entries[setting.key] = Entry(texts: found, line: line)
        }

        private static func text(_ node: Node) -> String? {
            guard let text = node.scalar?.string, !text.isEmpty, !text.contains(where: \.isNewline) else { return nil }
            return text
        }

        private static func name(_ node: Node) -> String {
            if let text = node.scalar?.string {
                return text.isEmpty ? "nothing" : "'\(AddressText.shown(text).prefix(60))'"
            }
            return node.sequence == nil ? "a mapping" : "a list"
        }
    }
}
