import ArgumentParser
import Logging
import ThrongServer
import ThrongSystem
import ThrongWire

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
