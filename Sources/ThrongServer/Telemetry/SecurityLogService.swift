internal import ServiceLifecycle
internal import ThrongDelivery

/// Tells once a minute what was refused, and what is left of it when the daemon stops.
struct SecurityLogService: Service {
    let log: SecurityLog
    let health: RoundHealth

    /// Between two looks: nobody reads from a line when exactly something came.
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
