internal import ServiceLifecycle
internal import ThrongSchedule

/// Looks whether the certificate's files have changed, as certbot and lego change them.
struct CertificateWatch: Service {
    let certificates: Certificates
    let health: RoundHealth

    /// The time between two looks; a renewal has weeks.
    private static let interval = Duration.seconds(5)
    /// The time between two warnings of a certificate that ends soon.
    private static let warnings = Duration.seconds(86_400)

    func run() async throws {
        var warned = ContinuousClock.now
        health.expect(.certificate)
        while !Task.isShuttingDownGracefully {
            try await pause(Self.interval)
            await health.make(.certificate) { if let problem = certificates.reload() { throw problem } }
            guard .now >= warned + Self.warnings else { continue }
            certificates.sayIfLate()
            warned = .now
        }
    }
}
