internal import ServiceLifecycle
internal import Synchronization

/// Raised once, when the process has to end.
final class FailureFlag: Sendable {
    private let state = Mutex<(error: DaemonError?, waiter: CheckedContinuation<Void, Never>?)>((nil, nil))

    /// The reason why the process has to end; nil until it has to.
    var error: DaemonError? { state.withLock { $0.error } }

    func raise(_ error: DaemonError) {
        let waiter = state.withLock { state in
            state.error = state.error ?? error
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func wait() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { continuation in
                let isRaised = self.state.withLock { state in
                    if state.error == nil, !Task.isShuttingDownGracefully { state.waiter = continuation }
                    return state.error != nil || Task.isShuttingDownGracefully
                }
                if isRaised { continuation.resume() }
            }
        } onCancelOrGracefulShutdown: {
            let waiter = self.state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}

/// Ends the group when the flag is raised.
struct FailureWatch: Service {
    let flag: FailureFlag

    func run() async throws {
        await flag.wait()
        if let error = flag.error { throw error }
    }
}
