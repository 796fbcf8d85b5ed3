extension Query {
    static func insertSession(hash: [UInt8], token: String, idle: Int) -> Statement {
        Statement("portal_session.insert", PackageResources.portal_session_insert_sql, hash, token, idle)
    }

    /// Finds the token of a session by its public part, and extends the session.
    static func lookAtSession(hash: [UInt8], idle: Int, longest: Int) -> RowQuery<String> {
        RowQuery("portal_session.look", PackageResources.portal_session_look_sql, hash, idle, longest)
    }

    static func deleteSession(hash: [UInt8]) -> Statement {
        Statement("portal_session.delete", PackageResources.portal_session_delete_sql, hash)
    }

    static func endSessions(token: String, left: Int) -> Statement {
        Statement("portal_session.end_all", PackageResources.portal_session_end_all_sql, token, left)
    }

    static func expireSessions() -> Statement {
        Statement("portal_session.expire", PackageResources.portal_session_expire_sql)
    }

    static func selectSessions(token: String) -> RowQuery<PortalSession> {
        RowQuery("portal_session.select", PackageResources.portal_session_select_sql, token) {
            PortalSession(id: PortalSession.ID(hash: $0), since: $1, until: $2)
        }
    }

    static func endOwnSessions(token: String, session: PortalSession.ID, isForOthers: Bool) -> Statement {
        Statement(
            "portal_session.end_own", PackageResources.portal_session_end_own_sql, token, session.hash, isForOthers)
    }
}
