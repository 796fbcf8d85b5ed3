import ArgumentParser
import Logging
import ThrongServer

/// The options for what a command that runs until it is stopped writes to standard error, and how.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var log = "info"

    @Option(
        name: .customLong("log-format"),
        help: ArgumentHelp("text, for people, or json: an object a line, for programs.", valueName: "format"))
    var format = Format.text

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

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
