internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongPlan
internal import ThrongStore

/// Lets people in by their token, or once by a link, and knows them by a cookie afterwards.
final class Doorkeeper: Sendable {
    /// The answer to whoever shows a token or a link.
    enum Admission<Entry> {
        /// A cookie from now on, or the token itself.
        case entry(Entry)
        case refused
        /// Has a link that was used, or is too old.
        case spent
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

    /// A cookie for whoever sent a form with a good token or link.
    func admit(_ request: Request) async throws -> Admission<String> {
        let form = try await Self.form(of: request)
        switch try await token(form["token"], link: form["link"], from: request) {
        case .entry(let token):
            let isPartner = if case .partner = token.role { true } else { false }
            return .entry(
                Self.cookie(
                    with: try await access.beginSession(of: token.id),
                    seconds: isPartner ? AccessStore.partners : AccessStore.longest))
        case .refused: return .refused
        case .spent: return .spent
        case .tooFast(let seconds): return .tooFast(seconds: seconds)
        }
    }

    /// The token of a program, which shows it with each request, or of whoever has signed in; nil where neither is there.
    ///
    /// Source: RFC 6750, section 2.1.
    func reader(of request: Request) async throws -> Admission<AccessToken>? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            // Another scheme is for a proxy before the pages.
            return try await visitor(of: request).map { .entry($0) }
        }
        return try await token(String(parts[1]), from: request)
    }

    /// Finds the good token that a text is or that a link opens, at the pace of ``SignInThrottle``.
    private func token(
        _ text: String?, link: String? = nil, from request: Request
    ) async throws -> Admission<AccessToken> {
        let secret = link == nil ? text.flatMap { AccessSecret($0) } : nil
        let (part, network) = (secret?.id ?? "", NetworkMark.network(of: request))
        var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
        if let wait = throttle.withLock({ $0.refuse(part, from: network, at: seconds) }) {
            return .tooFast(seconds: wait)
        }
        var token: AccessToken?
        if let secret { token = try await access.token(of: secret) }
        if let link = link.flatMap({ SignInLink($0) }) { token = try await access.open(link, now: now()) }
        guard let token, token.isGood(at: now()) else { return link == nil ? .refused : .spent }
        throttle.withLock { $0.succeed(part, from: network, at: seconds) }
        return .entry(token)
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
    static func cookie(with value: String?, seconds: Int = 0) -> String {
        "\(cookie)=\(value ?? ""); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Strict"
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
        let value = try await form(of: request)[name] ?? ""
        return value.isEmpty ? nil : value
    }

    private static func form(of request: Request) async throws -> [String: String] {
        PreviewTrial.form(try await request.body.collect(upTo: largestForm))
    }
}
