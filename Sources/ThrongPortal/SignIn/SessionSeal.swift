internal import Crypto
internal import Foundation
internal import ThrongWire

/// Seals what a browser brings back as a cookie: which token somebody signed in with, and until when that holds.
///
/// The key lives as long as the process: a restart signs everybody out.
struct SessionSeal: Sendable {
    /// What a browser brings back.
    struct Session: Sendable, Hashable {
        /// The token's public part.
        let token: String
        /// When its owner signed in. Unit: Unix seconds.
        let since: Int64
        /// From when on it is worth nothing. Unit: Unix seconds.
        let until: Int64
    }

    /// How long a session lasts without a look at a page. Unit: seconds.
    static let idle: Int64 = 3600
    /// How long it lasts at most. Unit: seconds.
    static let longest: Int64 = 12 * 3600

    private let key = SymmetricKey(size: .bits256)

    /// A session that begins, or goes on.
    static func session(of token: String, since: Int64, now: Int64) -> Session {
        Session(token: token, since: since, until: min(now + idle, since + longest))
    }

    /// As a cookie's value.
    func sealed(_ session: Session) -> String {
        let text = "\(session.token).\(session.since).\(session.until)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return text + "." + code.lowerHex
    }

    /// What was sealed; nil where it was changed, is over, or is another process's.
    func opened(_ value: some StringProtocol, now: Int64) -> Session? {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let since = Int64(parts[1]), let until = Int64(parts[2]), now < until else {
            return nil
        }
        let session = Session(token: String(parts[0]), since: since, until: until)
        // Compares all bytes, whichever differ.
        let expected = Array(sealed(session).utf8)
        let found = Array(value.utf8)
        guard expected.count == found.count, zip(expected, found).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else {
            return nil
        }
        return session
    }
}
