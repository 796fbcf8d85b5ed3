package enum Delivery: Sendable, Hashable {
    /// A folder, relative to the daemon's data directory unless absolute.
    case folder(String)
    case http(HTTPDelivery)
    /// All files in one mail; the address's place among those of the report, from 1.
    case mail(MailAddress, place: Int)

    /// The way and the address: `folder out/bank`, `put https://partner.example.com/inbox/`, `mail address 1 at
    /// bank.example`. Runs deliver once to each. A mail's address stays in the plan.
    package var target: String {
        switch self {
        case .folder(let path): "folder \(path)"
        case .http(let http): "\(http.method.rawValue) \(http.url)"
        case .mail(let address, let place): "mail address \(place) at \(address.domain)"
        }
    }
}

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

/// An address that takes mail: `reports@bank.example`.
///
/// It may name a person, so that it stays in the plan: no log, metric or database holds it.
package struct MailAddress: Sendable, Hashable {
    /// The whole address, in ASCII; at most 254 bytes.
    package let text: String
    /// The part behind the `@`, in lower case.
    package let domain: String

    /// Reads an address; nil for one that RFC 5321 (section 4.1.2, without quoted strings and address literals) does not
    /// allow, or whose domain has no dot.
    package init?(_ text: String) {
        guard text.utf8.count <= 254, let sign = text.lastIndex(of: "@") else { return nil }
        let (local, domain) = (text[..<sign], text[text.index(after: sign)...].lowercased())
        let words = local.split(separator: ".", omittingEmptySubsequences: false)
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard local.utf8.count <= 64, labels.count > 1,
            words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isOfWord) }),
            labels.allSatisfy({ label in
                1...63 ~= label.utf8.count && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            })
        else { return nil }
        self.text = text
        self.domain = domain
    }

    /// Source: atext of RFC 5322, section 3.2.3.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
