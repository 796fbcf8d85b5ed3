internal import Crypto
internal import Foundation
package import ThrongPlan

/// Access tokens, and the reports that partners download, as `throng_reporter`.
package final class AccessStore: Sendable {
    let connection: Connection

    package init(_ settings: ConnectionSettings) { connection = .reporting(settings) }

    package func close(within length: Duration? = nil) { connection.close(within: length) }

    // MARK: Tokens

    /// - Parameter link: signs its owner in once; nil where nothing but the token does.
    package func add(_ token: AccessToken, _ secret: AccessSecret, link: SignInLink? = nil) async throws {
        try await connection.run(Query.insertToken(token: token, hash: secret.hash, link: link))
    }

    /// Uses a link up; nil where it was used, is too old, or its token opens nothing.
    package func open(_ link: SignInLink, now: UnixSeconds) async throws -> AccessToken? {
        guard let id = try await connection.first(Query.openLink(hash: link.hash, now: now)) else { return nil }
        return try await token(id)
    }

    /// Returns the key that reads the feed of a token, and nothing else; nil where there is no such token.
    ///
    /// It is made of what is kept of the token: whoever holds it learns nothing of that, and it ends with the token.
    package func feedKey(of token: String) async throws -> String? {
        try await connection.first(Query.selectTokens(id: token)).map { "\(token)\(Self.feedMark($0.hash).lowerHex)" }
    }

    /// Finds the token that the key of a feed belongs to.
    package func token(ofFeed key: some StringProtocol) async throws -> AccessToken? {
        guard key.utf8.count == 72, let mark = [UInt8](hex: String(key.dropFirst(8))),
            let known = try await connection.first(Query.selectTokens(id: String(key.prefix(8))))
        else { return nil }
        let isRight = HMAC<SHA256>.isValidAuthenticationCode(
            mark, authenticating: Self.feed, using: SymmetricKey(data: known.hash))
        return isRight ? known.token : nil
    }

    private static let feed = Array("throng feed of a partner's reports".utf8)

    private static func feedMark(_ hash: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: feed, using: SymmetricKey(data: hash)))
    }

    /// Returns all tokens ever given, in the order of their making.
    package func tokens() async throws -> [AccessToken] {
        try await connection.run(Query.selectTokens(id: nil)).map(\.token)
    }

    /// Finds a token by its public part; nil where there is none.
    package func token(_ id: String) async throws -> AccessToken? {
        try await connection.first(Query.selectTokens(id: id))?.token
    }

    /// Finds the token that a secret belongs to; nil if the public part is unknown or the secret is wrong.
    package func token(of secret: AccessSecret) async throws -> AccessToken? {
        let known = try await connection.first(Query.selectTokens(id: secret.id))
        return known.flatMap { secret.matches($0.hash) ? $0.token : nil }
    }

    /// Takes a token back, and ends its sessions; false where there is none.
    package func revoke(_ id: String, now: UnixSeconds) async throws -> Bool {
        try await connection.transaction { session in
            let isKnown = try session.run(Query.revokeToken(id: id, now: now)) == 1
            try session.run(Query.endSessions(token: id, left: 0))
            return isKnown
        }
    }

    // MARK: Reports

    /// Returns the files of a partner, by report, the latest period first.
    package func files(of partner: PartnerName, app: AppName) async throws -> [KeptReportFile] {
        try await connection.run(Query.selectPartnerFiles(app: app, partner: partner))
    }

    /// Returns a file's bytes; nil where the partner has no such file.
    package func contents(
        of name: String, report: ReportName, partner: PartnerName, app: AppName
    ) async throws -> [UInt8]? {
        let found = try await connection.run(
            Query.selectPartnerFile(app: app, partner: partner, report: report, name: name))
        return found.count == 1 ? found.first : nil
    }

    /// Notes that a token read a report, by the hour.
    package func noteReading(of report: ReportName, by token: String, now: UnixSeconds) async throws {
        try await connection.run(Query.noteReading(token: token, report: report, now: now))
    }

    /// Returns the last time at which each report was read by each token that opens anything, the latest first.
    package func readings() async throws -> [LastReading] { try await connection.run(Query.selectReadings()) }

    // MARK: Health

    /// Returns the last releases of all apps, the latest first.
    package func lastReleases(_ count: Int) async throws -> [ReleaseNote] {
        try await connection.run(Query.selectLastReleases(most: count))
    }
}

