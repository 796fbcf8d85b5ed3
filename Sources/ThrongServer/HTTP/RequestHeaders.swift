internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import NIOHTTP1
internal import ThrongPlan

/// The headers of a request that routes use, parsed in one way for all of them.
///
/// White space around a value is no part of it, and several lines of a list header are one list.
///
/// Source: RFC 9110, sections 5.3, 5.5 and 5.6.1.
struct RequestHeaders {
    /// The origin of the page that a request comes from, as far as its browser says.
    enum Origin: Hashable {
        /// No page: clients that are no browser name none.
        case none
        case page(String)
        /// More than one was named, which no browser does (the Fetch standard, section 3.2).
        case unclear
    }

    private(set) var signals: Set<OptOutSignal> = []
    private(set) var origin = Origin.none
    /// The last line of Content-Type, and how many there are.
    private var lastContentType = ""
    private var contentTypes = 0
    /// Codings of the body but for `identity`, in lower-case letters.
    private var codings: [String] = []
    /// The body's length; 0 if the client does not say. Unit: bytes.
    private(set) var length = 0
    private var lengths = 0
    /// The number of Transfer-Encoding lines, and whether the only one says `chunked` and nothing else.
    private var transferCodings = 0
    private var isChunked = false
    private(set) var expectsContinue = false
    /// True if the client asks for an upgrade. None is offered, and NIO's decoder reads nothing more after such a head.
    private(set) var asksForUpgrade = false
    /// The secret of `Authorization: Bearer`; nil if there is none, empty if there are two. Other schemes are ignored.
    private(set) var bearer: String?
    /// The addresses of the client according to proxies. Only listed proxies are to be believed.
    private(set) var forwarded = ForwardedFor()
    private(set) var host: String?
    private(set) var hosts = 0
    /// True if the request was sealed and opened here: only this process knows the word that says so.
    private(set) var isSealed = false
    /// The mark of a daemon that hands the request on. It is not checked here.
    private(set) var member: MemberMark?

    init(_ headers: HTTPHeaders) { for (name, value) in headers { take(name, value) } }

    init(_ fields: HTTPFields) { for field in fields { take(field.name.canonicalName, field.value) } }

    /// The body's type; nil if there is none, or more than one.
    var contentType: MediaType? { contentTypes == 1 ? MediaType(lastContentType) : nil }

    var isGzip: Bool? { codings.isEmpty ? false : codings == ["gzip"] ? true : nil }

    /// True if all readers see the request's end at the same place: it has one length, or comes in chunks, or neither.
    ///
    /// Source: RFC 9112, sections 6.1 to 6.3, in its strictest reading.
    var hasClearEnd: Bool { transferCodings == 0 ? lengths <= 1 : transferCodings == 1 && isChunked && lengths == 0 }

