internal import Crypto
internal import Foundation
internal import Synchronization
internal import ThrongPostgres
internal import ThrongWire

/// Who has signed in, and until when: what a browser brings back as a cookie opens pages as long as its session is here.
///
/// They are in memory alone: a restart signs everybody out, and no cookie outlives its session.
final class Sessions: Sendable {
    /// One browser that has signed in.
    struct Session: Sendable, Hashable {
        /// The token's public part.
        let token: String
        /// When its owner signed in.
        let since: UnixSeconds
        /// From when on it is worth nothing.
        var until: UnixSeconds
    }

    /// How long a session lasts without a look at a page. Unit: seconds.
    static let idle: Int64 = 3600
    /// How long it lasts at most. Unit: seconds.
    static let longest: Int64 = 12 * 3600
    /// How many one token may have at a time; a further one ends the oldest.
    static let mostOfToken = 64

    /// By the cookie's hash, so that how long a look-up takes tells nothing of a cookie.
    private let open = Mutex<[SHA256Digest: Session]>([:])

    /// Begins a session.
    ///
    /// - Returns: the cookie's value: 256 random bits.
    func begin(of token: String, now: UnixSeconds) -> String {
        var random = SystemRandomNumberGenerator()
        let cookie = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }.lowerHex
        open.withLock { open in
            open = open.filter { now < $0.value.until }
            let others = open.filter { $0.value.token == token }
            if others.count >= Self.mostOfToken, let oldest = others.min(by: { $0.value.since < $1.value.since }) {
                open[oldest.key] = nil
            }
            open[Self.hash(cookie)] = Session(token: token, since: now, until: now + Self.idle)
        }
        return cookie
    }

    /// The session of a cookie, which goes on with this look; nil where there is none, or none any more.
    func session(of cookie: some StringProtocol, now: UnixSeconds) -> Session? {
        let key = Self.hash(cookie)
        return open.withLock { open in
            guard var session = open[key], now < session.until else { return nil }
            session.until = max(session.until, min(now + Self.idle, session.since + Self.longest))
            open[key] = session
            return session
        }
    }

    /// Ends the session of a cookie for good.
    func end(_ cookie: some StringProtocol) { open.withLock { $0[Self.hash(cookie)] = nil } }

    private static func hash(_ cookie: some StringProtocol) -> SHA256Digest { SHA256.hash(data: Data(cookie.utf8)) }
}