/// A file of a report as its partner finds it, without its bytes.
package struct KeptReportFile: Sendable, Hashable {
    package let report: ReportName
    package let period: Period
    package let name: String
    /// Its size. Unit: bytes.
    package let bytes: Int
    package let madeAt: UnixSeconds
}

/// The last time at which a partner's token read a report.
package struct LastReading: Sendable, Hashable {
    /// The public part of the token.
    package let token: String
    package let app: AppName
    package let partner: PartnerName
    package let report: ReportName
    /// The beginning of the hour.
    package let hour: UnixSeconds
}

/// A note that a release was made, without its numbers.
package struct ReleaseNote: Sendable, Hashable {
    package let app: AppName
    package let metric: MetricName
    package let period: Period
    package let madeAt: UnixSeconds
}

extension Query {
    static func insertToken(token: AccessToken, hash: [UInt8], link: SignInLink?) -> Statement {
        var (app, partner): (AppName?, PartnerName?) = (nil, nil)
        if case .partner(let name, let owner) = token.role { (app, partner) = (owner, name) }
        return Statement(
            access_token_insert_sql, token.id, hash, token.role.word, app, partner, token.note, token.createdAt,
            token.expiresAt, link?.hash, link.map { _ in token.createdAt + SignInLink.seconds })
    }

    static func selectTokens(id: String?) -> RowQuery<(token: AccessToken, hash: [UInt8])> {
        RowQuery(access_token_select_sql, id) {
            (AccessToken(id: $0, role: $1, note: $2, createdAt: $3, expiresAt: $4, revokedAt: $5), $6)
        }
    }

    static func openLink(hash: [UInt8], now: UnixSeconds) -> RowQuery<String> {
        RowQuery(access_token_open_sql, hash, now)
    }

    static func noteReading(token: String, report: ReportName, now: UnixSeconds) -> Statement {
        Statement(report_reading_note_sql, token, report, now)
    }

    static func selectReadings() -> RowQuery<LastReading> { RowQuery(report_reading_select_sql, row: LastReading.init) }

    static func insertAsked(
        token: String, app: AppName, question: String, answered: String?
    ) -> RowQuery<Int64> { RowQuery(asked_number_insert_sql, token, app, question, answered) }

    static func declineAsked(_ id: String) -> Statement { Statement(asked_number_decline_sql, id) }

    static func selectAsked(token: String?) -> RowQuery<AskedQuestion> {
        RowQuery(asked_number_select_sql, token, row: AskedQuestion.init)
    }

    static func expireAsked() -> Statement { Statement(asked_number_expire_sql) }

    static func expireReadings() -> Statement { Statement(report_reading_expire_sql) }

    static func forgetNotes() -> Statement { Statement(access_token_forget_sql) }

    static func revokeToken(id: String, now: UnixSeconds) -> Statement { Statement(access_token_revoke_sql, id, now) }

    static func selectPartnerFiles(app: AppName, partner: PartnerName) -> RowQuery<KeptReportFile> {
        RowQuery(run_file_select_partner_sql, app, partner, row: KeptReportFile.init)
    }

    /// The contents of one file, only for the partner that it was made for.
    static func selectPartnerFile(
        app: AppName, partner: PartnerName, report: ReportName, name: String
    ) -> RowQuery<[UInt8]> { RowQuery(run_file_select_contents_sql, app, partner, report, name) }

    static func selectLastReleases(most: Int) -> RowQuery<ReleaseNote> {
        RowQuery(release_select_last_sql, most, row: ReleaseNote.init)
    }

    static func insertSession(hash: [UInt8], token: String, idle: Int, partners: Int) -> Statement {
        Statement(portal_session_insert_sql, hash, token, idle, partners)
    }

    /// Finds the token of a session by its public part, and extends the session.
    static func lookAtSession(hash: [UInt8], idle: Int, longest: Int) -> RowQuery<String> {
        RowQuery(portal_session_look_sql, hash, idle, longest)
    }

    static func deleteSession(hash: [UInt8]) -> Statement { Statement(portal_session_delete_sql, hash) }

    static func endSessions(token: String, left: Int) -> Statement {
        Statement(portal_session_end_all_sql, token, left)
    }

