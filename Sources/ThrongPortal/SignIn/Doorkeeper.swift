internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongPlan
internal import ThrongStore

/// Lets people in by their token, once, and knows them by a cookie afterwards.
struct Doorkeeper: Sendable {
    let access: AccessStore
    let now: @Sendable () -> UnixSeconds

    /// The prefix makes browsers take it only over TLS, or from this machine, for this host alone.
    private static let cookie = "__Host-throng"
    /// Of a form with a token. Unit: bytes.
    private static let largestForm = 4096
    /// A browser has one of this name; each is a question to PostgreSQL.
    private static let mostCookies = 4

    /// The token of whoever asks; nil where they have to sign in.
    func visitor(of request: Request) async throws -> AccessToken? {
        let now = now()
        for cookie in Self.cookies(of: request) {
            guard let id = try await access.session(of: cookie),
                let token = try await access.token(id), token.isGood(at: now)
            else { continue }
            return token
        }
        return nil
    }

    /// Ends the sessions of whoever asks: their cookies open nothing any more, at any daemon.
    func leave(_ request: Request) async throws {
        for cookie in Self.cookies(of: request) { try await access.endSession(of: cookie) }
    }

    /// A cookie for whoever sent a form with a good token; nil for anybody else.
    func admit(_ request: Request) async throws -> String? {
        let form = try await request.body.collect(upTo: Self.largestForm)
        guard let secret = Self.token(in: String(buffer: form)).flatMap({ AccessSecret($0) }),
            let token = try await access.token(of: secret), token.isGood(at: now())
        else { return nil }
        return Self.cookie(with: try await access.beginSession(of: token.id))
    }

    /// Whether a form was sent from a page of this origin, as far as the browser says.
    ///
    /// Source: Fetch metadata; older browsers say only the origin, programs say nothing and hold no cookie.
    static func isFromHere(_ request: Request) -> Bool {
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headers[$0] }) { return site == "same-origin" }
        guard let origin = request.headers[.origin] else { return true }
        return origin == "https://\(request.head.authority ?? "")" || origin == "http://\(request.head.authority ?? "")"
    }

    /// A cookie with a session; without one it ends the one that is there.
    static func cookie(with value: String?) -> String {
        "\(cookie)=\(value ?? ""); Path=/; Max-Age=\(value == nil ? 0 : AccessStore.longest); Secure; HttpOnly; SameSite=Strict"
    }

    private static func cookies(of request: Request) -> ArraySlice<Substring> {
        request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == cookie else { return nil }
            return parts[1]
        }.prefix(mostCookies)
    }

    private static func token(in form: String) -> String? {
        for pair in form.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == "token" {
                return parts[1].replacing("+", with: " ").removingPercentEncoding
            }
        }
        return nil
    }
}
