internal import HTTPTypes
internal import NIOCore
internal import ThrongIngest
internal import ThrongSystem
internal import ThrongWire

extension BatchHandler {
    /// The parts of a request that its answer needs.
    struct Reply {
        /// The pages that may read it; nil if no page sent the request.
        let reader: CrossOrigin.Reader?
        /// The parts that few requests have; nil for most.
        fileprivate let more: More?
    }

    /// Parts that few requests have.
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

    /// Sends an answer that has waited; the first one in flight.
    func deliver(_ answer: IntakeAnswer, _ reply: Reply) {
        inFlight -= 1
        guard let context else { return }
        switch stage {
        case .over:
            let isLast = closesAfterwards && inFlight == 0
            send(answer, reply, isLast: isLast, closes: isLast)
        case .dropping: send(answer, reply, isLast: closesAfterwards && inFlight == 0, closes: false)
        case .idle, .collecting, .answering, .passing: send(answer, reply, isLast: false, closes: false)
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
        socket.send(answer.bytes(isLast: closesAfterwards, reader: reply.reader), isLast: closesAfterwards)
    }
}

extension OpenSpan {
    fileprivate func end(status: Int) {
        say(.status, status)
        end(failed: status >= 500)
    }
}
