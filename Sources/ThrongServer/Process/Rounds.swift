internal import ServiceLifecycle
internal import ThrongDelivery

/// Does something again and again until the daemon stops.
struct Rounds: Service {
    private let interval: Duration
    private let round: @Sendable () async -> Void

    /// - Parameter interval: between two rounds; the first is at once.
    init(every interval: Duration, _ round: @escaping @Sendable () async -> Void) {
        self.interval = interval
        self.round = round
    }

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            await round()
            try await pause(interval)
        }
    }
}
