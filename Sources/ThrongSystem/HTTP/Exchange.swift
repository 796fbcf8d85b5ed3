internal import Synchronization

/// One request on its way, and who waits for its answer.
final class Exchange: Sendable {
    let request: OutgoingRequest
    /// The instant at which all of it has to be over, waiting for its turn included.
    private let deadline: ContinuousClock.Instant
    /// The longest body, in bytes; nil where only the head is wanted.
    let bodyLimit: Int?
    private let flag = Atomic(false)
    private let waiting = Mutex<CheckedContinuation<Result<ReceivedAnswer, HTTPFault>, Never>?>(nil)

    init(_ request: OutgoingRequest, limit: Duration, bodyLimit: Int?) {
        self.request = request
        deadline = .now + limit
        self.bodyLimit = bodyLimit
    }

    /// The time that is left; not above zero once that is over.
    var left: Duration { deadline - .now }

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }

    func wait(_ continuation: CheckedContinuation<Result<ReceivedAnswer, HTTPFault>, Never>) {
        waiting.withLock { $0 = continuation }
    }

    /// Tells whoever waits; once.
    func end(_ outcome: Result<ReceivedAnswer, HTTPFault>) {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume(returning: outcome)
    }
}
