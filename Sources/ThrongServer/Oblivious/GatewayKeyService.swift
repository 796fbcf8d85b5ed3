internal import ServiceLifecycle
internal import ThrongDelivery
internal import ThrongPostgres

/// Lets the gateway's keys come and go with their days.
struct GatewayKeyService: Service {
    let gateway: ObliviousGateway

    /// Between two looks.
    private static let interval = Duration.seconds(10)

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            await onOwnThread { [gateway] in gateway.turn() }
            try await pause(Self.interval)
        }
    }
}
