internal import Foundation

/// The files that a daemon needs for TLS, each of them PEM.
package struct TLSFiles: Sendable, Hashable {
    /// `tls.certificate` (path, none): the daemon's certificate, and behind it those between it and a root.
    package var certificate: String
    /// `tls.key` (path, none): the private key of the first certificate, without a passphrase.
    package var key: String
    /// `intake.client-authorities` (path, none): clients need a certificate of one of these authorities to connect; nil
    /// asks nobody for one.
    package var clientAuthorities: String?

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthorities = clientAuthorities
    }

    struct Contents: Equatable {
        let certificate: [UInt8]
        let key: [UInt8]
        let clientAuthorities: [UInt8]?
    }

    func read() throws(TLSError) -> Contents {
        Contents(
            certificate: try Self.bytes(of: certificate), key: try Self.bytes(of: key),
            clientAuthorities: try clientAuthorities.map { path throws(TLSError) in try Self.bytes(of: path) })
    }

    /// The mode of the key's file if it lets others than the owner and readers of the group use it; nil if it does not.
    /// Unit: the mode's lowest nine bits.
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

    /// The largest size of a file. Unit: bytes.
    private static let largest = 1 << 20
}
