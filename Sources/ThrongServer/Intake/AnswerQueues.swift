internal import NIOCore
internal import Synchronization

/// Where connections bring their batches: the desk that counts, and a queue of answers an event loop.
final class AnswerQueues: Sendable {
    let counting: Ingestion
    private let telemetry: Telemetry
    private let queues = Mutex<[ObjectIdentifier: AnswerQueue]>([:])

    init(counting: Ingestion, telemetry: Telemetry) {
        self.counting = counting
        self.telemetry = telemetry
    }

    /// The event loop's queue; the same for all of its connections.
    func queue(of loop: any EventLoop) -> AnswerQueue {
        queues.withLock { queues in
            if let queue = queues[ObjectIdentifier(loop)] { return queue }
            let queue = AnswerQueue(loop: loop, journal: counting.journal, telemetry: telemetry)
            queues[ObjectIdentifier(loop)] = queue
            return queue
        }
    }
}
