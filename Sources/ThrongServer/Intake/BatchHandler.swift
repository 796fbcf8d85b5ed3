internal import NIOCore
internal import NIOHTTP1
internal import ThrongIntake
internal import ThrongPlan

/// Answers `POST /v1/batches` on the connection's event loop, without a task a request; passes on all else.
///
/// Requests of one connection are answered in their order: while a response is outstanding, what follows waits here, and
/// nothing more is read from the connection once anything waits.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class BatchHandler: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

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
        /// The router's, which may answer before the request ends.
        case passing(isWhole: Bool, isAnswered: Bool)
        /// The client asked for the connection to be closed, and its answer is on its way: nothing more is taken.
        case over
    }

    private struct Collection {
        let headers: BatchHeaders
        var body: ByteBuffer?
    }

    private let desk: CountingDesk
    private let queue: AnswerQueue
    private let socket: SocketEnd
    private let origins: CrossOrigin
    private var stage = Stage.idle
    /// Who may read the answer to the request under way, where a page sent it.
    private var reader: CrossOrigin.Reader?
    private var waiting = CircularBuffer<Waiting>()
    private var wantsRead = false
    private var isTakingWaiting = false
    private var closesAfterwards = false
    /// What the body takes of the budget. Unit: bytes.
    private var charge = 0
    private var context: ChannelHandlerContext?

    /// What waits for the response to the request before it.
    private enum Waiting {
        case part(HTTPServerRequestPart)
        case event(Any)
        case error(any Error)
    }

    init(desk: CountingDesk, queue: AnswerQueue, socket: SocketEnd, origins: CrossOrigin) {
        self.desk = desk
        self.queue = queue
        self.socket = socket
        self.origins = origins
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        pay(0)
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isOutstanding || !waiting.isEmpty { waiting.append(.part(part)) } else { take(part, context) }
    }

    func read(context: ChannelHandlerContext) {
        // What comes with the next read waits; more than that is not taken from the socket, nor anything from a client
        // that does not take its answers.
        if waiting.isEmpty, context.channel.isWritable { context.read() } else { wantsRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        readOn(context)
        context.fireChannelWritabilityChanged()
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard wantsRead, waiting.isEmpty, context.channel.isWritable else { return }
        wantsRead = false
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            switch stage {
            case .collecting, .answering, .dropping:
                // The daemon stops: this one is answered still.
                closesAfterwards = true
                return
            case .idle, .passing, .over: break
            }
        }
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
        case .answering, .passing(isWhole: true, isAnswered: false): true
        default: false
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, stage) {
        case (_, .over):
            break
        case (.head(let head), _):
            guard head.method == .POST, Self.isBatches(head.uri) else {
                stage = .passing(isWhole: false, isAnswered: false)
                return context.fireChannelRead(wrapInboundOut(part))
            }
            begin(head, context)
        case (.body(let bytes), .collecting(var collection)):
            // Taken out, so that appending does not copy.
            stage = .idle
            if collection.body == nil { collection.body = bytes } else { collection.body?.writeImmutableBuffer(bytes) }
            if (collection.body?.readableBytes ?? 0) > desk.limits.bodyBytes {
                refuse(.bodyTooLarge(limit: desk.limits.bodyBytes))
            } else if !pay(collection.body?.storageCapacity ?? 0) {
                desk.turnAway()
                drop(.crowded)
            } else {
                stage = .collecting(collection)
            }
        case (.end, .collecting(let collection)):
            stage = .answering
            pay(0)
            count(collection)
        case (.body, .dropping):
            break
        case (.end, .dropping):
            if closesAfterwards { context.close(promise: nil) }
            finish(context)
        case (.end, .passing(_, let isAnswered)):
            stage = .passing(isWhole: true, isAnswered: isAnswered)
            context.fireChannelRead(wrapInboundOut(part))
            if isAnswered { finish(context) }
        default:
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    /// Whether a request's target is ours; a query is allowed and not looked at.
    private static func isBatches(_ target: String) -> Bool {
        guard target.utf8.starts(with: "/v1/batches".utf8) else { return false }
        return target.utf8.count == 11 || target.utf8.dropFirst(11).first == UInt8(ascii: "?")
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let headers = BatchHeaders(head.headers)
        closesAfterwards = !head.isKeepAlive || headers.asksForUpgrade
        reader = headers.origin.flatMap { origins.reader(for: $0) }
        guard headers.origin == nil || reader != nil else { return refuse(.originNotAllowed) }
        guard headers.isGzip != nil else { return refuse(.unknownEncoding) }
        guard headers.length <= desk.limits.bodyBytes else {
            return refuse(.bodyTooLarge(limit: desk.limits.bodyBytes))
        }
        if headers.expectsContinue { socket.send(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"), isLast: false) }
        stage = .collecting(Collection(headers: headers))
    }

    // MARK: What goes

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
        context.write(data, promise: promise)
        guard isEnd, case .passing(let isWhole, _) = stage else { return }
        stage = .passing(isWhole: isWhole, isAnswered: true)
        if isWhole { finish(context) }
    }

    private func count(_ collection: Collection) {
        do throws(IntakeError) {
            let body = try UnpackedBody(
                collection.body ?? ByteBuffer(), isGzip: collection.headers.isGzip == true, limit: desk.limits.bodyBytes
            )
            switch try desk.accept(body, signals: collection.headers.signals) {
            case .counted(let answer, let outcome, let position):
                queue.add(answer, outcome, once: position, to: self)
            case .optedOut(let answer): self.answer(IntakeAnswer(answer))
            case .overloaded: answer(.overloaded)
            case .failed: answer(.failed)
            }
        } catch {
            desk.refuse(error)
            answer(IntakeAnswer(refusal: error))
        }
    }

    /// Answers a whole request.
    func answer(_ answer: IntakeAnswer) {
        // Nil once the client has gone.
        guard let context, case .answering = stage else { return }
        socket.send(answer.response(isLast: closesAfterwards, reader: reader), isLast: closesAfterwards)
        finish(context)
    }

    /// Answers a request that is not whole yet.
    private func refuse(_ error: IntakeError) {
        desk.refuse(error)
        drop(IntakeAnswer(refusal: error))
    }

    private func drop(_ answer: IntakeAnswer) {
        stage = .dropping
        pay(0)
        // The connection is closed once the rest has come: closed before, it would take the answer with it.
        socket.send(answer.response(isLast: closesAfterwards, reader: reader), isLast: false)
    }

    /// Takes so much of the budget for bodies instead of what was taken; false where there is not so much.
    @discardableResult
    private func pay(_ bytes: Int) -> Bool {
        guard bytes != charge else { return true }
        guard desk.bodies.exchange(charge, for: bytes) else { return false }
        charge = bytes
        return true
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
        readOn(context)
    }
}

/// What `POST /v1/batches` looks at of a request's headers.
private struct BatchHeaders {
    /// Nil for any encoding but gzip and none.
    private(set) var isGzip: Bool? = false
    /// Unit: bytes; 0 where the client does not say.
    private(set) var length = 0
    private(set) var signals: Set<OptOutSignal> = []
    /// The origin of the page that sent it; browsers say so, other clients don't.
    private(set) var origin: String?
    private(set) var expectsContinue = false
    /// NIO's decoder takes nothing more after a head that does; none is offered.
    private(set) var asksForUpgrade = false

    init(_ headers: HTTPHeaders) {
        for (name, value) in headers {
            // Names differ in their length, so that most are told apart by one number.
            switch name.utf8.count {
            case 3 where name.lowercased() == "dnt":
                if value == "1" { signals.insert(.doNotTrack) }
            case 6 where name.lowercased() == "origin": origin = value
            case 6 where name.lowercased() == "expect":
                expectsContinue = value.lowercased() == "100-continue"
            case 7 where name.lowercased() == "sec-gpc":
                if value == "1" { signals.insert(.globalPrivacyControl) }
            case 7 where name.lowercased() == "upgrade":
                asksForUpgrade = true
            case 14 where name.lowercased() == "content-length":
                length = Int(value) ?? .max
            case 16 where name.lowercased() == "content-encoding":
                let isNamedTwice = isGzip != false
                switch value.lowercased() {
                case "identity": break
                case "gzip" where !isNamedTwice: isGzip = true
                default: isGzip = nil
                }
            default: break
            }
        }
    }
}
