internal import ServiceLifecycle

/// Makes a round again and again until the daemon stops.
package struct PeriodicTask: Service {
    private let round: Round
    private let interval: Duration
    private let health: RoundHealth
    private let work: @Sendable () async throws -> Void

    /// - Parameter interval: between two rounds; the first is at once.
    package init(
        _ round: Round, every interval: Duration, on health: RoundHealth,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        self.round = round
        self.interval = interval
        self.health = health
        self.work = work
    }

    package func run() async throws {
        health.expect(round)
        while !Task.isShuttingDownGracefully {
            await health.make(round, work)
            try await pause(interval)
        }
    }
}

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
