import ArgumentParser
import Foundation
import Logging
import Synchronization
import ThrongJournal
import ThrongPlan
import ThrongServer
import ThrongSystem

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Takes events, counts them, releases and reports.",
        discussion: """
            SIGTERM and SIGINT stop it in order; SIGHUP reads plans and certificate anew.

            Variables and a file set more: what clients may send, journal, flush, deliveries, traces. `throng doctor --show` \
            has all, and what each means.

            EXAMPLE
              throng serve --plan plan.yaml --data ./data --portal 127.0.0.1:8081
            """)

    @OptionGroup var serve: ServeOptions
    @Flag(name: .customLong("made-up"), help: "Goes on with the made-up numbers of a `throng try`.") var isMadeUp =
        false

    func run() async throws {
        let settings = try serve.settings()
        var options = try daemon(by: settings)
        options.reread = {
            let now = try serve.settings()
            // A reload refuses what a start refuses.
            return PlanReading(sources: try daemon(by: now).sources, changedSettings: now.changes(from: settings))
        }
        if isatty(STDERR_FILENO) == 1 || settings.value(of: .logFormat)?.text != "json" {
            options.onListening = Greeting(for: options.sources, settings).listens
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
                    metadata: ["app": "\(plan.app.name)", "metric": "\(metric.name)", "expired": "\(metric.expires)"])
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
                    : "\(options.dataPath) holds the made-up numbers of a `throng try`, and true ones may not be mixed "
                        + "with them. Name another data directory, or give --made-up to look at these.")
        }
        guard isMadeUp else { return options }
        options.sources = options.sources.map {
            RunningPlan(plan: $0.plan.forMadeUpCrowd(), bytes: $0.bytes, path: $0.path)
        }
        options.plans = options.sources.map(\.plan)
        return options
    }
}

/// The lines that say, once the daemon listens for the first time, where it does and what to do next.
final class Greeting: Sendable {
    /// The addresses by the names of their servers; nil once they were said.
    private let addresses = Mutex<[String: String]?>([:])
    private let awaited: Set<String>
    private let next: String
    private let signIn: String

    init(for sources: [RunningPlan], _ settings: Settings) {
        awaited = settings.value(of: .portal) == nil ? ["clients", "metrics"] : ["clients", "metrics", "people"]
        let place = settings.value(of: .database) == nil ? "--data \(settings.dataPath)" : "--database URL"
        signIn = "throng token new --operator \(place)"
        let plans = sources.map { "--plan \($0.path)" }.joined(separator: " ")
        next = "throng doctor \(plans) \(place)"
    }

    /// Notes that a server listens; with the last of them it says all.
    @Sendable func listens(_ name: String, at url: String) {
        let all = addresses.withLock { addresses -> [String: String]? in
            addresses?[name] = url
            guard let all = addresses, awaited.isSubset(of: all.keys) else { return nil }
            addresses = nil
            return all
        }
        guard let all, let clients = all["clients"] else { return }
        Terminal.talk(
            """
            Clients post to \(clients)/v1/batches; \(clients)/ says what is counted.
            \(all["people"].map { "People sign in at \($0)/ with a token: \(signIn)" }
                ?? "Nobody can look yet: --portal 127.0.0.1:8081 serves pages for partners, analysts and you.")
            Prometheus reads \(all["metrics"] ?? "")/metrics. To see whether all is well: \(next)
            """)
    }
}

struct EvaluatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluator",
        abstract: "Makes hashes of open vocabularies unguessable.", usage: "throng evaluator [<options>]",
        discussion: """
            It belongs to whoever owns the relay, not to whoever runs a daemon: one party with both can try out guesses. \
            Devices send it values that they have blinded (RFC 9497), and it learns nothing of them. A plan names it as \
            app.evaluator, with its address and its public key.

            It speaks plain HTTP and stands behind the relay's proxy, which speaks TLS and says in X-Forwarded-For where a \
            request comes from: Deploy/proxy/relay.nginx.conf and relay.haproxy.cfg do. It keeps no record of anything.

            Keep a copy of the key's file where nobody of the daemon's can read it: with another key every label is learned anew.

            EXAMPLES
              throng evaluator --key evaluator.key --public-key
              throng evaluator --key evaluator.key --listen 127.0.0.1:8090
            """)

    @Option(help: ArgumentHelp("The key's file, which is made where there is none.", valueName: "file"))
    var key = "evaluator.key"

    @Flag(name: .customLong("public-key"), help: "Prints the public key that plans name, and serves nothing.")
    var printsKey = false

    @Option(help: ArgumentHelp("Where the proxy connects: host:port, or unix:path.", valueName: "address"))
    var listen = "127.0.0.1:8090"

    @Option(help: ArgumentHelp("Values that a network may have evaluated in an hour.", valueName: "number"))
    var hourly = 2000

    @Option(help: ArgumentHelp("Whose X-Forwarded-For is believed: addresses, networks, unix.", valueName: "list"))
    var forwarders = "127.0.0.1 ::1 unix"

    @OptionGroup var log: LogOptions

    func run() async throws {
        if printsKey { return Terminal.data("\(EvaluatorServer.publicKey(ofSeed: try seed()))") }
        guard let endpoint = DaemonOptions.Endpoint(listen) else {
            throw ValidationError(
                "--listen takes a host and a port such as 127.0.0.1:8090, or unix: and an absolute path; found '\(listen)'."
            )
        }
        guard (16...1_000_000_000).contains(hourly) else {
            throw ValidationError("--hourly takes 16, which is one request, to 1000000000; found \(hourly).")
        }
        guard let proxies = Proxies(forwarders) else {
            throw ValidationError(
                "--forwarders takes addresses and networks such as 10.0.0.0/8, and the word unix; found '\(forwarders)'."
            )
        }
        try await EvaluatorServer(
            seed: try seed(), listen: endpoint, hourly: hourly, forwarders: proxies,
            logger: log.logger("throng.evaluator")
        ).run()
    }

    /// - Throws: `TieSecretError`.
    private func seed() throws -> [UInt8] { try TieSecret.kept(at: key, as: .evaluatorKey).bytes }
}
