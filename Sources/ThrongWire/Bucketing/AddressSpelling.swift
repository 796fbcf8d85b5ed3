internal import Foundation

/// The one spelling in which web addresses are compared: `HTTPS://WWW.Example.org:443/a/../stra%c3%9fe/?x=1` has the
/// host `www.example.org` and the path `/straße`.
///
/// Addresses are read as browsers read them (WHATWG URL): tabs, line breaks and surrounding spaces are dropped, `\\` is
/// `/`, user information, port, query and fragment are left out, `.` and `..` are resolved. Beyond that, empty segments
/// and what follows a `;` in a segment are dropped, and escapes of UTF-8 are decoded once (RFC 3986, section 6.2.2.2)
/// and composed (NFC). Letters of a path keep their case. A host is in Unicode: small letters, compatibility forms
/// replaced (NFKC), `xn--` decoded (RFC 3492).
package struct AddressSpelling {
    /// The host; empty for a bare path.
    let host: [UInt8]
    /// The path without a slash at its end; empty for the root, and if there is none.
    let path: [UInt8]
    /// True if the text names a page: it has a path, or it says that it has a host.
    let isPage: Bool

    init(_ text: UnsafeBufferPointer<UInt8>) {
        var cleaned = Array(text.drop { $0 <= 0x20 })
        while let last = cleaned.last, last <= 0x20 { cleaned.removeLast() }
        cleaned.removeAll { $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
        if let end = cleaned.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            cleaned.removeSubrange(end...)
        }
        for place in cleaned.indices where cleaned[place] == UInt8(ascii: "\\") { cleaned[place] = UInt8(ascii: "/") }
        (host, path, isPage) = cleaned.withUnsafeBufferPointer { bytes in
            let address = WebAddress(bytes)
            return (Self.host(Array(address.host)), Self.path(address.path), address.isPage)
        }
    }

    /// True if the text, up to its query, surely has this spelling already, apart from the letters of its host.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var last = UInt8(ascii: " ")
        var firstSlash: Int?
        for place in text.indices {
            let byte = text[place]
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return true
            case UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: "\\"), 0...0x20, 0x7f...0xff: return false
            case UInt8(ascii: "."): if last == UInt8(ascii: "/") { return false }
            case UInt8(ascii: "/"):
                // Two belong before a host, and nowhere else.
                if last == UInt8(ascii: "/"),
                    firstSlash != place - 1 || place > 1 && text[place - 2] != UInt8(ascii: ":")
                {
                    return false
                }
                firstSlash = firstSlash ?? place
            default: break
            }
            last = byte
        }
        return true
    }

    // MARK: Paths

    /// A slash that was escaped in a segment; apart from it, only an escaped NUL gives a segment this byte.
    private static let innerSlash: UInt8 = 0
    /// The bytes of a segment that is not text: they are not UTF-8, so no template has them.
    private static let noText: [UInt8] = [0xff]

    static func path(_ path: some Collection<UInt8>) -> [UInt8] {
        var segments: [[UInt8]] = []
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            let segment = Array(segment)
            switch dots(segment) {
            case 1: continue
            case 2: if !segments.isEmpty { segments.removeLast() }
            default: segments.append(segment)
            }
        }
        return segments.reduce(into: []) { path, segment in
            let text = decoded(segment.prefix { $0 != UInt8(ascii: ";") })
            if !text.isEmpty { path += [UInt8(ascii: "/")] + text }
        }
    }

    /// Returns 1 for the segment `.` and 2 for `..`, escaped or not; 0 for any other.
    private static func dots(_ segment: [UInt8]) -> Int {
        guard segment.count <= 6 else { return 0 }
        let text = String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".")
        return text == "." ? 1 : text == ".." ? 2 : 0
    }

    /// Returns a segment or a host with its escapes decoded, once.
    private static func decoded(_ written: some Collection<UInt8>) -> [UInt8] {
        let written = Array(written)
        var bytes: [UInt8] = []
        var place = 0
        while place < written.count {
            if written[place] == UInt8(ascii: "%"), place + 2 < written.count,
                let high = written[place + 1].hexValue, let low = written[place + 2].hexValue
            {
                let byte = high << 4 | low
                bytes.append(byte == UInt8(ascii: "/") ? innerSlash : byte)
                place += 3
            } else {
                bytes.append(written[place])
                place += 1
            }
        }
        guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes }
        guard let text = Self.text(bytes) else { return noText }
        return Array(text.precomposedStringWithCanonicalMapping.utf8)
    }

    /// Returns the bytes as text; nil if they are not UTF-8.
    static func text(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    // MARK: Hosts

    /// Returns a host in the one spelling; empty if it is no UTF-8.
    package static func host(_ host: [UInt8]) -> [UInt8] {
        guard let text = Self.text(decoded(host)) else { return [] }
        let labels = folded(text).split(separator: ".", omittingEmptySubsequences: false).map { label in
            label.hasPrefix("xn--")
                ? Self.unicode(ofPunycode: label.dropFirst(4)).map(folded) ?? String(label) : String(label)
        }
        let name = labels.joined(separator: ".")
        return Array((name.hasSuffix(".") ? String(name.dropLast()) : name).utf8)
    }

    /// Returns the text with compatibility forms and capital letters replaced, each scalar by itself.
    private static func folded(_ text: some StringProtocol) -> String {
        let small = text.precomposedStringWithCompatibilityMapping.unicodeScalars.reduce(into: "") {
            $0 += $1 == "\u{3002}" ? "." : invisible.contains($1) ? "" : $1.properties.lowercaseMapping
        }
        return small.precomposedStringWithCompatibilityMapping
    }

    /// Signs that browsers drop from hosts (UTS #46, `ignored`): the soft hyphen, and marks without width.
    private static let invisible: Set<Unicode.Scalar> = [
        "\u{AD}", "\u{200B}", "\u{2060}", "\u{FE0E}", "\u{FE0F}", "\u{FEFF}",
    ]

    /// Decodes a label from what follows its `xn--`; nil if that is malformed. Source: RFC 3492, section 6.2.
    private static func unicode(ofPunycode label: some StringProtocol) -> String? {
        let bytes = Array(label.utf8)
        let basic = bytes.lastIndex(of: UInt8(ascii: "-")) ?? 0
        var scalars = bytes[..<basic].map { UInt32($0) }
        var (code, place, bias) = (128, 0, 72)
        var digits = bytes[(basic > 0 ? basic + 1 : 0)...]
        while !digits.isEmpty {
            let start = place
            var (weight, k) = (1, 36)
            while true {
                guard let digit = digits.popFirst()?.punycodeDigit, place < 1 << 24, weight < 1 << 24 else {
                    return nil
                }
                place += digit * weight
                let threshold = min(max(k - bias, 1), 26)
                if digit < threshold { break }
                weight *= 36 - threshold
                k += 36
            }
            let count = scalars.count + 1
            bias = adapted(place - start, count: count, isFirst: start == 0)
            code += place / count
            place %= count
            guard code <= 0x10ffff else { return nil }
            scalars.insert(UInt32(code), at: place)
            place += 1
        }
        var text = String.UnicodeScalarView()
        for scalar in scalars {
            guard let scalar = Unicode.Scalar(scalar) else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > 455 {
            delta /= 35
            k += 36
        }
        return k + 36 * delta / (delta + 38)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in either case; nil for any other byte.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46, 0x61...0x66: (self | 0x20) - 0x61 + 10
        default: nil
        }
    }

    fileprivate var punycodeDigit: Int? {
        isDigit ? Int(self) - 0x30 + 26 : isASCIILetter ? Int(self | 0x20) - 0x61 : nil
    }
}

