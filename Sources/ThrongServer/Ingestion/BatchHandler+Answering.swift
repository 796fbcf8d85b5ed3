internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import ThrongAttestation
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongStore
internal import ThrongSystem

extension BatchHandler {
    /// The parts of a request that its answer needs.
    struct Reply {
        /// The pages that may read it; nil if no page sent the request.
        let reader: CrossOrigin.Reader?
        /// The parts that few requests have; nil for most.
        fileprivate let more: More?
    }

    fileprivate final class More {
        let sealed: SealedAnswer?
        let span: OpenSpan?

        init(sealed: SealedAnswer?, span: OpenSpan?) { (self.sealed, self.span) = (sealed, span) }
    }

    func answer(_ answer: IntakeAnswer) {
        // The context is nil once the client has gone.
        guard let context, case .answering = stage else { return }
        say(answer, closes: closesAfterwards)
        finish(context)
    }

    /// Lets the answer to a whole request wait for the disk, and goes on to the next one.
    func answer(
        _ answer: BatchAnswer, _ outcome: Telemetry.BatchKind, once position: JournalPosition,
        through queue: AnswerQueue
    ) {
        inFlight += 1
        queue.add(.counted(answer, outcome), once: position, to: self, takeReply())
        if let context, case .answering = stage { finish(context) }
    }

    /// Sends the answer to the request under way, or lets it wait for those before it.
    func say(_ answer: IntakeAnswer, closes: Bool) {
        let reply = takeReply()
        guard inFlight > 0, let queue else { return send(answer, reply, isLast: closesAfterwards, closes: closes) }
        inFlight += 1
        queue.add(.ready(answer), once: .start, to: self, reply)
    }

    /// Sends an answer that has waited, the first one in flight; `ready` is it as bytes for whoever is like most.
    func deliver(_ answer: @autoclosure () -> IntakeAnswer, _ reply: Reply, ready: ByteBuffer? = nil) {
        inFlight -= 1
        guard let context else { return }
        let isLast = closesAfterwards && inFlight == 0
        switch stage {
        case .over: send(answer(), reply, isLast: isLast, closes: isLast)
        case .dropping: send(answer(), reply, isLast: isLast, closes: false)
        case .idle, .collecting, .answering, .passing:
            if let ready, reply.reader == nil, reply.more == nil {
                socket.send(ready, isLast: false)
            } else {
                send(answer(), reply, isLast: false, closes: false)
            }
        }
        if inFlight == 0 {
            isHeld = false
            if let request = held {
                held = nil
                pass(request)
            }
        }
        if !waiting.isEmpty || waiting.isCut { takeWaiting(context) }
    }

    private func send(_ answer: IntakeAnswer, _ reply: Reply, isLast: Bool, closes: Bool) {
        guard var sealed = reply.more?.sealed else {
            reply.more?.span?.end(status: answer.status.code)
            return socket.send(answer.response(isLast: isLast, reader: reply.reader), isLast: closes)
        }
        sealed.take(answer, at: ingestion?.clock.now)
        // The inner status must not show outside.
        reply.more?.span?.end(status: 200)
        socket.send(sealed.bytes(isLast: isLast, reader: reply.reader), isLast: closes)
    }

    private func takeReply() -> Reply {
        guard sealed != nil || queue?.isTraced == true && span != nil else { return Reply(reader: reader, more: nil) }
        defer { (sealed, span) = (nil, nil) }
        return Reply(reader: reader, more: More(sealed: sealed, span: span))
    }

    /// Sends the router's answer to a sealed request, which is there as a whole.
    func sendSealed() {
        let reply = takeReply()
        guard let answer = reply.more?.sealed else { return }
        reply.more?.span?.end(status: 200)
        socket.send(answer.bytes(isLast: closesAfterwards, reader: reply.reader), isLast: false)
    }

    // MARK: Counting, opening and handing on

    /// - Parameter network: the client's network; nil if it is not known.
    func count(_ packed: ByteBuffer, _ headers: RequestHeaders, from network: ClientNetwork?, at ingestion: Ingestion) {
        let isFromMember = ingestion.neighbours.admits(headers.member)
        let network = isFromMember ? headers.member?.network : network
        if network?.isUnreadable == true { ingestion.telemetry.clientWasUnreadable() }
        let isSealed = sealed != nil || isFromMember && headers.member?.isSealed == true
        let isGzip = headers.isGzip == true
        let turns: SlowBatches
        do throws(IntakeError) {
            if let body = try UnpackedBody.small(packed, isGzip: isGzip) {
                // Nearly all batches go this way, and nothing is captured on it.
                let outcome = try ingestion.acceptQuickly(
                    body, signals: headers.signals, bearer: headers.bearer, from: network, isSealed: isSealed)
                switch outcome {
                case .elsewhere(let member):
                    return handOn(
                        packed, headers, from: network, isSealed: isSealed, isFromMember: isFromMember, to: member,
                        by: ingestion.neighbours)
                case .later(let other): turns = other
                default: return give(.success(outcome))
                }
            } else {
                turns = ingestion.slow
            }
        } catch { return give(.failure(error)) }
        guard let loop = context?.eventLoop,
            turns.add(
                bytes: packed.readableBytes,
                { [self] in
                    let outcome = Result { () throws(IntakeError) in
                        let body = try UnpackedBody(packed, isGzip: isGzip, limit: ingestion.limits.bodyBytes)
                        return try ingestion.accept(
                            body, signals: headers.signals, bearer: headers.bearer, from: network, isSealed: isSealed)
                    }
                    loop.execute {
                        guard case .success(.elsewhere(let member)) = outcome else { return self.give(outcome) }
                        self.handOn(
                            packed, headers, from: network, isSealed: isSealed, isFromMember: isFromMember,
                            to: member, by: ingestion.neighbours)
                    }
                })
        else { return turnAway(ingestion) }
    }

