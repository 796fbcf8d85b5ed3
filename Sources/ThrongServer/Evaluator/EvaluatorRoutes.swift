internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongAttestation
internal import ThrongWire

/// The route `POST /v1/evaluations`: multiplies points by the evaluator's key, and proves it.
struct EvaluatorRoutes {
    let secret: EvaluatorSecret
    let quota: EvaluationQuota
    /// The relay's proxy, whose `X-Forwarded-For` or `Forwarded` gives the clients' addresses.
    let forwarders: Proxies
    let complaints: ProxyComplaints
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
        } catch {
            return .problem(Self.malformed(EvaluatorSecret.longestRequest + 1))
        }
        guard let count = EvaluatorSecret.points(in: body.readableBytes) else {
            return .problem(Self.malformed(body.readableBytes))
        }
        let client = forwarders.client(behind: peer, isSocket: peer == nil, forwarded: headers.forwarded)
        if case .unreadable(let why) = client { complaints.say(why) }
        let network = if case .at(let address) = client { NetworkPrefix(address) } else { NetworkPrefix.unknown }
        if let seconds = quota.refuse(count, of: network, at: clock.now) {
            return .problem(
                Problem(
                    .tooManyRequests, "evaluation_quota", retrySeconds: seconds,
                    "This network has had as many values evaluated as one may in an hour. Ask again after Retry-After.")
            )
        }
        do throws(EvaluationError) {
            let answer = try secret.evaluate(body.readableBytesView)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/octet-stream", .cacheControl: "no-store",
                    .contentLength: String(answer.count),
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
        } catch {
            return .problem(Problem(.badRequest, "malformed_evaluation", error.description))
        }
    }

    private static func malformed(_ found: Int) -> Problem {
        Problem(.badRequest, "malformed_evaluation", EvaluationError.length(found: found).description)
    }
}
