/// The host and the path of a URL, borrowed from its bytes; also of a bare path or a bare host.
///
/// Source: RFC 3986, section 3; user information, port, query and fragment are left out, escapes stay as they are.
struct WebAddress {
    /// Without port and trailing dot; empty for a bare path.
    let host: Slice<UnsafeBufferPointer<UInt8>>
    /// From its slash on; empty where there is none.
    let path: Slice<UnsafeBufferPointer<UInt8>>
    /// Whether the text says that it has a host: "https://…" or "//…".
    let isAbsolute: Bool

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

/// A URL to its host, if listed: "https://www.example.org:8443/cart?x=1" to "www.example.org".
struct HostBucketing: Bucketing {
    private let buckets: LabelTable
    private let hosts: ByteTable

    init(known: [String]) throws(BucketingProblem) {
        for host in known {
            guard !host.isEmpty, !host.hasPrefix("."), !host.hasSuffix("."),
                host.utf8.allSatisfy({
                    $0.isDigit || ($0.isASCIILetter && $0.lowercasedASCII == $0) || "-.".utf8.contains($0)
                })
            else { throw .malformedHost(host) }
        }
        buckets = try LabelTable(known)
        var hosts = ByteTable(.foldingASCII)
        for (bucket, host) in known.enumerated() { hosts.insert(host, bucket) }
        self.hosts = hosts
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        return buckets[text.bytes] ?? hosts[WebAddress(text.bytes).host] ?? buckets.other
    }
}

/// A URL or a path to the first route template that matches; a path that is a template letter for letter is that one.
///
/// - Complexity: O(templates · length) on values that are no label.
struct RouteBucketing: Bucketing {
    private let buckets: LabelTable
    private let templates: [RouteTemplate]

    init(templates texts: [String]) throws(BucketingProblem) {
        buckets = try LabelTable(texts)
        var templates: [RouteTemplate] = []
        for text in texts { templates.append(try RouteTemplate(text)) }
        self.templates = templates
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        let address = WebAddress(text.bytes)
        // "https://example.org" is the root; "cart", "mailto:a@example.org" and an empty text are no paths.
        guard address.isAbsolute || !address.path.isEmpty else { return buckets.other }
        return templates.firstIndex { $0.matches(address.path) } ?? buckets.other
    }
}

/// One route of an app: "/product/:id" matches "/product/7", "/docs/*" matches "/docs" and everything below it.
///
/// `:name` stands for one segment that is not empty, a `*` at the end for any further ones. Empty segments at the end
/// of a path don't count, so "/cart/" is "/cart".
struct RouteTemplate: Sendable {
    private enum Segment: Sendable {
        case literal([UInt8])
        case anything
    }

    private let segments: [Segment]
    private let isOpenEnded: Bool

    init(_ template: String) throws(BucketingProblem) {
        let problem = BucketingProblem.malformedRoute(template)
        guard template.hasPrefix("/"), !template.utf8.contains(where: { "?# ".utf8.contains($0) }) else {
            throw problem
        }
        var parts = template.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        isOpenEnded = parts.last?.elementsEqual("*".utf8) == true
        if isOpenEnded { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            guard !part.isEmpty, !part.contains(UInt8(ascii: "*")) else { throw problem }
            if part.first == UInt8(ascii: ":") {
                guard part.count > 1 else { throw problem }
                segments.append(.anything)
            } else {
                segments.append(.literal(Array(part)))
            }
        }
        self.segments = segments
    }

    /// Whether a path is of this route. An empty path is the root.
    func matches(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let slash = UInt8(ascii: "/")
        var rest = path
        while rest.last == slash { rest = rest.dropLast() }
        for segment in segments {
            guard rest.first == slash else { return false }
            let part = rest.dropFirst().prefix { $0 != slash }
            switch segment {
            case .literal(let literal): if !part.elementsEqual(literal) { return false }
            case .anything: if part.isEmpty { return false }
            }
            rest = rest[part.endIndex...]
        }
        return isOpenEnded || rest.isEmpty
    }
}
