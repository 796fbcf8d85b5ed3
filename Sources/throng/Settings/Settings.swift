import ArgumentParser
import Configuration
import Foundation
import ThrongSystem

/// All that is set for `throng serve`, and by whom: options first, then the environment, then a file; what nobody says
/// has its default.
struct Settings: Sendable {
    let environment: [String: String]
    let file: SettingsFile?
    private let byOption: InMemoryProvider
    private let byEnvironment: EnvironmentVariablesProvider
    private let byFile: InMemoryProvider

    /// Other commands', which one environment may hold beside these.
    private static let others: Set = ["THRONG_SUPPRESS_SECRET", SettingsFile.variable]

    /// - Parameter options: what the command line says, by key.
    init(options: [String: [String]] = [:], environment: [String: String], file: SettingsFile? = nil) {
        self.environment = environment
        self.file = file
        byOption = Self.provider("options", options)
        // An empty list or text is as good as none.
        byEnvironment = EnvironmentVariablesProvider(
            environmentVariables: environment.filter { $0.key.hasPrefix("THRONG_") }, arraySeparator: ":")
        byFile = Self.provider("file", (file?.entries ?? [:]).mapValues(\.texts))
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
        if let texts = texts(of: setting, in: byOption) {
            return SettingValue(texts: texts, origin: .option(setting.option ?? setting.key))
        }
        if let texts = texts(of: setting, in: byEnvironment) {
            return SettingValue(texts: texts, origin: .environment(setting.variable))
        }
        if let texts = texts(of: setting, in: byFile), let file, let entry = file.entries[setting.key] {
            return SettingValue(texts: texts, origin: .file(path: file.path, line: entry.line, key: setting.key))
        }
        return nil
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

    private static func provider(_ name: String, _ texts: [String: [String]]) -> InMemoryProvider {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, texts) in texts {
            let isList = if case .paths = Setting.named(key)?.kind { true } else { false }
            values[absolute(key)] = ConfigValue(
                isList ? .stringArray(texts) : .string(texts.joined(separator: " ")), isSecret: false)
        }
        return InMemoryProvider(name: name, values: values)
    }

    private static func absolute(_ key: String) -> AbsoluteConfigKey {
        AbsoluteConfigKey(["throng"] + key.split(separator: ".").map { String($0) })
    }

    private func texts(of setting: Setting, in provider: some ConfigProvider) -> [String]? {
        let isList = if case .paths = setting.kind { true } else { false }
        // Texts and lists of texts can always be had as what they are.
        let found = try? provider.value(forKey: Self.absolute(setting.key), type: isList ? .stringArray : .string)
        switch found?.value?.content {
        case .string(let text): return [text]
        case .stringArray(let texts): return texts.isEmpty ? nil : texts
        default: return nil
        }
    }
}

/// A setting that is a whole number.
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
        let reader = ConfigReader(
            provider: EnvironmentVariablesProvider(environmentVariables: [setting.variable: found.text]))
        guard let value = reader.int(forKey: ConfigKey("throng.\(key)")), (lowest...highest).contains(value) else {
            throw ValidationError(
                "\(found.place) takes a whole number of \(unit) from \(lowest) to \(highest); found '\(found.text.prefix(60))'."
            )
        }
        apply(&options, value)
    }
}
