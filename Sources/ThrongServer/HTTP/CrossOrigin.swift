internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import ThrongIngest
internal import ThrongWire

/// The origins whose web pages may send events and read answers: all of them, or those that the operator lists.
///
/// No route uses cookies, so any page may ask without harm. A list keeps strangers' pages from sending events that
/// their visitors never caused. Clients that are no browser name no origin and are not concerned.
///
/// Source: the Fetch standard, section 3.2 (CORS protocol).
package struct CrossOrigin: Sendable, Hashable {
    /// The origins that are allowed; nil if every origin is.
    private let listed: Set<String>?

    package static let everywhere = CrossOrigin(listed: nil)

    private init(listed: Set<String>?) { self.listed = listed }

    /// Reads "*", or origins such as "https://shop.example.com http://localhost:8000"; nil for anything else.
    package init?(_ text: String) {
        guard text != "*" else {
            self = .everywhere
            return
        }
        let origins = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
        guard !origins.isEmpty, origins.allSatisfy({ $0.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/[^\/?#]+/) != nil })
        else { return nil }
        self.init(listed: Set(origins.map(Self.spelled)))
    }

    /// Returns an origin in small letters as it is compared: with its host in Unicode, without the port of its scheme.
    private static func spelled(_ origin: String) -> String {
        guard let parts = origin.wholeMatch(of: /(.*?:\/\/)(.*?)(:[0-9]*)?/)?.output else { return origin }
        let isImplied = (parts.1 == "https://" && parts.3 == ":443") || (parts.1 == "http://" && parts.3 == ":80")
        let host = String(decoding: AddressSpelling.host(Array(parts.2.utf8)), as: UTF8.self)
        return "\(parts.1)\(host)\(isImplied ? "" : parts.3 ?? "")"
    }

    /// Pages that may read an answer.
    struct Reader: Sendable { let headers: HTTPFields }

    /// Returns true if a request may be answered: it comes from no page, or from one that may ask.
    func allow(_ origin: RequestHeaders.Origin) -> Bool { origin == .none || reader(for: origin) != nil }

    /// Returns the pages that may read the answer to a page of an origin; nil if no page asked, or it may not ask.
    func reader(for origin: RequestHeaders.Origin) -> Reader? {
        guard origin != .none else { return nil }
        guard let listed else { return Self.anyone }
        guard case .page(let origin) = origin else { return nil }
        let small = origin.lowercased()
        guard listed.contains(small) || listed.contains(Self.spelled(small)) else { return nil }
        return Reader(
            headers: [.accessControlAllowOrigin: origin, .accessControlExposeHeaders: Self.exposed, .vary: "origin"])
    }

    private static let anyone = Reader(headers: [.accessControlAllowOrigin: "*", .accessControlExposeHeaders: exposed])

    /// The headers that scripts may read beside the body: the time to wait, and the current time.
    private static let exposed = "age, date, retry-after"

    /// Returns the headers of an answer; a request without an origin gets them too, for caches.
    func headers(for origin: RequestHeaders.Origin) -> HTTPFields {
        guard listed != nil else { return Self.anyone.headers }
        return reader(for: origin)?.headers ?? [.vary: "origin"]
    }
}

/// Tells on every answer, and to preflight requests, which pages may read it; refuses pages that may not send.
struct CrossOriginMiddleware: RouterMiddleware {
    let origins: CrossOrigin

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        let origin = RequestHeaders(request.headers).origin
        var response =
            request.method == .post && !origins.allow(origin)
            ? .refusal(.originNotAllowed) : try await next(request, context)
        response.headers.append(contentsOf: origins.headers(for: origin))
        if request.method == .options {
            response.headers[.accessControlAllowMethods] = "GET, POST"
            // Scripts that watch a page add headers of their own to its requests; browsers before 2019 don't know the star.
            response.headers[.accessControlAllowHeaders] = "content-type, content-encoding, *"
            response.headers[.accessControlMaxAge] = "86400"
        }
        return response
    }
}

/// Refuses requests for other names than this machine's: a page whose name leads here reads nothing (DNS rebinding).
///
/// Addresses are allowed, as they are no names. So are names without a dot and under `localhost`, which nobody can own.
struct KnownHosts: RouterMiddleware {
    private let names: Set<String>

    /// - Parameter names: the names that requests may use for this machine, beside its own host name.
    init(_ names: [String]) { self.names = Set((names + [ProcessInfo.processInfo.hostName]).map { $0.lowercased() }) }

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        // A request without an authority is of a client of HTTP/1.0, which is no browser.
        guard request.head.authority.map({ isKnown($0) }) ?? true else {
            return .problem(
                Problem(
                    .misdirectedRequest, "unknown_host",
                    "Nothing is served here by the Host that was asked for. Ask by an address, or list the name in metrics-hosts."
                ))
        }
        return try await next(request, context)
    }

    /// Returns true if a request's host, with a port or without, is allowed.
    func isKnown(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        var host = authority.prefix { $0 != ":" }.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        guard ClientAddress(host) == nil, !names.contains(host) else { return true }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.inLabels.contains) }
            && (labels.count == 1 || labels.last == "localhost")
    }

    private static let inLabels = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
