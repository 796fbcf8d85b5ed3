internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import ThrongAttestation
package import ThrongWire

/// The server of `throng evaluator`: evaluates values that it does not see, for devices of plans with its key.
///
/// It belongs to the relay's owner, and stands behind the relay's proxy. It knows no plan and keeps only its key. It
/// logs only its address, and once each mistake of its proxy.
package struct EvaluatorServer: Sendable {
    package struct Options: Sendable {
        package var listen: DaemonOptions.Endpoint
        /// Values that one network may have evaluated in an hour.
        package var hourly: Int
        /// The proxies whose `X-Forwarded-For` gives the clients' addresses.
        package var forwarders: Proxies

        package init(listen: DaemonOptions.Endpoint, hourly: Int, forwarders: Proxies) {
            self.listen = listen
            self.hourly = hourly
            self.forwarders = forwarders
        }
    }

    private let options: Options
    private let routes: EvaluatorRoutes
    private let logger: Logger

    private static let (request, idle) = (TimeAmount.seconds(15), TimeAmount.seconds(75))

    /// Prepares a server; nothing is opened before ``run()``. Its key is made from the seed, 32 secret bytes.
    package init(seed: [UInt8], _ options: Options, logger: Logger, clock: UnixClock = .system) {
        self.options = options
        self.logger = logger
        routes = EvaluatorRoutes(
            secret: EvaluatorSecret(seed: seed), quota: EvaluationQuota(limit: options.hourly),
            forwarders: options.forwarders, complaints: ProxyComplaints(logger, SecurityLog(logger)), clock: clock)
    }

    /// The public key that a seed makes: what plans name.
    package static func publicKey(ofSeed seed: [UInt8]) -> EvaluatorKey { EvaluatorSecret(seed: seed).publicKey }

    package func run() async throws {
        Secrecy.forbidCoreFiles()
        OpenFiles.settle()
        // Nobody who asks leaves a trace.
        let silent = Logger(label: "throng.evaluator") { _ in SwiftLogNoOpLogHandler() }
        let security = SecurityLog(silent)
        let edge = ConnectionEdge(
            sessions: nil, proxies: .none, forwarders: .none, isSocket: options.listen.file != nil,
            complaints: ProxyComplaints(silent, security), clock: .system, security: security)
        let limits = ConnectionDeadline.Limits(request: Self.request, idle: Self.idle)
        let connections = OpenFiles.clients(besideDaemons: false)
        let room = ConnectionRoom(places: connections)
        let turns = LoopFairness.All()
        let application = Application(
            router: routes.router(),
            server: HTTPServerBuilder { responder in
                HTTPChannel(
                    responder: responder, queues: nil, origins: .everywhere, limits: limits, room: room, edge: edge,
                    turns: turns)
            },
            configuration: .init(
                address: options.listen.address, serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(connections + connections / 8)),
            onServerRunning: { [logger, listen = options.listen] channel in
                await ListenerWatch.watch(channel, isPreferred: false, security: security)
                listen.file?.admitGroup()
                logger.info("listening", metadata: listen.facts(bound: channel.localAddress?.port))
            },
            logger: silent)
        try await application.runService()
    }
}
