internal import ServiceLifecycle
internal import ThrongDelivery

/// Asks PostgreSQL now and then which labels other daemons have learned, or age has retired.
struct LabelService: Service {
    let desk: VocabularyLearner

    /// Between two looks; shorter while PostgreSQL is away.
    private static let interval = Duration.seconds(30)
    private static let retry = Duration.seconds(2)

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            let length = await desk.refreshIfPossible() ? Self.interval : Self.retry
            try await pause(length)
        }
    }
}
