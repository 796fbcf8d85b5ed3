import ArgumentParser
import Foundation
import ThrongPlan
import ThrongSystem

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
