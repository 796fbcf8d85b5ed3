internal import ThrongWire

/// Sign-in sessions: a browser's cookie opens pages as long as its session is in PostgreSQL.
///
/// All daemons of the database share the sessions, so a session ended at one daemon is ended at all. Only the SHA-256
/// of the cookie is kept: whoever reads the database can't sign in. Times go by PostgreSQL's clock, which all daemons
/// share.
extension AccessStore {
    /// The lifetime of a session without a page view. Unit: seconds.
    package static let idle = 3600
    /// The longest lifetime of a session. Unit: seconds.
    package static let longest = 12 * 3600
    /// The most sessions of one token at a time; a further one ends the oldest.
    package static let mostOfToken = 64

    /// Begins a session; returns the cookie's value: 256 random bits, as 64 hexadecimal digits.
    package func beginSession(of token: String) async throws -> String {
        var random = SystemRandomNumberGenerator()
        let cookie = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }.lowerHex
        let begin = Query.insertSession(hash: Self.hash(of: cookie), token: token, idle: Self.idle)
        try await connection.transaction { session in
            try session.run(Query.expireSessions())
            try session.run(Query.endSessions(token: token, left: Self.mostOfToken - 1))
            try session.run(begin)
        }
        return cookie
    }

    /// Returns the public part of the token of a session, and extends the session; nil if there is no such session or
    /// it is over.
    package func session(of cookie: some StringProtocol) async throws -> String? {
        // A text that can't be a cookie is not worth a question.
        guard cookie.utf8.count == 64 else { return nil }
        return try await connection.first(
            Query.lookAtSession(hash: Self.hash(of: cookie), idle: Self.idle, longest: Self.longest))
    }

    /// Ends the session of a cookie for good, for every daemon.
    package func endSession(of cookie: some StringProtocol) async throws {
        try await connection.run(Query.deleteSession(hash: Self.hash(of: cookie)))
    }

    package func expireSessions() async throws { try await connection.run(Query.expireSessions()) }

    /// The sessions of a token that are not over, the latest first.
    package func sessions(of token: String) async throws -> [PortalSession] {
        try await connection.run(Query.selectSessions(token: token))
    }

    /// Ends a session of a token for good, for every daemon; nothing where it is another token's.
    package func endSession(_ session: PortalSession.ID, of token: String) async throws {
        try await connection.run(Query.endOwnSessions(token: token, session: session, isForOthers: false))
    }

    package func endSessions(of token: String, but session: PortalSession.ID) async throws {
        try await connection.run(Query.endOwnSessions(token: token, session: session, isForOthers: true))
    }

    private static func hash(of cookie: some StringProtocol) -> [UInt8] { PortalSession.ID(cookie: cookie).hash }
}
