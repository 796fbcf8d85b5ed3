internal import Dispatch
internal import Foundation
internal import Synchronization

/// Jobs for one thread of its own, in order.
///
/// The thread ends after ``stop()``, once the jobs before it are done. It holds the queue and never the queue's owner,
/// so that an owner's `deinit` can stop it.
final class JobQueue: Sendable {
    /// A piece of work; it gets the thread's session or the reason why there is none.
    typealias Job = @Sendable (Result<Session, any Error>) -> Void

    private struct State {
        var jobs: [(cancellation: Cancellation, job: Job)] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Starts the thread; it connects when the first job comes.
    init(settings: ConnectionSettings) {
        Thread.detachNewThread { [self] in work(settings) }
    }

    /// Queues a job; false once the queue is stopped.
    func add(_ cancellation: Cancellation, _ job: @escaping Job) -> Bool {
        let isAccepted = state.withLock { state in
            if !state.isStopped { state.jobs.append((cancellation, job)) }
            return !state.isStopped
        }
        if isAccepted { arrivals.signal() }
        return isAccepted
    }

    /// Ends the thread after the jobs that are already queued.
    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    private func work(_ settings: ConnectionSettings) {
        Thread.current.name = "throng-libpq"
        var session: Session?
        while true {
            arrivals.wait()
            let next = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
            guard let (cancellation, job) = next else {
                if state.withLock({ $0.isStopped }) { return }
                continue
            }
            if let current = session, !current.isUsable { session = nil }
            do {
                if cancellation.isCancelled { throw CancellationError() }
                let current = try session ?? Session(settings)
                session = current
                current.cancellation = cancellation
                job(.success(current))
                // A job that leaves a transaction open leaves a session that nobody else may use.
                if !current.isIdle { session = nil }
            } catch {
                job(.failure(error))
            }
        }
    }
}

/// Whether the caller of a job has given up.
final class Cancellation: Sendable {
    private let flag = Atomic(false)
    /// True for good after ``cancel()``.
    var isCancelled: Bool { flag.load(ordering: .relaxed) }
    /// Gives up.
    func cancel() { flag.store(true, ordering: .relaxed) }
}
