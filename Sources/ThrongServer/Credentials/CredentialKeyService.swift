internal import ServiceLifecycle
internal import ThrongCredentials
internal import ThrongDelivery
internal import ThrongPostgres
internal import ThrongSchedule

/// Lets the keys of credentials come and go with their months.
struct CredentialKeyService: Service {
    let keys: EpochKeys
    let houseClock: MachineClock

    /// Between two looks.
    private static let interval = Duration.seconds(10)

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            await onOwnThread { [keys, houseClock] in keys.turn(mayDestroy: houseClock.isConfirmed) }
            try await pause(Self.interval)
        }
    }
}