    /// Hands a batch on to the daemon that counts it, unless a daemon did so already.
    private func handOn(
        _ packed: ByteBuffer, _ headers: RequestHeaders, from network: ClientNetwork?, isSealed: Bool,
        isFromMember: Bool, to member: Member, by neighbours: Neighbours
    ) {
        guard !isFromMember else { return answer(IntakeAnswer(.misdirected)) }
        handOn(
            .init(
                path: "/v1/batches", headers: headers, network: network, isSealed: isSealed,
                body: Array(packed.readableBytesView)), to: member, by: neighbours)
    }

    func give(_ outcome: Result<BatchOutcome, IntakeError>) {
        switch outcome {
        case .success(.counted(let answer, let outcome, let position)):
            if let queue { self.answer(answer, outcome, once: position, through: queue) }
        case .success(.unwanted(let answer)): self.answer(IntakeAnswer(answer))
        case .success(.unavailable(let reason)): answer(IntakeAnswer(reason))
        case .success(.later): answer(IntakeAnswer(.crowded))
        case .success(.elsewhere): answer(IntakeAnswer(.misdirected))
        case .failure(let error):
            ingestion?.refuse(error)
            if case .networkQuota = error { security.note(.networkQuota) }
            answer(IntakeAnswer(Problem(error)))
        }
    }

    /// Opens a sealed request: a small one at once, a large one off the event loop.
    func open(_ body: ByteBuffer, by gateway: ObliviousGateway, for ingestion: Ingestion) {
        let work: @Sendable () -> Result<OpenedRequest, ObliviousError> = {
            Result { () throws(ObliviousError) in try gateway.open(body) }
        }
        guard body.readableBytes > BodyBudget.smallBytes else {
            return take(work(), limits: gateway.limits, at: ingestion)
        }
        guard let loop = context?.eventLoop,
            ingestion.slow.add(
                bytes: body.readableBytes,
                { [self] in
                    let result = work()
                    loop.execute { self.take(result, limits: gateway.limits, at: ingestion) }
                })
        else { return turnAway(ingestion) }
    }

    private func take(_ opened: Result<OpenedRequest, ObliviousError>, limits: MessageLimits, at ingestion: Ingestion) {
        let opening: OpenedRequest
        do throws(ObliviousError) { opening = try opened.get() } catch {
            return answer(IntakeAnswer(Problem(unopened: error)))
        }
        sealed = SealedAnswer(to: opening)
        let request: BinaryRequest
        do throws(ObliviousError) {
            request = try BinaryRequest(opening.message[...], limits: limits)
        } catch { return answer(IntakeAnswer(Problem(malformed: error))) }
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

    /// Opens a sealed request, or hands it on to the daemon that has the keys.
    func openHere(_ body: ByteBuffer, _ headers: RequestHeaders, by gateway: ObliviousGateway, for ingestion: Ingestion)
    {
        let neighbours = ingestion.neighbours
        switch neighbours.keyHolder(at: ingestion.clock.now) {
        case .own: open(body, by: gateway, for: ingestion)
        case .undecided: answer(IntakeAnswer(.changing))
        case .other where neighbours.admits(headers.member): answer(IntakeAnswer(.misdirected))
        case .other(let member):
            handOn(
                .init(
                    path: "/v1/ohttp", contentType: SealedRequest.mediaType, headers: headers,
                    isSealed: false, body: Array(body.readableBytesView)), to: member, by: neighbours)
        }
    }

    /// Hands a whole request on to the daemon that counts it, and passes its answer on.
    func handOn(_ request: Neighbours.HandedOn, to member: Member, by neighbours: Neighbours) {
        guard let loop = context?.eventLoop else { return }
        Task { [self] in
            let answer: IntakeAnswer
            do throws(Unavailable) {
                answer = IntakeAnswer(relayed: try await neighbours.hand(request, to: member))
            } catch { answer = IntakeAnswer(error) }
            loop.execute { self.answer(answer) }
        }
    }
}

extension OpenSpan {
    fileprivate func end(status: Int) {
        say(.status, status)
        end(failed: status >= 500)
    }
}

/// Checks that identifiers are tags of credentials that this house issued.
struct ProofCheck: Sendable {
    let keys: EpochKeys

