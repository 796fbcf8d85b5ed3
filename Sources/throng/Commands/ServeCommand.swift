import ArgumentParser
import Configuration
import Foundation
import Logging
import ThrongFaults
import ThrongJournal
import ThrongServer

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
            process. It reads the certificate anew, too; that is also done once its file has changed.

            ENVIRONMENT (an unknown THRONG_ variable stops the start)
            \(DaemonSettings.help)
            """)

    @OptionGroup var plans: PlanFiles
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

    @OptionGroup var log: LogOptions

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together: name both, or neither.")
        }
        guard members == nil || !(members ?? "").hasPrefix("unix:") else {
            throw ValidationError("--members takes a host and a port: daemons on other machines connect to it.")
        }
        if let advertise {
            let url = URL(string: advertise)
            guard members != nil, let scheme = url?.scheme, ["http", "https"].contains(scheme), url?.host != nil,
                url?.path == ""
            else {
                throw ValidationError(
                    """
                    --advertise takes http or https, a host and a port, without a path, such as http://throng-0.throng:7080, \
                    and needs --members; found '\(advertise)'.
                    """)
            }
        }
    }

    func run() async throws {
        let sources = try plans.readSources()
        var options = DaemonOptions(plans: sources.map(\.plan), dataPath: place.dataPath)
        options.sources = sources
        options.reread = { [plans, place] in
            let sources = try plans.readSources()
            // What settings refuse at a start they refuse here.
            var asked = DaemonOptions(plans: sources.map(\.plan), dataPath: place.dataPath)
            try DaemonSettings.apply(to: &asked, environment: ProcessInfo.processInfo.environment)
            return sources
        }
        options.database = place.database
        if let certificate, let key { options.tls = TLSFiles(certificate: certificate, key: key) }
        try DaemonSettings.apply(to: &options, environment: ProcessInfo.processInfo.environment)
        try DaemonSettings.askClients(of: &options, environment: ProcessInfo.processInfo.environment)
        if let listen { options.listen = try endpoint(listen, option: "--listen") }
        if let portal { options.portal = try endpoint(portal, option: "--portal") }
        if let members { options.members = try endpoint(members, option: "--members") }
        options.advertised = advertise
        if let metrics { options.metrics = try endpoint(metrics, option: "--metrics") }
        options.serviceManager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        let logger = log.logger("throng")
        if !Fault.variables.isEmpty {
            logger.warning(
                """
                this program is a debug build, for tests or a first look: slow, and environment variables can make it break \
                its promises; Deploy/build makes the one to install
                """)
        }
        try await Daemon(options, logger: logger).run()
    }

    private func endpoint(_ text: String, option: String) throws -> DaemonOptions.Endpoint {
        guard let endpoint = DaemonOptions.Endpoint(text) else {
            throw ValidationError(
                """
                \(option) takes a host and a port such as 127.0.0.1:8080, or a Unix socket such as unix:/run/throng/clients, \
                an absolute path of at most 107 bytes; found '\(text)'.
                """)
        }
        return endpoint
    }
}
