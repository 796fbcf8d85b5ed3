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
