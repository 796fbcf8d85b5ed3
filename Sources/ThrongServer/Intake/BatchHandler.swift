internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import ThrongIntake
internal import ThrongOblivious
internal import ThrongPlan
internal import ThrongTraces

/// Answers `POST /v1/batches` on the connection's event loop, without a task a request; passes on all else, once it is
/// clear where it goes.
///
/// `POST /v1/ohttp` is opened here, too: the batch in it is counted as any other, other requests in it go to the router, and
/// whatever the answer is, it is sealed.
///
/// Requests of one connection are answered in their order. A batch that only waits for the disk keeps none of those behind it from
/// being counted, so that they share its sync; whatever else is outstanding does. Parts that can't be taken yet wait here, and nothing
/// more is read from the connection once anything waits.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class BatchHandler: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Where the request under way is.
    enum Stage {
        /// None has begun.
        case idle
        /// Ours, with what has come of its body.
        case collecting(Collection)
        /// Ours and answered before it ended; the rest of it is dropped.
        case dropping
        /// Ours, whole, and it is not known yet what its answer will be.
        case answering
        /// The router's, which may answer before the request ends.
        case passing(isWhole: Bool, isAnswered: Bool)
        /// The connection closes with the last answer, which is on its way or waits for the disk: nothing more is taken.
        case over
    }

    /// A request that is on its way. It is a class because the stage is looked at with every part, and would be copied with all
    /// that the headers say.
    final class Collection {
        let ingestion: Ingestion
        let headers: RequestHeaders
        /// Nil for a batch as it is.
        let gateway: ObliviousGateway?
        /// Of the body. Unit: bytes.
        let limit: Int
        private(set) var body: ByteBuffer?

        init(ingestion: Ingestion, headers: consuming RequestHeaders, gateway: ObliviousGateway?, limit: Int) {
            self.ingestion = ingestion
            self.headers = headers
            self.gateway = gateway
            self.limit = limit
        }

        /// Takes what has come of the body; says how long it is now. Unit: bytes.
        func add(_ bytes: ByteBuffer) -> Int {
            if body == nil { body = bytes } else { body?.writeImmutableBuffer(bytes) }
            return body?.readableBytes ?? 0
        }
    }

    /// Nil where no batches are taken.
    let ingestion: Ingestion?
    /// Whether batches are taken from other daemons only.
    private let isForMembers: Bool
    /// Whether routes are told from which network a request comes.
    private let marksNetworks: Bool
    /// Nil where no batches are taken.
    let queue: AnswerQueue?
    let socket: SocketEnd
    private let client: RequestClient
    private let origins: CrossOrigin
    let security: SecurityLog
    var stage = Stage.idle
    /// Who may read the answer to the request under way, where a page sent it.
    private(set) var reader: CrossOrigin.Reader?
    /// How many answers wait in the queue, in the order of their requests.
    var inFlight = 0
    /// Whether the first request that waits goes to the router, which may answer it once nothing is in flight.
    var isHeld = false
    /// A request that came sealed and goes to the router in the same way.
    var held: BinaryRequest?
    private(set) var waiting = WaitingParts()
    private var wantsRead = false
    private var isTakingWaiting = false
    /// Where connections of this event loop rest; nil where there is no round to wait for.
    let turns: LoopTurns?
    /// Requests taken since the socket was read, or since this connection's last turn.
    var taken = 0
    var isResting = false
    /// Whether the connection is closed after the last request that was taken.
    private(set) var closesAfterwards = false
    /// What the body takes of the budget. Unit: bytes.
    private var charge = 0
    private(set) var context: ChannelHandlerContext?
    /// Of the request under way, where it was sealed.
    var sealed: SealedAnswer?
    /// Of the request under way, where it is followed.
    var span: OpenSpan?

    init(
        ingestion: Ingestion?, isForMembers: Bool = false, marksNetworks: Bool = false, queue: AnswerQueue?,
        socket: SocketEnd, client: RequestClient, origins: CrossOrigin, security: SecurityLog, turns: LoopTurns?
    ) {
        self.ingestion = ingestion
        self.isForMembers = isForMembers
        self.marksNetworks = marksNetworks
        self.queue = queue
        self.socket = socket
        self.client = client
        self.origins = origins
        self.security = security
        self.turns = turns
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        waiting.drop()
        pay(0)
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !waiting.isClosed else { return }
        let part = unwrapInboundIn(data)
        guard isOutstanding || !waiting.isEmpty || isFull(before: part) || mustRest(before: part) else {
            return take(part, context)
        }
        waiting.append(.part(part))
        guard waiting.isCut else { return }
        socket.isDeaf = true
        security.note(.room)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isResting { taken = 0 }
        if !waiting.isEmpty, socket.isReset {
            waiting.drop()
            socket.isDeaf = true
        }
        complete(context)
    }

    private func complete(_ context: ChannelHandlerContext) {
        payForWhatHasCome()
        context.fireChannelReadComplete()
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
            // The daemon stops: what was taken is answered still.
            switch stage {
            case .collecting, .answering, .dropping:
                closesAfterwards = true
                return
            case .idle where inFlight > 0:
                closesAfterwards = true
                return finish(context)
            case .over where inFlight > 0: return
            case .idle, .passing, .over: break
            }
        }
        // That the client will send no more must not end the connection before it has its answer.
        if mustWait { waiting.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Of what was not taken nothing is said: it would be read as an answer.
        guard !waiting.isClosed else { return }
        guard mustWait else { return context.fireErrorCaught(error) }
        // What is wrong with the next request is said after the answer to this one.
        waiting.append(.error(error))
        socket.isDeaf = true
    }

    /// Whether what is no part of a request comes after something of ours.
    private var mustWait: Bool {
        if case .answering = stage { true } else { inFlight > 0 || !waiting.isEmpty }
    }

    /// Whether a whole request keeps those behind it from being taken.
    private var isOutstanding: Bool {
        switch stage {
        case .answering, .passing(isWhole: true, isAnswered: false): true
        default: isHeld
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, stage) {
        case (_, .over):
            break
        case (.head(var head), _):
            let headers = RequestHeaders(head.headers)
            closesAfterwards = false
            do throws(RequestTarget.Problem) {
                let target = try RequestTarget(head.uri, headers, version: head.version)
                if let ingestion, head.method == .POST, !isForMembers || ingestion.neighbours.admits(headers.member) {
                    if target.path.hasPrefix("/v1/"), !origins.allow(headers.origin) { security.note(.foreignOrigin) }
                    if Self.isTarget(target.path, "/v1/batches") { return begin(head, consume headers, at: ingestion) }
                    if let gateway = queue?.gateway, Self.isTarget(target.path, "/v1/ohttp") {
                        return begin(head, consume headers, at: ingestion, through: gateway)
                    }
                }
                guard inFlight == 0 else {
                    isHeld = true
                    return waiting.putBack(.part(part))
                }
                if target.isAbsolute, let host = target.host {
                    head.uri = target.path
                    head.headers.replaceOrAdd(name: "host", value: host)
                }
                if marksNetworks { NetworkMark.set(client.prefix(of: headers), in: &head.headers) }
                stage = .passing(isWhole: false, isAnswered: false)
                context.fireChannelRead(wrapInboundOut(.head(head)))
            } catch {
                security.note(.malformed)
                // Who reads it in another way, such as a proxy, may think that more of it is another request.
                closesAfterwards = true
                reader = nil
                drop(IntakeAnswer(Problem(error)))
            }
        case (.body(let bytes), .collecting(let collection)):
            if collection.add(bytes) > collection.limit { refuse(.bodyTooLarge(limit: collection.limit)) }
        case (.end, .collecting(let collection)):
            stage = .answering
            pay(0)
            let packed = collection.body ?? ByteBuffer()
            span?.say(.bytes, packed.readableBytes)
            if let gateway = collection.gateway {
                openHere(packed, collection.headers, by: gateway, for: collection.ingestion)
            } else {
                count(
                    packed, collection.headers, from: client.network(of: collection.headers),
                    at: collection.ingestion)
            }
        case (.body, .dropping):
            break
        case (.end, .dropping):
            if closesAfterwards, inFlight == 0 { context.close(promise: nil) }
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
    private static func isTarget(_ target: String, _ path: String) -> Bool {
        // Few have one.
        guard target != path else { return true }
        guard target.utf8.starts(with: path.utf8) else { return false }
        let rest = target.utf8.dropFirst(path.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "?")
    }

    private func begin(
        _ head: HTTPRequestHead, _ headers: consuming RequestHeaders, at ingestion: Ingestion,
        through gateway: ObliviousGateway? = nil
    ) {
        // Nobody listens to most daemons.
        if let queue, queue.isTraced {
            span = queue.traces.begin(request: gateway == nil ? "/v1/batches" : "/v1/ohttp", method: "POST")
        }
        closesAfterwards = !head.isKeepAlive || headers.asksForUpgrade
        reader = origins.reader(for: headers.origin)
        guard reader != nil || origins.allow(headers.origin) else { return refuse(.originNotAllowed) }
        guard let isGzip = headers.isGzip, !isGzip || gateway == nil else { return refuse(.unknownEncoding) }
        if gateway != nil, headers.contentType?.name != SealedRequest.mediaType { return drop(.notEncapsulated) }
        let limit = gateway?.bodyBytes ?? ingestion.limits.bodyBytes
        guard headers.length <= limit else { return refuse(.bodyTooLarge(limit: limit)) }
        if headers.expectsContinue { socket.send(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"), isLast: false) }
        stage = .collecting(
            Collection(ingestion: ingestion, headers: headers, gateway: gateway, limit: limit))
    }

    // MARK: What goes

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isEnd = if case .end = part { true } else { false }
        if sealed != nil {
            // Nothing of it goes out before it can be sealed as a whole.
            _ = sealed?.take(part)
            promise?.succeed()
            if isEnd { sendSealed() }
        } else {
            context.write(data, promise: promise)
        }
        guard isEnd, case .passing(let isWhole, _) = stage else { return }
        stage = .passing(isWhole: isWhole, isAnswered: true)
        if isWhole { finish(context) }
    }

    /// Answers a request that is not whole yet.
    private func refuse(_ error: IntakeError) {
        ingestion?.refuse(error)
        drop(IntakeAnswer(refusal: error))
    }

    private func drop(_ answer: IntakeAnswer) {
        stage = .dropping
        pay(0)
        // The connection is closed once the rest has come: closed before, it would take the answer with it.
        say(answer, closes: false)
    }

    /// Takes a place for what has come of a body that is not whole yet; what comes whole at once needs none.
    private func payForWhatHasCome() {
        guard case .collecting(let collection) = stage, !pay(BodyBudget.size(of: collection.body)) else { return }
        security.note(.room)
        collection.ingestion.turnAway()
        drop(.crowded)
    }

    /// Takes so much of the budget for bodies instead of what was taken; false where there is not so much.
    @discardableResult
    private func pay(_ bytes: Int) -> Bool {
        guard bytes != charge else { return true }
        guard ingestion?.bodies.exchange(charge, for: bytes) != false else { return false }
        charge = bytes
        return true
    }

    /// The request is whole, and its answer is on its way or in the queue: on to what waits.
    func finish(_ context: ChannelHandlerContext) {
        guard !closesAfterwards else {
            stage = .over
            waiting.drop()
            return
        }
        stage = .idle
        takeWaiting(context)
    }

    func takeWaiting(_ context: ChannelHandlerContext) {
        // What waits may be answered at once and end up here again: the loop under way goes on with the next.
        guard !isTakingWaiting else { return }
        // Most send a request once they have their answer.
        guard !waiting.isEmpty || waiting.isCut else { return readOn(context) }
        isTakingWaiting = true
        var hasTakenParts = false
        while !isOutstanding, let next = waiting.first, mayTake(next) {
            waiting.removeFirst()
            switch next {
            case .part(let part):
                take(part, context)
                hasTakenParts = true
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        isTakingWaiting = false
        if waiting.isCut, waiting.isEmpty, !isOutstanding, inFlight == 0 {
            // What came behind was not taken, and gets no answer.
            stage = .over
            socket.send(ByteBuffer(), isLast: true)
        }
        // Behind this handler parts are gathered until a read is complete, and theirs was long ago.
        if hasTakenParts { complete(context) }
        readOn(context)
    }
}