    static func expireSessions() -> Statement { Statement(portal_session_expire_sql) }

    static func selectSessions(token: String) -> RowQuery<PortalSession> {
        RowQuery(portal_session_select_sql, token) {
            PortalSession(id: .init(hash: $0), since: $1, until: $2, lastLook: $3)
        }
    }

    static func endOwnSessions(token: String, session: PortalSession.ID, isForOthers: Bool) -> Statement {
        Statement(portal_session_end_own_sql, token, session.hash, isForOthers)
    }
}

/// A word, and the app and the partner of a partner's.
extension AccessRole: ColumnValue {
    init(reading row: inout RowReader) throws {
        let (word, app, partner) = (try row.text(), try row.next(AppName?.self), try row.next(PartnerName?.self))
        switch (word, app, partner) {
        case ("partner", let app?, let partner?): self = .partner(partner, of: app)
        case ("operator", _, _): self = .operations
        case ("analyst", _, _): self = .analysis
        default: throw row.unexpected
        }
    }
}

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
    /// The lifetime of a partner's session, who sees nothing but reports. Unit: seconds.
    package static let partners = 30 * 86_400
    /// The most sessions of one token at a time; a further one ends the oldest.
    package static let mostOfToken = 64

    /// Begins a session; returns the cookie's value: 256 random bits, as 64 hexadecimal digits.
    package func beginSession(of token: String) async throws -> String {
        let cookie = (0..<32).map { _ in UInt8.random(in: .min ... .max) }.lowerHex
        let begin = Query.insertSession(
            hash: Self.hash(of: cookie), token: token, idle: Self.idle, partners: Self.partners)
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

    /// Forgets sessions that are over, readings and questions of tokens that are, and a month later whom these were given to.
    package func expireSessions() async throws {
        try await connection.transaction { session in
            try session.run(Query.expireSessions())
            try session.run(Query.expireReadings())
            try session.run(Query.expireAsked())
            try session.run(Query.forgetNotes())
        }
    }

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

/// A browser that has signed in, as its owner may see it: its times, but not its address.
package struct PortalSession: Sendable, Hashable {
    /// The SHA-256 of the cookie, which opens nothing.
    package struct ID: Sendable, Hashable {
        let hash: [UInt8]

        init(hash: [UInt8]) { self.hash = hash }

        /// Creates the name of a cookie's session. Look-ups go by the hash, so their time tells nothing of a cookie.
        package init(cookie: some StringProtocol) { hash = Array(SHA256.hash(data: Data(cookie.utf8))) }

        /// Reads ``text``; nil for anything else.
        package init?(_ text: String) {
            guard let hash = [UInt8](hex: text), hash.count == 32 else { return nil }
            self.hash = hash
        }

        /// The name as text: 64 hexadecimal digits.
        package var text: String { hash.lowerHex }
    }

    package let id: ID
    package let since: UnixSeconds
    /// The time from which on it is over.
    package let until: UnixSeconds
    package let lastLook: UnixSeconds
}

/// A question of a reader for a number that is missing, as the plan's owner finds it.
package struct AskedQuestion: Sendable, Hashable {
    package let id: String
    package let role: AccessRole
    /// The person that the token was given to, in the operator's words.
    package let note: String?
    package let app: AppName
    /// The form that ``AskedNumber`` reads.
    package let question: String
    package let askedAt: UnixSeconds
    /// The instant at which its owner said no.
    package let declinedAt: UnixSeconds?

    /// The most questions of a token.
    package static let most = 8
}

extension AccessStore {
    /// Keeps a question; false where as many of the token wait as may, or this one does.
    ///
    /// - Parameter answered: the name of one that the plan answers by now, whose place it may take.
    package func ask(_ question: String, app: AppName, by token: String, over answered: String?) async throws -> Bool {
        let insert = Query.insertAsked(token: token, app: app, question: question, answered: answered)
        return try await connection.first(insert) != nil
    }

    /// Returns the questions of a token, or of all, the latest first.
    package func asked(by token: String? = nil) async throws -> [AskedQuestion] {
        try await connection.run(Query.selectAsked(token: token))
    }

    /// Declines a question that waits.
    package func decline(_ id: String) async throws { try await connection.run(Query.declineAsked(id)) }
}
