internal import ServiceLifecycle

/// Sleeps, until a graceful stop at the longest: then it returns at once, and the caller's loop looks whether to go on.
package func pause(_ length: Duration) async throws {
    try await cancelWhenGracefulShutdown {
        do {
            try await Task.sleep(for: length)
        } catch is CancellationError {
            // The stop woke us.
        }
    }
}
