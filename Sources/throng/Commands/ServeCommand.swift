import ArgumentParser
import Foundation
import Logging
import ThrongServer
import ThrongSystem

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Takes events from clients, counts them, releases and reports on schedule.",
        discussion: """
            Clients post to /v1/batches. GET /healthz says that it is alive, /readyz whether it takes events, \
            /v1/plan/APP what is counted; Prometheus reads /metrics on a port of its own.

            Without --database it runs a private PostgreSQL in the data directory, on a Unix socket, as the user \
            postgres when started by root.

            SIGTERM or SIGINT stops it: it accepts nothing more, answers what is in flight, flushes and exits with 0. SIGHUP \
            reads the plans anew; where they have changed, it stops in this way and starts by the new ones in the same \
            process. It reads the certificate anew, too; that is also done once its file has changed. Other settings take a \
            restart.

            An option goes before the environment, that before a file (--config), and that before the default. \
            `throng config` prints what is set, and by whom.

            ENVIRONMENT (an unknown THRONG_ variable stops the start)
              \(SettingsFile.variable) (path, \(SettingsFile.standardPath) if it is there)
                  a file of settings
            \(DaemonSettings.help)
            """)

    @OptionGroup var serve: ServeOptions

    func run() async throws {
        let settings = try serve.settings()
        var options = try serve.daemon(by: settings)
        options.reread = { [serve] in
            let now = try serve.settings()
            // A reload refuses what a start refuses.
            return PlanReading(sources: try serve.daemon(by: now).sources, changedSettings: now.changes(from: settings))
        }
        options.versions = [("throng", Versions.throng)] + Versions.formats
        options.serviceManager = ServiceManager(environment: settings.environment)
        let logger = LogOptions.logger(
            "throng", level: try settings.choice(of: .log), format: try settings.choice(of: .logFormat))
        if !Fault.variables.isEmpty {
            logger.warning(
                """
                this program is a debug build, for tests or a first look: slow, and environment variables can make it break \
                its promises; Deploy/build makes the one to install
                """)
        }
        if let file = settings.file { logger.info("settings were read", metadata: ["file": "\(file.path)"]) }
        try await Daemon(options, logger: logger).run()
    }
}
