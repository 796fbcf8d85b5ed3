internal import ThrongReport
package import ThrongWire

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
