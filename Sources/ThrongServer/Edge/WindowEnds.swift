internal import ServiceLifecycle
internal import ThrongDelivery
internal import ThrongWire

/// Ends connections with their window.
struct WindowEnds: Service {
    let sessions: TLSSessions
    let clock: UnixClock

    /// The clock shows whole seconds, and may be set.
    private static let interval = Duration.milliseconds(250)

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            sessions.endFormer(at: clock.now)
            try await pause(Self.interval)
        }
    }
}
