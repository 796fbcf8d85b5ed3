internal import Glibc
internal import NIOHTTP1
internal import ThrongWire

/// The target of a request, as routes see it: path, query and one host. A request whose end is in doubt has none.
///
/// Source: RFC 9112, sections 3.2 and 3.2.2; RFC 9110, sections 4.2 and 7.2.
struct RequestTarget {
    /// The problem with a request's host, with a target that names one, or with the fields that mark its end.
    enum Problem: Error {
        case noHost
        case severalHosts
        case malformedHost
        case malformedTarget
        case unclearEnd

        var code: String { self == .unclearEnd ? "unclear_end" : "bad_host" }

        var message: String {
            switch self {
            case .noHost: "The request has no Host; HTTP/1.1 asks for one."
            case .severalHosts: "The request has more than one Host; send one."
            case .malformedHost: "The request's Host is no host with an optional port."
            case .unclearEnd:
                "The request says in several ways where it ends; send one Content-Length, or Transfer-Encoding: chunked alone."
            case .malformedTarget: "The request's target is no path, and no http address with a host."
            }
        }
    }

    /// A path with its query; the target as it came if it has neither, such as `*`.
    let path: String
    /// The host; nil if a client of HTTP/1.0 names none.
    let host: String?
    /// True if the target named the host itself, so that the header does not count.
    let isAbsolute: Bool

    init(_ target: String, _ headers: RequestHeaders, version: HTTPVersion) throws(Problem) {
        guard headers.hasClearEnd else { throw .unclearEnd }
        guard headers.hosts <= 1 else { throw .severalHosts }
        if let host = headers.host {
            guard Self.isHost(host) else { throw .malformedHost }
        } else if version != .http1_0 {
            throw .noHost
        }
        guard target.utf8.first != UInt8(ascii: "/"), let address = try Self.split(target) else {
            (path, host, isAbsolute) = (target, headers.host, false)
            return
        }
        (path, host, isAbsolute) = (address.path, address.host, true)
    }

    /// Returns the parts of an absolute target; nil for one that is not absolute.
    private static func split(_ target: String) throws(Problem) -> (host: String, path: String)? {
        guard let colon = target.firstIndex(of: ":"), target[colon...].hasPrefix("://") else { return nil }
        let scheme = target[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .malformedTarget }
        let rest = target[colon...].dropFirst(3)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let host = String(rest[..<end])
        guard isHost(host) else { throw .malformedTarget }
        let path = String(rest[end...])
        return (host, path.first == "/" ? path : "/" + path)
    }

    /// True if the text is `uri-host [ ":" port ]` (RFC 3986, section 3.2.2) with a host in it: a name, an IPv4
    /// address, or an IP literal in brackets.
    static func isHost(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { isPlainHost($0) } == true || isOtherHost(text)
    }

    /// True if the host is letters, digits, dots and hyphens, with a port or without, as nearly all are: one pass.
    private static func isPlainHost(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var name = 0
        var port: (digits: Int, number: Int)?
        for byte in text {
            if let known = port {
                guard byte.isDigit, known.digits < 5 else { return false }
                port = (known.digits + 1, known.number * 10 + Int(byte - UInt8(ascii: "0")))
            } else if byte == UInt8(ascii: ":") {
                port = (0, 0)
            } else {
                guard isPlain(byte) else { return false }
                name += 1
            }
        }
        return name > 0 && port?.number ?? 0 <= 65_535
    }

    private static func isOtherHost(_ text: String) -> Bool {
        var bytes = Substring(text).utf8
        let isLiteral = bytes.first == UInt8(ascii: "[")
        if isLiteral { bytes.removeFirst() }
        let name = bytes.prefix { isInName($0) || $0 == (isLiteral ? UInt8(ascii: ":") : UInt8(ascii: "%")) }
        guard !name.isEmpty, isLiteral || isDecodable(name) else { return false }
        bytes = bytes[name.endIndex...]
        if isLiteral, bytes.popFirst() != UInt8(ascii: "]") || !isAddress(name) { return false }
        guard let colon = bytes.popFirst() else { return true }
        // The digits of a port may be left out.
        return colon == UInt8(ascii: ":")
            && (bytes.isEmpty
                || bytes.count <= 5 && bytes.allSatisfy(\.isDigit) && Int(Substring(bytes)) ?? .max <= 65_535)
    }

    /// True if a name in brackets is an IPv6 address, or one of a future version: `v1.a:b`.
    private static func isAddress(_ name: Substring.UTF8View) -> Bool {
        if name.first.map({ $0 | 0x20 }) == UInt8(ascii: "v") {
            let version = name.dropFirst().prefix { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
            let rest = name[version.endIndex...]
            return !version.isEmpty && rest.first == UInt8(ascii: ".") && rest.count > 1
        }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(Substring(name)), &address) == 1
    }

    private static func isDecodable(_ name: Substring.UTF8View) -> Bool {
        var rest = name
        while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
            let digits = rest[sign...].dropFirst().prefix(2)
            guard digits.count == 2, digits.allSatisfy({ $0.isDigit || (0x61...0x66).contains($0 | 0x20) }) else {
                return false
            }
            rest = rest[digits.endIndex...]
        }
        return true
    }

    /// `unreserved` and `sub-delims` of RFC 3986.
    private static func isInName(_ byte: UInt8) -> Bool { isPlain(byte) || otherSigns.contains(byte) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static let otherSigns = Array("_~!$&'()*+,;=".utf8)
}
