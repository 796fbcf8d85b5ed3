/// Checks of texts that are addresses, or should not be: where a path is meant, and in messages.
package enum AddressText {
    /// Returns the scheme of `s3://bucket/reports` and its like (RFC 3986, section 3.1); nil for a path.
    package static func scheme(of text: some StringProtocol) -> String? {
        let scheme = text.utf8.prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "+-.".utf8.contains(byte)
            }
        }
        guard let first = scheme.first, (0x41...0x5A).contains(first & 0xDF),
            text.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
        else { return nil }
        return String(decoding: scheme, as: UTF8.self)
    }

    /// Returns the reason why a text can't be a path on this machine; nil if it can.
    package static func problem(ofPath text: some StringProtocol) -> String? {
        scheme(of: text).map {
            "found an address, \($0)://…; a path on this machine is allowed. Write there, and have a program of yours "
                + "take the files on"
        }
    }

    /// Returns an address without a user, a password (anything up to the last `@`), and what follows `?`.
    package static func shown(_ text: String) -> String {
        guard let scheme = scheme(of: text) else { return text }
        var rest = text.dropFirst(scheme.count + 3)
        var shown = scheme + "://"
        if let sign = rest.lastIndex(of: "@") {
            shown += "…@"
            rest = rest[rest.index(after: sign)...]
        }
        guard let query = rest.firstIndex(of: "?") else { return shown + rest }
        return shown + rest[..<query] + "?…"
    }
}
