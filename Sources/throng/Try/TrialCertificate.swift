import Foundation
import ThrongSystem

/// A certificate for this machine alone, which OpenSSL makes for one trial and nobody vouches for.
struct TrialCertificate {
    let certificate: String
    let key: String

    /// Makes it in a folder; it lasts for a month.
    ///
    /// - Throws: ``CommandFailure`` where there is no `openssl`, or it fails.
    init(in folder: String) throws {
        certificate = folder + "/tls-certificate.pem"
        key = folder + "/tls-key.pem"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/CN=Throng's trial", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
            certificate,
        ]
        let words = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = words
        try process.run()
        let said = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure(
                "openssl, which makes the trial's certificate, failed: \(said)\nInstall it, or leave --tls out."
            )
        }
    }

    /// The ways by which a client comes to trust it.
    var advice: String {
        """
        TLS: nobody vouches for the certificate, so tell a client that you do:
          curl --cacert \(certificate) URL
          a browser: import \(certificate) as an authority, and remove it once you have seen enough
        """
    }
}
