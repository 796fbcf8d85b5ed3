internal import ServiceLifecycle
internal import Synchronization

/// Raised once, when the process has to end.
final class FailureFlag: Sendable {
    private let raised = Mutex<DaemonError?>(nil)
    private let (errors, continuation) = AsyncStream<DaemonError>.makeStream()

    /// The reason why the process has to end; nil until it has to.
    var error: DaemonError? { raised.withLock { $0 } }

    func raise(_ error: DaemonError) {
        raised.withLock { $0 = $0 ?? error }
        continuation.yield(error)
    }

    /// Throws the error, and returns once the daemon stops without one.
    func watch() async throws {
        for await _ in errors.cancelOnGracefulShutdown() { break }
        if let error { throw error }
    }
}

/// Ends the group when the flag is raised.
struct FailureWatch: Service {
    let flag: FailureFlag

    func run() async throws { try await flag.watch() }
}