/// The host and the path of a URL, borrowed from its bytes; also of a bare path or a bare host.
///
/// Source: RFC 3986, section 3; behind `http:` and `https:` any number of slashes leads to the host, as in browsers.
/// User information, port, query and fragment are left out; the rest stays as written.
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
        if Self.isWeb(scheme), rest[scheme.endIndex...].first == UInt8(ascii: ":") {
            rest = rest[(scheme.endIndex + 1)...].drop { $0 == slash }
            isAbsolute = true
        } else if rest[scheme.endIndex...].starts(with: "://".utf8) {
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

    /// True for `http` and `https` in any letters.
    private static func isWeb(_ scheme: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        (4...5).contains(scheme.count) && zip(scheme, "https".utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}

/// A URL or a path to its route template: the one equal to the path letter for letter, else the first that matches.
///
/// - Complexity: O(templates · length) on values that equal no template letter for letter.
struct RouteBucketing: TabledBucketing {
    let buckets: LabelTable
    private let templates: [RouteTemplate]
    /// The index of each template, by its path; for paths that equal a template letter for letter.
    private let places: ByteTable

    init(templates texts: [String]) throws(BucketingProblem) {
        buckets = try LabelTable(texts)
        var templates: [RouteTemplate] = []
        var places = ByteTable()
        for text in texts {
            let template = try RouteTemplate(text)
            if let first = templates.firstIndex(of: template) { throw .repeatedAddress(text, first: texts[first]) }
            places.insert(template.path, templates.count)
            templates.append(template)
        }
        (self.templates, self.places) = (templates, places)
    }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        if AddressSpelling.isPlain(text.bytes) {
            let address = WebAddress(text.bytes)
            let path = address.path.last == UInt8(ascii: "/") ? address.path.dropLast() : address.path
            return address.isPage ? bucket(UnsafeBufferPointer(rebasing: path)) : buckets.other
        }
        let address = AddressSpelling(text.bytes)
        return address.isPage ? address.path.withUnsafeBufferPointer { bucket($0) } : buckets.other
    }

    private func bucket(_ path: UnsafeBufferPointer<UInt8>) -> Int {
        places[path] ?? templates.firstIndex { $0.matches(path) } ?? buckets.other
    }
}

/// One route of an app: "/product/:id" matches "/product/7", "/docs/*" matches "/docs" and everything below it.
///
/// `:name` stands for one segment that is not empty, a `*` at the end for any further ones. Two templates are equal if
/// no path could tell them apart.
struct RouteTemplate: Sendable, Equatable {
    private enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case anything
    }

    /// The template spelled as an address (``AddressSpelling``).
    let path: String
    private let segments: [Segment]
    private let isOpenEnded: Bool

    init(_ template: String) throws(BucketingProblem) {
        let problem = BucketingProblem.malformedRoute(template)
        let slash = UInt8(ascii: "/")
        let written = template.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        guard template.hasPrefix("/"), !template.utf8.contains(where: { "?# ".utf8.contains($0) }),
            !written.dropLast().contains(where: \.isEmpty),
            let path = AddressSpelling.text(AddressSpelling.path(template.utf8))
        else { throw problem }
        self.path = path
        var parts = path.utf8.split(separator: slash)
        isOpenEnded = parts.last?.elementsEqual("*".utf8) == true
        if isOpenEnded { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            guard !part.contains(UInt8(ascii: "*")) else { throw problem }
            if part.first == UInt8(ascii: ":") {
                guard part.count > 1 else { throw problem }
                segments.append(.anything)
            } else {
                segments.append(.literal(Array(part)))
            }
        }
        self.segments = segments
    }

    static func == (left: Self, right: Self) -> Bool {
        left.segments == right.segments && left.isOpenEnded == right.isOpenEnded
    }

    /// True if the path, spelled as ``AddressSpelling`` does, is of this route.
    func matches(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        var rest = Slice(base: path, bounds: path.indices)
        for segment in segments {
            guard rest.first == slash else { return false }
            let part = rest.dropFirst().prefix { $0 != slash }
            if case .literal(let literal) = segment, !part.elementsEqual(literal) { return false }
            rest = rest[part.endIndex...]
        }
        return isOpenEnded || rest.isEmpty
    }
}
