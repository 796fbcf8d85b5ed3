internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import ThrongIntake
internal import ThrongPlan

/// Answers `POST /v1/batches` on the connection's event loop, without a task a request; passes on all else.
///
/// Requests of one connection are answered in their order: while a response is outstanding, what follows waits here, and
/// nothing more is read from the connection once the request is whole.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class BatchHandler: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Where the request under way is.
    private enum Stage {
        /// None has begun.
        case idle
        /// Ours, with what has come of its body.
        case collecting(Collection)
        /// Ours and answered before it ended; the rest of it is dropped.
        case dropping
        /// Ours, whole, and not answered yet.
        case answering
        /// The router's.
        case passing(isWhole: Bool)
        /// The client asked for the connection to be closed, and its answer is on its way: nothing more is taken.
        case over
    }

    private struct Collection {
        let isGzip: Bool
        let signals: Set<OptOutSignal>
        var body: ByteBuffer?
    }

    private let desk: CountingDesk
    private var stage = Stage.idle
    private var waiting = CircularBuffer<Waiting>()
    private var wantsRead = false
    private var isTakingWaiting = false
    private var closesAfterwards = false
    private var context: ChannelHandlerContext?

    /// What waits for the response to the request before it.
    private enum Waiting {
        case part(HTTPRequestPart)
        case event(Any)
        case error(any Error)
    }

    init(desk: CountingDesk) { self.desk = desk }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isOutstanding || !waiting.isEmpty { waiting.append(.part(part)) } else { take(part, context) }
    }

    func read(context: ChannelHandlerContext) {
        if isOutstanding { wantsRead = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // That the client will send no more must not end the connection before it has its answer.
        if mustWait { waiting.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What is wrong with the next request is said after the answer to this one.
        if mustWait { waiting.append(.error(error)) } else { context.fireErrorCaught(error) }
    }

    /// Whether what is no part of a request comes after something of ours.
    private var mustWait: Bool {
        if case .answering = stage { true } else { !waiting.isEmpty }
    }

    /// Whether a whole request waits for its response.
    private var isOutstanding: Bool {
        switch stage {
        case .answering, .passing(isWhole: true): true
        default: false
        }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (part, stage) {
        case (_, .over):
            break
        case (.head(let head), _):
            guard head.method == .post, Self.isBatches(head.path) else {
                stage = .passing(isWhole: false)
                return context.fireChannelRead(wrapInboundOut(part))
            }
            begin(head, context)
        case (.body(let bytes), .collecting(var collection)):
            // Taken out, so that appending does not copy.
            stage = .idle
            if collection.body == nil { collection.body = bytes } else { collection.body?.writeImmutableBuffer(bytes) }
            if (collection.body?.readableBytes ?? 0) > desk.limits.bodyBytes {
                refuse(.bodyTooLarge(limit: desk.limits.bodyBytes), context)
            } else {
                stage = .collecting(collection)
            }
        case (.end, .collecting(let collection)):
            stage = .answering
            count(collection, context)
        case (.body, .dropping):
            break
        case (.end, .dropping):
            finish(context)
        case (.end, .passing):
            stage = .passing(isWhole: true)
            context.fireChannelRead(wrapInboundOut(part))
        default:
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    /// Whether a request's target is ours; a query is allowed and not looked at.
    private static func isBatches(_ target: String?) -> Bool {
        guard let target, target.utf8.starts(with: "/v1/batches".utf8) else { return false }
        return target.utf8.count == 11 || target.utf8.dropFirst(11).first == UInt8(ascii: "?")
    }

    private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        closesAfterwards = head.headerFields[.connection]?.lowercased() == "close"
        let encoding = head.headerFields[.contentEncoding]?.lowercased()
        guard encoding == nil || encoding == "gzip" || encoding == "identity" else {
            return refuse(.unknownEncoding, context)
        }
        if let length = head.headerFields[.contentLength].flatMap({ Int($0) }), length > desk.limits.bodyBytes {
            return refuse(.bodyTooLarge(limit: desk.limits.bodyBytes), context)
        }
        var signals: Set<OptOutSignal> = []
        if head.headerFields[.globalPrivacyControl] == "1" { signals.insert(.globalPrivacyControl) }
        if head.headerFields[.doNotTrack] == "1" { signals.insert(.doNotTrack) }
        stage = .collecting(Collection(isGzip: encoding == "gzip", signals: signals))
    }

    // MARK: What goes

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
        context.write(data, promise: promise)
        if isEnd, case .passing(isWhole: true) = stage { finish(context) }
    }

    private func count(_ collection: Collection, _ context: ChannelHandlerContext) {
        do throws(IntakeError) {
            let body = try UnpackedBody(
                collection.body ?? ByteBuffer(), isGzip: collection.isGzip, limit: desk.limits.bodyBytes)
            let loop = context.eventLoop
            desk.accept(body, signals: collection.signals) { verdict in
                let answer = IntakeAnswer(verdict)
                if loop.inEventLoop { self.answer(answer) } else { loop.execute { self.answer(answer) } }
            }
        } catch {
            desk.refuse(error)
            answer(IntakeAnswer(refusal: error))
        }
    }

    /// Answers a whole request.
    private func answer(_ answer: IntakeAnswer) {
        // Nil once the client has gone.
        guard let context, case .answering = stage else { return }
        write(answer, context)
        finish(context)
    }

    /// Answers a request that is not whole yet.
    private func refuse(_ error: IntakeError, _ context: ChannelHandlerContext) {
        desk.refuse(error)
        stage = .dropping
        write(IntakeAnswer(refusal: error), context)
    }

    private func write(_ answer: IntakeAnswer, _ context: ChannelHandlerContext) {
        var head = HTTPResponse(status: answer.status)
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = String(answer.text.utf8.count)
        if answer.isRetryable { head.headerFields[.retryAfter] = IntakeAnswer.retrySeconds }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(context.channel.allocator.buffer(string: answer.text))), promise: nil)
        guard closesAfterwards else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// The request is whole and answered: on to what waits.
    private func finish(_ context: ChannelHandlerContext) {
        guard !closesAfterwards else {
            stage = .over
            waiting.removeAll()
            return
        }
        stage = .idle
        // What waits may be answered at once and end up here again: the loop under way goes on with the next.
        guard !isTakingWaiting else { return }
        isTakingWaiting = true
        while !isOutstanding, let next = waiting.popFirst() {
            switch next {
            case .part(let part): take(part, context)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        isTakingWaiting = false
        if wantsRead, !isOutstanding {
            wantsRead = false
            context.read()
        }
    }
}

extension HTTPField.Name {
    /// A request header of the Global Privacy Control proposal; names are ASCII literals, so none is refused.
    static let globalPrivacyControl = named("Sec-GPC")
    static let doNotTrack = named("DNT")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a field name") }
        return name
    }
}
