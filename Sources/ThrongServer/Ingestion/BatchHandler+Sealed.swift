internal import NIOCore
internal import NIOHTTP1
internal import ThrongIngest
internal import ThrongWire

extension BatchHandler {
    /// Opens a sealed request: a small one at once, a large one off the event loop.
    func open(_ body: ByteBuffer, by gateway: ObliviousGateway, for ingestion: Ingestion) {
        let work: @Sendable () -> Result<OpenedRequest, ObliviousError> = {
            Result { () throws(ObliviousError) in try gateway.open(body) }
        }
        guard body.readableBytes > BodyBudget.smallBytes else {
            return take(work(), limits: gateway.limits, at: ingestion)
        }
        guard let loop = context?.eventLoop,
            ingestion.odd.add(
                bytes: body.readableBytes,
                { [self] in
                    let result = work()
                    loop.execute { self.take(result, limits: gateway.limits, at: ingestion) }
                })
        else {
            return turnAway(ingestion)
        }
    }

    private func take(
        _ opened: Result<OpenedRequest, ObliviousError>, limits: MessageLimits, at ingestion: Ingestion
    ) {
        let opening: OpenedRequest
        do throws(ObliviousError) { opening = try opened.get() } catch { return answer(IntakeAnswer(unopened: error)) }
        sealed = SealedAnswer(to: opening)
        let request: BinaryRequest
        do throws(ObliviousError) {
            request = try BinaryRequest(opening.message[...], limits: limits)
        } catch {
            return answer(IntakeAnswer(malformed: error))
        }
        switch InnerRequest(request) {
        case .unknown: answer(.unknownInside)
        case .batch:
            let headers = RequestHeaders(InnerRequest.headers(of: request))
            guard headers.isGzip != nil else { return give(.failure(.unknownEncoding)) }
            // The connection is the relay's, whose network is no client's.
            count(ByteBuffer(bytes: request.content), headers, from: nil, at: ingestion)
        case .passed:
            guard context != nil, case .answering = stage else { return }
            // The requests before it are answered first.
            if inFlight == 0 { pass(request) } else { held = request }
        }
    }

    func pass(_ request: BinaryRequest) {
        guard let context else { return }
        stage = .passing(isWhole: true, isAnswered: false)
        context.fireChannelRead(wrapInboundOut(.head(InnerRequest.head(of: request))))
        context.fireChannelRead(wrapInboundOut(.body(ByteBuffer(bytes: request.content))))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        // Parts are gathered until a read is complete, and this request's read may have been long ago.
        context.fireChannelReadComplete()
    }
}
