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
    private let listen: DaemonOptions.Endpoint
    private let routes: EvaluatorRoutes
    private let logger: Logger

    /// Prepares a server; nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - seed: 32 secret bytes, from which its key is made.
    ///   - hourly: the values that one network may have evaluated in an hour.
    ///   - forwarders: the proxies whose `X-Forwarded-For` gives the clients' addresses.
    package init(
        seed: [UInt8], listen: DaemonOptions.Endpoint, hourly: Int, forwarders: Proxies, logger: Logger
    ) {
        (self.listen, self.logger) = (listen, logger)
        routes = EvaluatorRoutes(
            secret: EvaluatorSecret(seed: seed), quota: EvaluationQuota(limit: hourly),
            forwarders: forwarders, complaints: ProxyComplaints(logger, SecurityLog(logger)), clock: .system)
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
            sessions: nil, proxies: .none, forwarders: .none, isSocket: listen.file != nil,
            complaints: ProxyComplaints(silent, security), clock: .system, security: security)
        let application = edge.application(
            routes.router(), at: listen, connections: OpenFiles.clients(besideDaemons: false),
            limits: .init(request: .seconds(15), idle: .seconds(75)), logger: silent
        ) { [logger] port in logger.info("listening", metadata: listen.facts(bound: port)) }
        try await application.runService()
    }
}
