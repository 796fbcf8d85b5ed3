internal import NIOCore
internal import NIOHTTP1
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

/// Answers `POST /v1/batches` on the connection's event loop, without a task per request. It passes all other requests
/// on, once their target is clear.
///
/// `POST /v1/ohttp` is opened here, too. A batch in it is counted like any other, other requests in it go to the
/// router, and the answer is sealed in either case.
///
/// Requests of one connection are answered in their order. A batch that only waits for the disk lets those behind it be
/// counted, so that they share its sync. Any other request that is not answered yet makes them wait. Parts that can't
/// be taken yet wait here, and nothing more is read from the connection once anything waits.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class BatchHandler: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum Stage {
        case idle
        /// The request is ours; its body is arriving.
        case collecting(Collection)
        /// The request is ours and was answered before it ended; the rest of it is dropped.
        case dropping
        /// The request is ours and whole, and its answer is not known yet.
        case answering
        /// The request is the router's, which may answer before it ends.
        case passing(isWhole: Bool, isAnswered: Bool)
        /// The connection closes with the last answer, which is on its way or waits for the disk: no more is taken.
        case over
    }

    /// The ingestion that counts batches; nil if none are taken.
    let ingestion: Ingestion?
    private let isForMembers: Bool
    private let marksNetworks: Bool
    /// The queue of answers; nil if no batches are taken.
    let queue: AnswerQueue?
    let socket: SocketEnd
    private let source: ConnectionSource
    private let origins: CrossOrigin
    let security: SecurityLog
    var stage = Stage.idle
    /// The pages that may read the answer to the request under way; nil if no page sent it.
    private(set) var reader: CrossOrigin.Reader?
    /// The number of answers that wait in the queue, in the order of their requests.
    var inFlight = 0
    /// True if the first request that waits goes to the router, which may answer it once nothing is in flight.
    var isHeld = false
    /// A sealed request that goes to the router once nothing is in flight.
    var held: BinaryRequest?
    private(set) var waiting = WaitingParts()
    private var wantsRead = false
    /// True if parts were passed on that the handlers behind have not been told to take.
    private var hasPassed = false
    private var isTakingWaiting = false
    /// The turns of this event loop's connections; nil if there is no round to wait for.
    let turns: LoopFairness?
    /// Requests taken since the socket was read, or since this connection's last turn.
    var taken = 0
    var isResting = false
    /// True if the connection is closed after the last request that was taken.
    private(set) var closesAfterwards = false
    /// The body's part of the budget. Unit: bytes.
    private var charge = 0
    private(set) var context: ChannelHandlerContext?
    var sealed: SealedAnswer?
    var span: OpenSpan?

    init(
        ingestion: Ingestion?, isForMembers: Bool = false, marksNetworks: Bool = false, queue: AnswerQueue?,
        socket: SocketEnd, source: ConnectionSource, origins: CrossOrigin, security: SecurityLog, turns: LoopFairness?
    ) {
        (self.ingestion, self.isForMembers, self.marksNetworks) = (ingestion, isForMembers, marksNetworks)
        (self.queue, self.socket, self.source, self.origins) = (queue, socket, source, origins)
        (self.security, self.turns) = (security, turns)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        waiting.drop()
        pay(0)
    }

    // MARK: Input

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
        // Those behind gather parts until then; of batches they get none.
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    private func pass(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        hasPassed = true
        context.fireChannelRead(wrapInboundOut(part))
    }

    func read(context: ChannelHandlerContext) {
        // The next read waits. No more than that is taken from the socket, or from a client that takes no answers.
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
            // The daemon stops: requests that were taken are still answered.
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
        // The end of the client's input must not end the connection before it has its answer.
        if mustWait { waiting.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Requests that were not taken get no error: it would be read as an answer.
        guard !waiting.isClosed else { return }
        // An error of the next request is reported after the answer to this one, whoever gives it.
        guard mustWait || error is HTTPParserError && isOutstanding else { return take(error, context) }
        waiting.append(.error(error))
        socket.isDeaf = true
    }

    /// True if an event or error has to wait for an answer of ours.
    private var mustWait: Bool { if case .answering = stage { true } else { inFlight > 0 || !waiting.isEmpty } }

    /// True if a whole request keeps those behind it from being taken.
    private var isOutstanding: Bool {
        switch stage {
        case .answering, .passing(isWhole: true, isAnswered: false): true
        default: isHeld
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, stage) {
        case (_, .over): break
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
                if marksNetworks {
                    NetworkMark.set(source.client(forwarded: headers.forwarded).prefix, in: &head.headers)
                }
                askForBody(of: head, headers)
                closesAfterwards = !head.isKeepAlive || headers.asksForUpgrade
                stage = .passing(isWhole: false, isAnswered: false)
                pass(.head(head), context)
            } catch {
                security.note(.malformed)
                // A proxy may parse the request in another way, and take a part of it for another request.
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
                    packed, collection.headers, from: source.network(forwarded: collection.headers.forwarded),
                    at: collection.ingestion)
            }
        case (.body, .dropping): break
        case (.end, .dropping):
            if closesAfterwards, inFlight == 0 { context.close(promise: nil) }
            finish(context)
        case (.end, .passing(_, let isAnswered)):
            stage = .passing(isWhole: true, isAnswered: isAnswered)
            pass(part, context)
            if isAnswered { finish(context) }
        default: pass(part, context)
        }
    }

    /// Says that what came is no request, and ends the connection; in the midst of a router's request that is its affair.
    private func take(_ error: any Error, _ context: ChannelHandlerContext) {
        switch stage {
        case .idle where error is HTTPParserError, .collecting where error is HTTPParserError:
            closesAfterwards = true
            reader = nil
            pay(0)
            say(IntakeAnswer(.unreadable), closes: true)
            stage = .over
            waiting.drop()
        default: context.fireErrorCaught(error)
        }
    }

    /// Returns true if a request's target is ours; a slash at the end is the router's custom, and a query is ignored.
    private static func isTarget(_ target: String, _ path: String) -> Bool {
        // Few requests have a query.
        guard target != path else { return true }
        guard target.utf8.starts(with: path.utf8) else { return false }
        var rest = target.utf8.dropFirst(path.utf8.count)
        if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
        return rest.isEmpty || rest.first == UInt8(ascii: "?")
    }

    private func begin(
        _ head: HTTPRequestHead, _ headers: consuming RequestHeaders, at ingestion: Ingestion,
        through gateway: ObliviousGateway? = nil
    ) {
        // Most daemons trace nothing.
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
        askForBody(of: head, headers)
        stage = .collecting(Collection(ingestion: ingestion, headers: headers, gateway: gateway, limit: limit))
    }

    /// Tells a client that waits for it to send the body (RFC 9110, section 10.1.1).
    private func askForBody(of head: HTTPRequestHead, _ headers: borrowing RequestHeaders) {
        guard headers.expectsContinue, head.version != .http1_0 else { return }
        socket.send(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"), isLast: false)
    }

    // MARK: Output

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isEnd = if case .end = part { true } else { false }
        if sealed != nil {
            // The answer is not sent before it can be sealed as a whole.
            sealed?.take(part)
            promise?.succeed()
            if isEnd { sendSealed() }
        } else if case .head(var head) = part, closesAfterwards, case .passing = stage {
            // A client that asked to upgrade has not said itself that this answer is the last.
            head.headers.replaceOrAdd(name: "connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        } else {
            context.write(data, promise: promise)
        }
        guard isEnd, case .passing(let isWhole, _) = stage else { return }
        stage = .passing(isWhole: isWhole, isAnswered: true)
        if isWhole { finish(context) }
    }

    private func refuse(_ error: IntakeError) {
        ingestion?.refuse(error)
        drop(IntakeAnswer(Problem(error)))
    }

    private func drop(_ answer: IntakeAnswer) {
        stage = .dropping
        pay(0)
        // The connection is closed once the rest has come: a close before would destroy the answer.
        say(answer, closes: false)
    }

    /// Reserves memory for a body that is not whole yet; a body that comes whole at once needs none.
    private func payForWhatHasCome() {
        guard case .collecting(let collection) = stage, !pay(BodyBudget.size(of: collection.body)) else { return }
        security.note(.room)
        collection.ingestion.turnAway()
        drop(IntakeAnswer(.crowded))
    }

    /// Replaces the reserved memory by `bytes`; returns false if the budget has no room.
    @discardableResult private func pay(_ bytes: Int) -> Bool {
        guard bytes != charge else { return true }
        guard ingestion?.bodies.exchange(charge, for: bytes) != false else { return false }
        charge = bytes
        return true
    }

    /// Goes on to the next request: this one is whole, and its answer is on its way or in the queue.
    func finish(_ context: ChannelHandlerContext) {
        guard !closesAfterwards else {
            // The router's answer is out; ours say by themselves that they are the last.
            if case .passing = stage { socket.send(ByteBuffer(), isLast: true) }
            stage = .over
            waiting.drop()
            return
        }
        stage = .idle
        takeWaiting(context)
    }

    func takeWaiting(_ context: ChannelHandlerContext) {
        // A waiting request may be answered at once and lead here again: the loop under way goes on with the next.
        guard !isTakingWaiting else { return }
        // Most clients send a request once they have their answer.
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
            case .error(let error): take(error, context)
            }
        }
        isTakingWaiting = false
        let isOver = if case .over = stage { true } else { false }
        if waiting.isCut, waiting.isEmpty, !isOutstanding, !isOver, inFlight == 0 {
            // Later requests were not taken, and get no answer.
            stage = .over
            socket.send(ByteBuffer(), isLast: true)
        }
        // The handlers behind this one gather parts until a read is complete, and that of these parts was long ago.
        if hasTakenParts { complete(context) }
        readOn(context)
    }
}
