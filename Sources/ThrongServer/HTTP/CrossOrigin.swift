internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import ThrongIngest

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
        self.init(listed: Set(origins))
    }

    /// Pages that may read an answer.
    struct Reader: Sendable {
        let headers: HTTPFields
    }

    /// Returns true if a request may be answered: it comes from no page, or from one that may ask.
    func allow(_ origin: RequestHeaders.Origin) -> Bool { origin == .none || reader(for: origin) != nil }

    /// Returns the pages that may read the answer to a page of an origin; nil if no page asked, or it may not ask.
    func reader(for origin: RequestHeaders.Origin) -> Reader? {
        guard origin != .none else { return nil }
        guard let listed else { return Self.anyone }
        guard case .page(let origin) = origin, listed.contains(origin.lowercased()) else { return nil }
        return Reader(
            headers: [.accessControlAllowOrigin: origin, .accessControlExposeHeaders: Self.exposed, .vary: "origin"])
    }

    private static let anyone = Reader(headers: [.accessControlAllowOrigin: "*", .accessControlExposeHeaders: exposed])

    /// The headers that scripts may read beside the body: the time to wait, and the current time.
    private static let exposed = "age, date, retry-after"

    /// Returns the headers of an answer; a request without an origin gets them too, for caches.
    fileprivate func headers(for origin: RequestHeaders.Origin) -> HTTPFields {
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
            response.headers[.accessControlAllowHeaders] = "content-type, content-encoding"
            response.headers[.accessControlMaxAge] = "86400"
        }
        return response
    }
}
