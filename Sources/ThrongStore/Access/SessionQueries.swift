/// Begins a session.
struct InsertSession: Command {
    static let text = Query("portal_session.insert", PackageResources.portal_session_insert_sql)

    /// SHA-256 of the cookie: 32 bytes.
    let hash: [UInt8]
    /// The token's public part.
    let token: String
    /// The lifetime without a page view. Unit: seconds.
    let idle: Int

    var parameters: [Parameter] { [.bytes(hash), .text(token), .integer(Int64(idle))] }
}

/// Finds the token of a session by its public part, and extends the session.
struct LookAtSession: RowQuery {
    static let text = Query("portal_session.look", PackageResources.portal_session_look_sql)

    /// SHA-256 of the cookie: 32 bytes.
    let hash: [UInt8]
    /// The lifetime without another page view. Unit: seconds.
    let idle: Int
    /// The longest lifetime. Unit: seconds.
    let longest: Int

    var parameters: [Parameter] { [.bytes(hash), .integer(Int64(idle)), .integer(Int64(longest))] }

    func row(_ columns: inout RowReader) throws -> String { try columns.text() }
}

/// Ends a session for good.
struct DeleteSession: Command {
    static let text = Query("portal_session.delete", PackageResources.portal_session_delete_sql)

    /// SHA-256 of the cookie: 32 bytes.
    let hash: [UInt8]

    var parameters: [Parameter] { [.bytes(hash)] }
}

/// Ends all sessions of a token but the latest ones.
struct EndSessions: Command {
    static let text = Query("portal_session.end_all", PackageResources.portal_session_end_all_sql)

    /// The token's public part.
    let token: String
    /// The number of sessions that stay. Unit: sessions.
    let left: Int

    var parameters: [Parameter] { [.text(token), .integer(Int64(left))] }
}

/// Forgets sessions that are over.
struct ExpireSessions: Command {
    static let text = Query("portal_session.expire", PackageResources.portal_session_expire_sql)
}

/// The sessions of a token that are not over, the latest first.
struct SelectSessions: RowQuery {
    static let text = Query("portal_session.select", PackageResources.portal_session_select_sql)

    /// The token's public part.
    let token: String

    var parameters: [Parameter] { [.text(token)] }

    func row(_ columns: inout RowReader) throws -> PortalSession {
        PortalSession(
            id: PortalSession.ID(hash: try columns.bytes()), since: try columns.time(), until: try columns.time())
    }
}

/// Ends a session of a token, or all of them but one.
struct EndOwnSessions: Command {
    static let text = Query("portal_session.end_own", PackageResources.portal_session_end_own_sql)

    /// The token's public part.
    let token: String
    let session: PortalSession.ID
    /// True if this one stays and all others end.
    let isForOthers: Bool

    var parameters: [Parameter] { [.text(token), .bytes(session.hash), .flag(isForOthers)] }
}
