internal import Foundation

/// A server that takes mails over SMTP (RFC 5321), as an operator names it: `smtp://throng@mail.shop.example:587`.
///
/// With `smtps` TLS comes first (RFC 8314); with `smtp` it is asked for by STARTTLS (RFC 3207), and without it nothing is
/// sent but to this machine, to which mails go in the clear.
package struct MailServer: Sendable, Hashable {
    /// Scheme, host and port.
    package let url: String
    /// The user that signs in; nil where nobody does.
    package let user: String?
    let isLocal: Bool

    /// Reads a URL without a password, path and query; nil for anything else. The port is 587 unless given, with `smtps`
    /// 465, and 25 on this machine.
    package init?(_ text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, url.password == nil,
            ["", "/"].contains(url.path), url.query == nil, url.fragment == nil,
            let scheme = url.scheme?.lowercased(), ["smtp", "smtps"].contains(scheme)
        else { return nil }
        let name = host.lowercased()
        isLocal =
            name == "localhost" || name == "[::1]" || name == "::1"
            || name.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
        let port = url.port ?? (scheme == "smtps" ? 465 : isLocal ? 25 : 587)
        user = url.user.flatMap { $0.isEmpty ? nil : $0 }
        self.url = "\(scheme)://\(name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name):\(port)"
    }
}