    /// Returns true if a proof holds for its identifier in a window.
    ///
    /// The proof shows a credential of the app and of the month in which the window begins. The identifier is the one
    /// tag that this credential has in that window.
    ///
    /// - Complexity: about a millisecond.
    func holds(_ proof: IdentifierProof, in window: WindowID) -> Bool {
        let epoch = Epoch(of: window.number, rotation: window.rotation)
        let tag = tag(in: proof.presentation, expecting: proof.tag, of: epoch, window.app) {
            try .window(window.number, of: window.purpose, app: window.app)
        }
        return tag != nil
    }

    /// Returns the device's tag in a first's cell and period; nil if its proof does not hold there.
    ///
    /// The proof shows a credential of the app and of the month of the period's last day.
    ///
    /// - Complexity: about a millisecond.
    func tag(of first: IncomingFirst) -> FirstTag? {
        let (app, epoch) = (first.layout.app, Epoch(of: first.period, in: first.calendar))
        return tag(in: first.proof, of: epoch, app) {
            try .first(
                in: first.provedCell, of: first.layout.metric, layout: first.name, period: first.period, app: app)
        }.map { FirstTag(hashing: $0) }
    }

    /// Returns the tag that a proof shows of a credential in a context; nil if it does not hold, or has another tag.
    private func tag(
        in proof: [UInt8], expecting expected: [UInt8]? = nil, of epoch: Epoch, _ app: AppName,
        _ context: () throws -> PresentationContext
    ) -> [UInt8]? {
        guard let secrets = keys.secrets(of: epoch, app: app) else { return nil }
        do {
            let presentation = try Presentation(rawRepresentation: proof)
            let tag = presentation.tag.rawRepresentation
            guard expected == nil || expected == tag else { return nil }
            let isProved = presentation.isProved(
                for: try context().bytes, requestContext: try epoch.requestContext(of: app), by: secrets)
            return isProved ? tag : nil
        } catch {
            // No presentation at all: whatever is wrong with it, it proves nothing.
            return nil
        }
    }
}

extension Ingestion {
    /// Notes that a device wants to be removed from a window; answer with the receipt once the journal has reached the position.
    ///
    /// - Throws: ``IntakeError`` if the window is over; ``Unavailable``.
    func withdraw(_ incoming: IncomingWithdrawal) throws -> (receipt: String, JournalPosition) {
        let window = incoming.window
        func over() -> IntakeError { .windowOutOfRange(current: window.rotation.window(at: clock.now).value) }
        let key: WindowKey
        do {
            // The key is made even if nobody was counted yet, so that the act does not tell.
            key = try keys.key(of: window)
        } catch JournalError.windowClosed { throw over() } catch {
            if error.isFailedSync { onFailure(error) }
            throw Unavailable.failed
        }
        let identifier = incoming.identifier.keyed(with: key)
        let outcome: Counting.RequestOutcome?
        do {
            outcome = try state.withLock { counting in
                guard journal.hasRoom else { return nil }
                let outcome = counting.requestRemoval(of: identifier, from: window, now: clock.now)
                if case .noted(let request) = outcome { try journal.append(.removalRequest(request), key: key) }
                return outcome
            }
        } catch {
            onFailure(error)
            throw Unavailable.failed
        }
        reveals.forget(identifier, in: window)
        let receipt = key.receipt(of: identifier)
        switch outcome {
        case nil: throw Unavailable.overloaded
        case .noted(let request): return (receipt, request.position)
        case .repeated(let position): return (receipt, position)
        case .windowOver: throw over()
        case .full: throw Unavailable.full(retrySeconds: retrySeconds)
        }
    }

    /// The identifiers that are to be removed from one window, and their batches in the journal.
    struct Found: Sendable {
        let window: WindowID
        /// The last of the requests.
        let last: JournalPosition
        var batches: [KeyedIdentifier: [CountedBatch]]
    }

    /// Returns the batches of identifiers that are to be removed from a window, once PostgreSQL has all their counts;
    /// nil if there are none. It reads the journal: don't call it on a thread of the shared pool.
    func findDue() throws(JournalError) -> Found? {
        let (due, space) = state.withLock { ($0.dueRemovals(), $0.space) }
        guard let (window, identifiers) = due else { return nil }
        let last = identifiers.values.max() ?? .start
        var found = Found(window: window, last: last, batches: identifiers.mapValues { _ in [] })
        try reader().batches(of: window, through: last, space: space) { batch in
            if let asked = identifiers[batch.identifier], batch.position < asked {
                found.batches[batch.identifier]?.append(batch)
            }
        }
        return found
    }

    /// Removes identifiers from a window; returns false if another process is taking this one's place and will do it.
    func remove(_ found: Found) throws -> Bool {
        do {
            let key = try keys.existingKey(of: found.window)
            return try state.withLock { counting in
                // The process that takes this one's place has to learn of it, as of a batch.
                guard journal.isOpen else { return false }
                let records = counting.remove(found.batches, from: found.window, largest: journal.mostRemoved)
                for record in records { try journal.append(.removal(record), key: key) }
                return true
            }
        } catch {
            // The removal is in memory and not in the journal: the process is about to end and will replay.
            onFailure(error)
            throw error
        }
    }

    private func reader() throws(JournalError) -> JournalReader { try journal.reader(keys: keys) }
}