    /// The fields that another daemon has to know, in a form that it reads in the same way.
    var handedOn: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if signals.contains(.doNotTrack) { fields.append(("dnt", "1")) }
        if signals.contains(.globalPrivacyControl) { fields.append(("sec-gpc", "1")) }
        if let bearer { fields.append(("authorization", "Bearer \(bearer)")) }
        if let coding = codings.first { fields.append(("content-encoding", coding)) }
        return fields
    }

    private mutating func take(_ name: String, _ value: String) {
        // Names differ in their length, so that most are told apart by one number.
        switch name.utf8.count {
        case 3 where name.lowercased() == "dnt": if Self.isOn(value) { signals.insert(.doNotTrack) }
        case 4 where name.lowercased() == "host":
            host = FieldSyntax.trimmed(whole: value)
            hosts += 1
        case 6 where name.lowercased() == "origin":
            let text = FieldSyntax.trimmed(value[...])
            let isOne = origin == .none && !text.utf8.contains { $0 == UInt8(ascii: ",") || FieldSyntax.isSpace($0) }
            origin = isOne ? .page(String(text)) : .unclear
        case 6 where name.lowercased() == "expect":
            expectsContinue = FieldSyntax.trimmed(value[...]).lowercased() == "100-continue"
        case 7 where name.lowercased() == "sec-gpc": if Self.isOn(value) { signals.insert(.globalPrivacyControl) }
        case 7 where name.lowercased() == "upgrade": asksForUpgrade = true
        case 12 where name.lowercased() == "content-type":
            lastContentType = value
            contentTypes += 1
        case 13 where name.lowercased() == SealedMark.name: if value == SealedMark.value { isSealed = true }
        case 13 where name.lowercased() == MemberMark.name: member = MemberMark(value)
        case 13 where name.lowercased() == "authorization":
            let parts = value.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { break }
            bearer = bearer == nil ? String(FieldSyntax.trimmed(parts[1])) : ""
        case 14 where name.lowercased() == "content-length":
            length = Int(FieldSyntax.trimmed(whole: value)) ?? .max
            lengths += 1
        case 17 where name.lowercased() == "transfer-encoding":
            isChunked = FieldSyntax.trimmed(value[...]).lowercased() == "chunked"
            transferCodings += 1
        case 15 where name.lowercased() == "x-forwarded-for": forwarded.listed.append(value)
        case 9 where name.lowercased() == "forwarded": forwarded.standard.append(value)
        case 16 where name.lowercased() == "content-encoding":
            for element in FieldSyntax.elements(value) where element.lowercased() != "identity" {
                // Source: RFC 9110, section 8.4.1.3.
                codings.append(element.lowercased() == "x-gzip" ? "gzip" : element.lowercased())
            }
        default: break
        }
    }

    /// Returns true if a signal says 1, alone or among other values, with parameters or without.
    private static func isOn(_ value: String) -> Bool {
        value == "1"
            || FieldSyntax.elements(value).contains { element in
                FieldSyntax.trimmed(Substring(element.utf8.prefix { $0 != UInt8(ascii: ";") })) == "1"
            }
    }
}

/// The mark that tells routes that a request was opened here: a header field whose value only this process knows.
enum SealedMark {
    static let name = "throng-sealed"
    static let value = BatchID.random().description
}

/// The mark of a request that a daemon hands on: the daemons' secret, the request's network, and whether it was sealed.
///
/// The wire format is `throng-member: SECRET NETWORK SEALED`: the secret and the bytes of ``ClientNetwork/hex`` in
/// hexadecimal digits, `-` for a network that is not known, and 1 for sealed, 0 for not.
struct MemberMark: Hashable, Sendable {
    static let name = "throng-member"

    /// The secret by which daemons know one another. It is not checked here.
    let secret: [UInt8]
    /// The client's network; nil if it is not known.
    let network: ClientNetwork?
    let isSealed: Bool

    init(secret: [UInt8], network: ClientNetwork?, isSealed: Bool) {
        (self.secret, self.network, self.isSealed) = (secret, network, isSealed)
    }

    /// Reads a mark; nil for anything that no daemon writes.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let secret = [UInt8](hex: words[0]), ["0", "1"].contains(words[2]) else { return nil }
        var network: ClientNetwork?
        if words[1] != "-" {
            guard let known = ClientNetwork(hex: words[1]) else { return nil }
            network = known
        }
        self.init(secret: secret, network: network, isSealed: words[2] == "1")
    }

    var text: String { "\(secret.lowerHex) \(network?.hex ?? "-") \(isSealed ? 1 : 0)" }
}

extension [UInt8] {
    /// Returns true if both are the same, in a time that does not tell where they differ.
    func isSame(as other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The mark that tells routes a request's network: a header field that begins with a word of this process alone.
enum NetworkMark {
    static let name = "throng-network"
    private static let word = BatchID.random().description

    /// Sets the mark in a request's head; a client's own value is replaced.
    static func set(_ network: NetworkPrefix, in headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: name, value: "\(word) \(network.bytes.lowerHex)")
    }

    /// Returns the network's bytes; none if it is not known, and without a mark.
    static func network(of request: Request) -> [UInt8] {
        guard let name = HTTPField.Name(name), let value = request.headers[name] else { return [] }
        let words = value.split(separator: " ")
        return words.count == 2 && words[0] == word ? [UInt8](hex: words[1]) ?? [] : []
    }
}

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
        byte.isDigit || byte.isASCIILetter || ".-".utf8.contains(byte)
    }

    private static let otherSigns = Array("_~!$&'()*+,;=".utf8)
}
