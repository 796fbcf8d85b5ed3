internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import Synchronization
internal import ThrongAttestation
package import ThrongWire

/// The route `POST /v1/evaluations`: multiplies points by the evaluator's key, and proves it.
struct EvaluatorRoutes {
    let secret: EvaluatorSecret
    let quota: EvaluationQuota
    /// The relay's proxy, whose `X-Forwarded-For` or `Forwarded` gives the clients' addresses.
    let forwarders: Proxies
    let warnings: ProxyWarnings
    let clock: UnixClock

    /// The context of a request, with the address of its connection.
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        /// The connection's other end; nil for a Unix socket.
        let peer: ClientAddress?

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            peer = ClientAddress(source.channel.remoteAddress)
        }
    }

    func router() -> Router<Context> {
        let router = Router(context: Context.self)
        router.get("/healthz") { _, _ in Response.text(.ok, "ok\n") }
        router.post("/v1/evaluations") { request, context in await answer(to: request, from: context.peer) }
        return router
    }

    private func answer(to request: Request, from peer: ClientAddress?) async -> Response {
        let headers = RequestHeaders(request.headers)
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: EvaluatorSecret.longestRequest)
        } catch { return .problem(Self.malformed(EvaluatorSecret.longestRequest + 1)) }
        guard let count = EvaluatorSecret.points(in: body.readableBytes) else {
            return .problem(Self.malformed(body.readableBytes))
        }
        let client = forwarders.client(behind: peer, isSocket: peer == nil, forwarded: headers.forwarded)
        if case .unreadable(let why) = client { warnings.say(why) }
        if let seconds = quota.refuse(count, of: client.prefix, at: clock.now) {
            return .problem(
                Problem(
                    .tooManyRequests, "evaluation_quota", retrySeconds: seconds,
                    "This network has had as many values evaluated as one may in an hour. Ask again after Retry-After.")
            )
        }
        do throws(EvaluationError) {
            let answer = ByteBuffer(bytes: try secret.evaluate(body.readableBytesView))
            return Response(.ok, answer, [.contentType: "application/octet-stream", .cacheControl: "no-store"])
        } catch { return .problem(Problem(.badRequest, "malformed_evaluation", error.description)) }
    }

    private static func malformed(_ found: Int) -> Problem {
        Problem(.badRequest, "malformed_evaluation", EvaluationError.length(found: found).description)
    }
}

/// The number of values that each network has had evaluated in the current hour. It bounds guessing.
///
/// It is held in memory only, and does not outlive the hour.
/// - Cost: about 100 bytes per network, for ``mostNetworks`` at most.
final class EvaluationQuota: Sendable {
    private struct State {
        /// The current hour. Unit: hours since 1970.
        var hour: Int64 = 0
        /// The values of each network, with those that fill requests up. Unit: values.
        var counts: [NetworkPrefix: Int] = [:]
    }

    /// The number of networks that are told apart. Those that come later share the quota of one.
    static let mostNetworks = 65_536
    private static let hour: Int64 = 3600

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: values that one network may have evaluated in an hour.
    init(limit: Int) { self.limit = limit }

    /// Notes a request; returns nil if it may be answered, and otherwise the seconds until the next hour.
    func refuse(_ count: Int, of network: NetworkPrefix, at now: UnixSeconds) -> Int? {
        state.withLock { state in
            let hour = now.flooredQuotient(by: Self.hour)
            if hour != state.hour { state = State(hour: hour) }
            let isKnown = state.counts[network] != nil || state.counts.count < Self.mostNetworks
            let network = isKnown ? network : .unknown
            guard state.counts[network, default: 0] + count <= limit else {
                return Int((hour + 1) * Self.hour - now.value)
            }
            state.counts[network, default: 0] += count
            return nil
        }
    }
}

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
    package init(seed: [UInt8], listen: DaemonOptions.Endpoint, hourly: Int, forwarders: Proxies, logger: Logger) {
        (self.listen, self.logger) = (listen, logger)
        routes = EvaluatorRoutes(
            secret: EvaluatorSecret(seed: seed), quota: EvaluationQuota(limit: hourly),
            forwarders: forwarders, warnings: ProxyWarnings(logger, SecurityLog(logger)), clock: .system)
    }

    /// The public key that a seed makes: what plans name.
    package static func publicKey(ofSeed seed: [UInt8]) -> EvaluatorKey { EvaluatorSecret(seed: seed).publicKey }

    package func run() async throws {
        ProcessSettings.forbidCoreFiles()
        OpenFiles.settle()
        // Nobody who asks leaves a trace.
        let silent = Logger(label: "throng.evaluator") { _ in SwiftLogNoOpLogHandler() }
        let security = SecurityLog(silent)
        let edge = ConnectionEdge(
            sessions: nil, proxies: .none, forwarders: .none, isSocket: listen.file != nil,
            warnings: ProxyWarnings(silent, security), clock: .system, security: security)
        let application = edge.application(
            routes.router(), at: listen, connections: OpenFiles.clients(besideDaemons: false),
            limits: .init(request: .seconds(15), idle: .seconds(75)), logger: silent
        ) { [logger] port in logger.info("listening", metadata: listen.facts(bound: port)) }
        try await application.runService()
    }
}
