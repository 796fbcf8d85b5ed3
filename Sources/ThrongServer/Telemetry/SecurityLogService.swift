internal import ServiceLifecycle
internal import ThrongSchedule

/// Logs refusals once a minute, and the rest of them when the daemon stops.
struct SecurityLogService: Service {
    let log: SecurityLog
    let health: RoundHealth

    /// The time between two looks: a line does not tell when exactly something came.
    private static let interval = Duration.seconds(60)

    func run() async throws {
        health.expect(.securityLog)
        while !Task.isShuttingDownGracefully {
            try await pause(Self.interval)
            log.tell()
            health.ended(.securityLog)
        }
        log.tell(isLast: true)
    }
}
