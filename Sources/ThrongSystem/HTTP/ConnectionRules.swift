/// The rules for all exchanges of a connection, whatever a server or the environment says.
///
/// Some are fixed: redirects are not followed, no proxy is used, TLS is 1.2 or later and its certificate is checked for
/// the URL's name.
package struct ConnectionRules: Sendable {
    /// True if `http` is allowed beside `https`.
    package var allowsPlain = true
    /// The address that every exchange goes to, whatever the URL's name resolves to; the certificate is still for the
    /// name. Nil asks the system.
    package var pinned: (address: String, port: Int)?
    /// A file of certificates in PEM that vouch for servers, beside the system's.
    package var authorities: String?
    /// True if a connection serves several exchanges.
    package var isKept = true
    /// The longest time that connecting may take, TLS included.
    package var connectLimit: Duration = .seconds(10)

    package init() {}

    /// The head of an answer, all that came before a final one included. Unit: bytes.
    static let headLimit = 80 << 10
}
