internal import NIOCore
internal import Synchronization
internal import ThrongCounting
internal import ThrongJournal
internal import ThrongTraces
internal import ThrongWire

/// The answers of one event loop that wait for the disk.
///
/// The journal is asked about the first of them only; when it calls back, all that are on disk by then are written in one
/// go.
///
/// Unchecked: confined to its event loop.
final class AnswerQueue: @unchecked Sendable {
    private struct Waiting {
        let position: JournalPosition
        let answer: BatchAnswer
        let outcome: Telemetry.BatchOutcome
        let handler: BatchHandler
    }

    /// Opens what is sealed, for the event loop's connections.
    let gateway: ObliviousGateway
    /// Follows some of the event loop's requests.
    let traces: Traces
    private let loop: any EventLoop
    private let journal: Journal
    private let telemetry: Telemetry
    private var waiting = CircularBuffer<Waiting>()
    private var last = JournalPosition.start
    private var isAsking = false

    init(loop: any EventLoop, journal: Journal, gateway: ObliviousGateway, telemetry: Telemetry, traces: Traces) {
        self.gateway = gateway
        self.traces = traces
        self.loop = loop
        self.journal = journal
        self.telemetry = telemetry
    }

    /// Answers once everything up to a position is on disk, or says that it never will be.
    func add(
        _ answer: BatchAnswer, _ outcome: Telemetry.BatchOutcome, once position: JournalPosition,
        to handler: BatchHandler
    ) {
        // A repeated batch has an older position than those before it; it waits for them.
        last = max(last, position)
        waiting.append(Waiting(position: last, answer: answer, outcome: outcome, handler: handler))
        if !isAsking { ask() }
    }

    private func ask() {
        guard let first = waiting.first else { return }
        isAsking = true
        journal.acknowledgeable(first.position) { [self] result in
            loop.execute { self.take(result) }
        }
    }

    private func take(_ result: Result<JournalPosition, JournalError>) {
        // Whatever is added while answers are given is asked about below, once.
        defer {
            isAsking = false
            ask()
        }
        switch result {
        case .success(let durable):
            // Looked at before each: whoever stood still since may have been replaced.
            while let first = waiting.first, first.position <= durable, journal.mayAcknowledge {
                waiting.removeFirst()
                telemetry.answered(first.outcome, first.answer)
                first.handler.answer(IntakeAnswer(first.answer))
            }
        case .failure(.full):
            // It is counted, and will be on disk once there is space: the client's next try gets the answer then.
            while let first = waiting.popFirst() {
                telemetry.answered(.overloaded)
                first.handler.answer(.overloaded)
            }
        case .failure:
            while let first = waiting.popFirst() { first.handler.answer(.failed) }
        }
    }
}

/// Where connections bring their batches: the ingestion that counts them, and a queue of answers an event loop.
final class AnswerQueues: Sendable {
    let counting: Ingestion
    /// Whether batches are taken from other daemons only.
    let isForMembers: Bool
    private let gateway: ObliviousGateway
    private let telemetry: Telemetry
    private let traces: Traces
    private let queues = Mutex<[ObjectIdentifier: AnswerQueue]>([:])

    init(
        counting: Ingestion, gateway: ObliviousGateway, telemetry: Telemetry, isForMembers: Bool = false,
        traces: Traces = .off
    ) {
        self.isForMembers = isForMembers
        self.traces = traces
        self.counting = counting
        self.gateway = gateway
        self.telemetry = telemetry
    }

    /// The event loop's queue; the same for all of its connections.
    func queue(of loop: any EventLoop) -> AnswerQueue {
        queues.withLock { queues in
            if let queue = queues[ObjectIdentifier(loop)] { return queue }
            let queue = AnswerQueue(
                loop: loop, journal: counting.journal, gateway: gateway, telemetry: telemetry, traces: traces)
            queues[ObjectIdentifier(loop)] = queue
            return queue
        }
    }
}
