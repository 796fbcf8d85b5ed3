/// The host and the path of a URL, borrowed from its bytes; also of a bare path or a bare host.
///
/// Source: RFC 3986, section 3. User information, port, query and fragment are left out; the rest stays as written.
/// ``AddressSpelling`` has the one spelling in which addresses are compared.
struct WebAddress {
    /// The host without port and trailing dot; empty for a bare path.
    let host: Slice<UnsafeBufferPointer<UInt8>>
    /// The path from its slash on; empty if there is none.
    let path: Slice<UnsafeBufferPointer<UInt8>>
    /// True if the text says that it has a host: "https://…" or "//…".
    let isAbsolute: Bool
    /// True if it names a page: "https://example.org" is the root; "cart", "mailto:a@example.org" and an empty text are no paths.
    var isPage: Bool { isAbsolute || !path.isEmpty }

    init(_ text: UnsafeBufferPointer<UInt8>) {
        let all = Slice(base: text, bounds: text.indices)
        let slash = UInt8(ascii: "/")
        let end = all.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? all.endIndex
        var rest = all[..<end]
        let scheme = rest.prefix { $0.isASCIILetter || $0.isDigit || "+-.".utf8.contains($0) }
        if rest[scheme.endIndex...].starts(with: "://".utf8) {
            rest = rest[(scheme.endIndex + 3)...]
            isAbsolute = true
        } else if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            isAbsolute = true
        } else {
            isAbsolute = false
        }
        var authority = rest.prefix { $0 != slash }
        path = rest[authority.endIndex...]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority[(colon + 1)...].allSatisfy(\.isDigit) {
            authority = authority[..<colon]
        }
        if authority.last == UInt8(ascii: ".") { authority = authority.dropLast() }
        host = authority
    }
}
