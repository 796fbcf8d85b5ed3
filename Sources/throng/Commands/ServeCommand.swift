import ArgumentParser
import Foundation
import Logging
import ThrongJournal
import ThrongPlan
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
            `throng doctor --show` prints what is set, and by whom.

            ENVIRONMENT (an unknown THRONG_ variable stops the start)
              \(SettingsFile.variable) (path, \(SettingsFile.standardPath) if it is there)
                  a file of settings
            \(DaemonSettings.help)
            """)

    @OptionGroup var serve: ServeOptions

    @Flag(
        name: .customLong("made-up"),
        help: "Goes on with the made-up numbers of a `throng try`: titles say so, and reports go to no partner.")
    var isMadeUp = false

    func run() async throws {
        let settings = try serve.settings()
        var options = try daemon(by: settings)
        options.reread = {
            let now = try serve.settings()
            // A reload refuses what a start refuses.
            return PlanReading(sources: try daemon(by: now).sources, changedSettings: now.changes(from: settings))
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
        for plan in options.plans {
            for metric in plan.metrics where metric.expires <= .today {
                logger.warning(
                    "a metric has expired and counts nothing: renew it in the plan, or delete it",
                    metadata: [
                        "app": "\(plan.app.name)", "metric": "\(metric.name)", "expired": "\(metric.expires)",
                    ])
            }
        }
        if let file = settings.file { logger.info("settings were read", metadata: ["file": "\(file.path)"]) }
        try await Daemon(options, logger: logger).run()
    }

    /// The options of the daemon; of numbers that are made up it is told to say so.
    private func daemon(by settings: Settings) throws -> DaemonOptions {
        var options = try serve.daemon(by: settings)
        guard isMadeUp == MadeUpMark.isThere(in: options.dataPath) else {
            throw CommandFailure(
                isMadeUp
                    ? "\(options.dataPath) holds nothing that `throng try` made up; leave --made-up out, or name a trial's --data."
                    : """
                    \(options.dataPath) holds the made-up numbers of a `throng try`, and true ones may not be mixed with them. \
                    Name another data directory, or give --made-up to look at these.
                    """)
        }
        guard isMadeUp else { return options }
        options.sources = options.sources.map {
            RunningPlan(plan: $0.plan.forMadeUpCrowd(), bytes: $0.bytes, path: $0.path)
        }
        options.plans = options.sources.map(\.plan)
        return options
    }
}
