internal import Foundation
internal import ThrongReport
package import ThrongWire

/// The files that a daemon needs for TLS, each of them PEM.
package struct TLSFiles: Sendable, Hashable {
    /// `tls.certificate` (path, none): the daemon's certificate, and behind it those between it and a root.
    package var certificate: String
    /// `tls.key` (path, none): the private key of the first certificate, without a passphrase.
    package var key: String
    /// `intake.client-authorities` (path, none): clients need a certificate of one of these authorities to connect; nil
    /// asks nobody for one.
    package var clientAuthorities: String?
    /// True if browsers are to use https for all names under this one, too: `includeSubDomains` behind `tls.certificate`.
    package var isForSubdomains = false

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        (self.certificate, self.key, self.clientAuthorities) = (certificate, key, clientAuthorities)
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

/// The reason why a daemon can't use TLS with the files that it was given.
package enum TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case noCertificate(path: String)
    case noKey(path: String)
    case otherKey(path: String, certificate: String)
    case expired(path: String, at: UnixSeconds)
    case early(path: String, at: UnixSeconds)
    case weakKey(path: String, found: String)
    case weakSignature(path: String, found: String)
    case authoritiesWithoutTLS
    case notBuilt

    package var description: String {
        switch self {
        case .unreadable(let path, let reason):
            """
            \(path) can't be read: \(reason). Name a file in PEM with --tls-certificate, --tls-key or \
            THRONG_INTAKE_CLIENT_AUTHORITIES, and let the user that throng runs as read it.
            """
        case .noCertificate(let path):
            """
            \(path) holds no certificate that can be read. It takes PEM, lines between BEGIN CERTIFICATE and END \
            CERTIFICATE: certbot calls the file fullchain.pem.
            """
        case .noKey(let path):
            """
            \(path) holds no private key that can be read. It takes PEM without a passphrase: certbot calls the \
            file privkey.pem.
            """
        case .otherKey(let path, let certificate):
            """
            the key in \(path) is not that of the first certificate in \(certificate). Name the two that were made together, \
            the certificate of this machine first in its file.
            """
        case .expired(let path, let time):
            """
            the certificate in \(path) ended at \(Instant.text(time)). Have it renewed (certbot renew, lego renew), and \
            see to it that this happens by itself.
            """
        case .early(let path, let time):
            """
            the certificate in \(path) begins at \(Instant.text(time)), which is still to come. Set the clock right, \
            or take the certificate that is in force.
            """
        case .weakKey(let path, let found):
            """
            the certificate in \(path) has \(found). Clients take RSA with 2048 bits or more, or ECDSA on P-256, P-384 or \
            P-521: have one made with such a key.
            """
        case .weakSignature(let path, let found):
            """
            the certificate in \(path) was signed by the algorithm \(found). Clients take RSA and ECDSA with SHA-256, SHA-384 \
            or SHA-512: have it signed anew.
            """
        case .authoritiesWithoutTLS:
            """
            THRONG_INTAKE_CLIENT_AUTHORITIES asks clients for certificates, which takes TLS: name --tls-certificate and \
            --tls-key, too, or remove the variable.
            """
        case .notBuilt:
            "this program was built for a first look, without TLS. Build one that has it: Deploy/quickstart --tls, or Deploy/build."
        }
    }
}
