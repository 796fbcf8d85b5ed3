internal import Foundation

/// The files by which a daemon speaks TLS, each of them PEM.
package struct TLSFiles: Sendable, Hashable {
    /// `tls.certificate` (path, none): the daemon's certificate, and behind it those between it and a root.
    package var certificate: String
    /// `tls.key` (path, none): the private key of the first certificate, without a passphrase.
    package var key: String
    /// `intake.client-authorities` (path, none): who may connect where clients post has a certificate of one of these; nil
    /// asks nobody for one.
    package var clientAuthorities: String?
    /// `tls.hsts` (host or subdomains, host): whether browsers are to come by https to all names under this one, too.
    package var includesSubdomains = false

    /// Names the files; nothing is read before the start.
    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthorities = clientAuthorities
    }

    /// Their bytes.
    struct Contents: Equatable {
        let certificate: [UInt8]
        let key: [UInt8]
        let clientAuthorities: [UInt8]?
    }

    /// Reads them.
    ///
    /// - Throws: ``TLSError/unreadable(path:reason:)``.
    func read() throws(TLSError) -> Contents {
        Contents(
            certificate: try Self.bytes(of: certificate), key: try Self.bytes(of: key),
            clientAuthorities: try clientAuthorities.map { path throws(TLSError) in try Self.bytes(of: path) })
    }

    /// Who may do what with the key's file, where others than its owner and readers of its group may anything. Unit: the mode's
    /// lowest nine bits.
    var looseKeyMode: UInt32? {
        var status = stat()
        guard stat(key, &status) == 0 else { return nil }
        return status.st_mode & 0o027 == 0 ? nil : status.st_mode & 0o777
    }

    private static func bytes(of path: String) throws(TLSError) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: largest + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        guard count <= largest else { throw .unreadable(path: path, reason: "it has more than \(largest) bytes") }
        return Array(bytes.prefix(count))
    }

    /// Of a file. Unit: bytes.
    private static let largest = 1 << 20
}
