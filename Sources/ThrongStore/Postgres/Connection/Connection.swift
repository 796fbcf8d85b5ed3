internal import Dispatch
internal import Foundation
internal import Synchronization

/// One connection to PostgreSQL on a thread of its own.
///
/// Every libpq call runs on that thread, so a server that does not answer holds up no thread of Swift's shared pool.
/// It connects when it is first used, and again after it broke; it closes when the last reference goes.
package final class Connection: Sendable {
    private let queue: JobQueue
    package let settings: ConnectionSettings

    package init(_ settings: ConnectionSettings) { (self.settings, queue) = (settings, JobQueue(settings: settings)) }

    deinit { queue.stop() }

    /// Runs one piece of work on the connection's thread; pieces run one after the other.
    ///
    /// Cancelling the task drops the connection within a tenth of a second; the server rolls back what was open. Work
    /// that waits for its turn or for a connection is given up at once.
    package func run<Value: Sendable>(_ work: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard cancellation.wait(refused: { continuation.resume(throwing: $0) }) else { return }
                let isQueued = queue.add(cancellation) { session in
                    continuation.resume(with: Result { try work(session.get()) })
                }
                if !isQueued { cancellation.cancel(PostgresError.closed) }
            }
        } onCancel: {
            cancellation.cancel(CancellationError())
        }
    }

    /// A connection that works as `throng_reporter`, for one store or for several that share it.
    package static func reporting(_ settings: ConnectionSettings) -> Connection {
        Connection(settings.acting(as: .reporter))
    }

    /// Closes the connection after `length`: until then it works as before, then work under way is dropped, and later
    /// work throws ``PostgresError/closed``. So a server that hangs delays no shutdown.
    ///
    /// - Parameter length: nil closes it after the work that is already queued.
    package func close(within length: Duration? = nil) {
        guard let length else { return queue.stop() }
        let (seconds, attoseconds) = length.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [queue] in queue.abandon() }
    }
}

/// Jobs for one thread of its own, in order.
///
/// The thread ends after ``stop()``, once the jobs before it are done. It holds the queue and never the queue's owner,
/// so that an owner's `deinit` can stop it.
final class JobQueue: Sendable {
    /// A piece of work; it gets the thread's session or the reason why there is none.
    typealias Job = @Sendable (Result<Session, any Error>) -> Void

    private struct State {
        var jobs: [(cancellation: Cancellation, job: Job)] = []
        /// The cancellation of the job that was taken last.
        var current: Cancellation?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Starts the thread; it connects when the first job comes.
    init(settings: ConnectionSettings) { Thread.detachNewThread { [self] in work(settings) } }

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

    /// Ends the thread at once: the waiting jobs' callers get an error, and the job under way gives up.
    func abandon() {
        let dropped = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs.map(\.cancellation) + [state.current].compactMap { $0 }
        }
        stop()
        for cancellation in dropped { cancellation.cancel(PostgresError.closed) }
    }

    private func work(_ settings: ConnectionSettings) {
        Thread.current.name = "throng-libpq"
        var session: Session?
        while true {
            arrivals.wait()
            let next = state.withLock { state in
                let next = state.jobs.isEmpty ? nil : state.jobs.removeFirst()
                state.current = next?.cancellation
                return next
            }
            guard let (cancellation, job) = next else {
                if state.withLock({ $0.isStopped }) { return }
                continue
            }
            if let current = session, !current.isUsable { session = nil }
            guard !cancellation.isCancelled else { continue }
            do {
                let current = try session ?? Session(settings)
                session = current
                // Connecting may have taken longer than the caller waited.
                guard cancellation.begin() else { continue }
                current.cancellation = cancellation
                job(.success(current))
                // A job that leaves a transaction open leaves a session that no other job may use.
                if !current.isIdle { session = nil }
            } catch { if cancellation.begin() { job(.failure(error)) } }
        }
    }
}

/// The cancellation of a job by its caller, and the function to tell while the job has not begun.
final class Cancellation: Sendable {
    private enum State {
        case idle
        case waiting(refused: @Sendable (any Error) -> Void)
        case begun
        case cancelled(any Error)
    }

    private let flag = Atomic(false)
    private let state = Mutex(State.idle)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Marks the job as waiting for its turn; false if it was given up before, which `refused` is told.
    func wait(refused: @escaping @Sendable (any Error) -> Void) -> Bool {
        let error: (any Error)? = state.withLock { state in
            if case .cancelled(let error) = state { return error }
            state = .waiting(refused: refused)
            return nil
        }
        if let error { refused(error) }
        return error == nil
    }

    /// Marks the job as begun, after which it reports its own end; false if it was given up before.
    func begin() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .begun
            return true
        }
    }

    /// Cancels the job: at once if it has not begun; else the job notices by itself.
    func cancel(_ error: any Error) {
        flag.store(true, ordering: .relaxed)
        let refused: (@Sendable (any Error) -> Void)? = state.withLock { state in
            switch state {
            case .idle:
                state = .cancelled(error)
                return nil
            case .waiting(let refused):
                state = .cancelled(error)
                return refused
            case .begun, .cancelled: return nil
            }
        }
        refused?(error)
    }
}
