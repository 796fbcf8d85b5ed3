internal import ThrongPostgres

/// The write-ahead log's files: each is 16 MiB, and keeps what it held until that is written over.
enum LogSegments {
    /// The most that are gone through: 16 GiB.
    private static let most = 1024

    /// Lets go of all that were written before now, and of those that were made ready for use with what they held before.
    ///
    /// They are used up one by one; the server may make some more of the old kind where it has just been told not to.
    ///
    /// - Parameter isAlone: whether nobody else writes, so that no more than two can be left.
    /// - Throws: ``PostgresError`` where the login is no superuser.
    static func letGo(_ session: Session, isAlone: Bool) throws {
        // The one in use, and the one before it, are new once none was ready three times.
        var calm = 0
        for _ in 0..<most {
            try session.query("log.switch", "select pg_switch_wal()")
            try session.query("log.checkpoint", "checkpoint")
            let segments = try session.query(
                "log.segments",
                """
                select count(*), count(*) filter (where name > pg_walfile_name(pg_current_wal_lsn()))
                from pg_ls_waldir()
                where name ~ '^[0-9A-F]{24}$'
                """)
            calm = try segments.integer(0, 1) == 0 ? calm + 1 : 0
            if calm > 2, try !isAlone || segments.integer(0, 0) <= 2 { break }
        }
    }
}
