/// A partner's address that takes a report's files over HTTPS, one request a file.
package struct HTTPDelivery: Sendable, Hashable {
    /// How a file is sent.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// To the address followed by the file's name.
        case put
        /// To the address itself, the name in a header.
        case post
    }

    /// How a file is sent.
    package let method: Method
    /// Where to: `https`, without user, query and fragment; of PUT it ends with a slash.
    package let url: String
    /// The host in lower case, without brackets.
    package let host: String
    /// The port.
    package let port: Int
    /// Which of the operator's secrets goes into the header Authorization; nil for none.
    package let authorization: String?

    /// "partner.example.com", or with a port other than 443 "partner.example.com:8443": what operators allow.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// Reads an address; nil for one that is not `https://HOST[:PORT]/PATH`, of PUT with a slash at the end.
    package init?(_ method: Method, _ url: String, authorization: String? = nil) {
        let scheme = "https://"
        guard url.hasPrefix(scheme), url.utf8.count <= 1000,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#""<>\^`{|}?#@"#.utf8.contains($0) })
        else { return nil }
        let rest = url.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/"), method == .post || url.hasSuffix("/"),
            !rest[slash...].split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
        var authority = rest[..<slash]
        var port = 443
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let number = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(number) else {
                return nil
            }
            port = number
            authority = authority[..<colon]
        }
        if authority.hasPrefix("["), authority.hasSuffix("]") {
            authority = authority.dropFirst().dropLast()
            guard authority.contains(":") else { return nil }
        } else if authority.contains(where: { ":[]%".contains($0) }) {
            return nil
        }
        guard !authority.isEmpty else { return nil }
        self.method = method
        self.url = url
        self.host = authority.lowercased()
        self.port = port
        self.authorization = authorization
    }
}
