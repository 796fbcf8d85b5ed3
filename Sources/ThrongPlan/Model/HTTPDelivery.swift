/// A partner's address that takes a report's files over HTTPS, one request a file.
package struct HTTPDelivery: Sendable, Hashable {
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// PUT to the address followed by the file's name.
        case put
        /// POST to the address itself, with the name in a header.
        case post
    }

    package let method: Method
    /// The address: `https`, without user, query and fragment; for PUT it ends with a slash.
    package let url: String
    /// The host in lower case, without brackets.
    package let host: String
    package let port: Int
    /// The name of the operator's secret for the header Authorization; nil for none.
    package let authorization: String?

    /// The host as operators allow it: "partner.example.com", or "partner.example.com:8443" with a port other than 443.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// Reads an address; nil for one that is not `https://HOST[:PORT]/PATH`, for PUT with a slash at the end.
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
