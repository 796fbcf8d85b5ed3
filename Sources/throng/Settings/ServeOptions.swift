import ArgumentParser
import Foundation
import Logging
import ThrongServer

/// The options of `throng serve`, which `throng doctor --show` takes, too.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of settings (default: that of \(SettingsFile.variable), else \(SettingsFile.standardPath) if there is one).",
            valueName: "file"))
    var config: String?

    @Option(name: .customLong("plan"), help: ArgumentHelp("A plan; give it once for each app.", valueName: "file"))
    var plans: [String] = []

    @OptionGroup var place: Place

    @Option(
        help: ArgumentHelp(
            "Where clients post: host:port, or unix:path (default: 127.0.0.1:8080).", valueName: "address"))
    var listen: String?

    @Option(help: ArgumentHelp("Where Prometheus reads (default: 127.0.0.1:9464).", valueName: "host:port"))
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "Where partners, analysts and operators look (default: nowhere; `throng token new` lets them in).",
            valueName: "host:port"))
    var portal: String?

    @Option(
        help: ArgumentHelp(
            "Where other daemons hand on what is this one's (default: nowhere; `throng daemon join` lets it count with them).",
            valueName: "host:port"))
    var members: String?

    @Option(
        help: ArgumentHelp(
            "Where other daemons reach that, such as http://throng-0.throng:7080 (default: the host and port of --members).",
            valueName: "url"))
    var advertise: String?

    @Option(
        name: .customLong("tls-certificate"),
        help: ArgumentHelp(
            "Speaks TLS with clients and people, by this certificate and those behind it, in PEM (default: plain HTTP).",
            valueName: "file"))
    var certificate: String?

    @Option(
        name: .customLong("tls-key"), help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical (default: info).", valueName: "level"))
    var log: String?

    @Option(
        name: .customLong("log-format"),
        help: ArgumentHelp(
            "text, for people, or json: an object a line, for programs (default: text).", valueName: "format"))
    var logFormat: String?

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
