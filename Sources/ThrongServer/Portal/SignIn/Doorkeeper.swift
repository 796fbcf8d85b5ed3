internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongPlan
internal import ThrongStore

/// Lets people in by their token, once, and knows them by a cookie afterwards.
final class Doorkeeper: Sendable {
    /// The answer to a form with a token.
    enum Admission {
        /// Has this cookie from now on.
        case cookie(String)
        case refused
        /// Was not looked at. Unit: seconds.
        case tooFast(seconds: Int)
    }

    let access: AccessStore
    let now: @Sendable () -> UnixSeconds
    let onRefusal: @Sendable (SecurityLog.Refusal) -> Void
    private let throttle = Mutex(SignInThrottle())
    private let start = ContinuousClock.now

    init(
        access: AccessStore, now: @escaping @Sendable () -> UnixSeconds,
        onRefusal: @escaping @Sendable (SecurityLog.Refusal) -> Void
    ) {
        (self.access, self.now, self.onRefusal) = (access, now, onRefusal)
    }

    /// The prefix makes browsers take it only over TLS, or from this machine, for this host alone.
    private static let cookie = "__Host-throng"
    /// The largest form with a token. Unit: bytes.
    private static let largestForm = 4096
    /// A browser has one of this name; each is a question to PostgreSQL.
    private static let mostCookies = 4

    /// The token of whoever asks; nil where they have to sign in.
    func visitor(of request: Request) async throws -> AccessToken? { try await entry(of: request)?.token }

    /// The token of whoever asks, and the session by which they are in; nil where they have to sign in.
    func entry(of request: Request) async throws -> (token: AccessToken, session: PortalSession.ID)? {
        let now = now()
        for cookie in Self.cookies(of: request) {
            guard let id = try await access.session(of: cookie),
                let token = try await access.token(id), token.isGood(at: now)
            else { continue }
            return (token, PortalSession.ID(cookie: cookie))
        }
        return nil
    }

    /// Ends the sessions of whoever asks: their cookies open nothing any more, at any daemon.
    func leave(_ request: Request) async throws {
        for cookie in Self.cookies(of: request) { try await access.endSession(of: cookie) }
    }

    /// A cookie for whoever sent a form with a good token.
    func admit(_ request: Request) async throws -> Admission {
        let secret = try await Self.field("token", of: request).flatMap { AccessSecret($0) }
        let (part, network) = (secret?.id ?? "", NetworkMark.network(of: request))
        var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
        if let wait = throttle.withLock({ $0.refuse(part, from: network, at: seconds) }) {
            return .tooFast(seconds: wait)
        }
        guard let secret, let token = try await access.token(of: secret), token.isGood(at: now()) else {
            return .refused
        }
        throttle.withLock { $0.succeed(part, from: network, at: seconds) }
        return .cookie(Self.cookie(with: try await access.beginSession(of: token.id)))
    }

    /// Notes a form that was sent from a page of another origin, as far as the browser says; returns true for all others.
    func accepts(_ form: Request) -> Bool {
        let isFromHere = Self.isFromHere(form)
        if !isFromHere { onRefusal(.foreignForm) }
        return isFromHere
    }

    /// Source: Fetch metadata; older browsers say only the origin, programs say nothing and hold no cookie.
    private static func isFromHere(_ request: Request) -> Bool {
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

    /// A field of a small form; nil where it has none such, or an empty one.
    static func field(_ name: String, of request: Request) async throws -> String? {
        let value = PreviewTrial.form(try await request.body.collect(upTo: largestForm))[name] ?? ""
        return value.isEmpty ? nil : value
    }
}
