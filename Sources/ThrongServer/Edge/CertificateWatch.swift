internal import ServiceLifecycle
internal import ThrongDelivery

/// Looks whether the certificate's files have changed, as certbot and lego change them.
struct CertificateWatch: Service {
    let certificates: Certificates

    /// Between two looks; a renewal has weeks.
    private static let interval = Duration.seconds(5)
    /// Between two warnings of a certificate that ends soon.
    private static let warnings = 86_400 / 5

    func run() async throws {
        var looks = 0
        while !Task.isShuttingDownGracefully {
            try await pause(Self.interval)
            certificates.reload()
            looks += 1
            if looks % Self.warnings == 0 { certificates.sayIfLate() }
        }
    }
}
