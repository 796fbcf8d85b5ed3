internal import Dispatch

/// One connection to PostgreSQL on a thread of its own.
///
/// Every libpq call runs on that thread, so a server that does not answer holds up no thread of Swift's shared pool.
/// It connects when it is first used, and again after it broke; it closes when the last reference goes.
package final class Connection: Sendable {
    private let queue: JobQueue
    package let settings: ConnectionSettings

    package init(_ settings: ConnectionSettings) {
        self.settings = settings
        queue = JobQueue(settings: settings)
    }

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

    /// Closes the connection after `length`: until then it works as before, then work under way is dropped, and later
    /// work throws ``PostgresError/closed``. So a server that hangs delays no shutdown.
    package func close(within length: Duration) {
        let (seconds, attoseconds) = length.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [queue] in queue.abandon() }
    }

    /// Closes the connection after the work that is already queued; later work throws ``PostgresError/closed``.
    package func close() { queue.stop() }
}
