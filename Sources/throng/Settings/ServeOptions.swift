import ArgumentParser
import Foundation
import Logging
import ThrongServer

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
