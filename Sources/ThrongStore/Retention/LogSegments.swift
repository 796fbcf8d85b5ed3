/// The write-ahead log's files: each is 16 MiB, and keeps its content until that is overwritten.
enum LogSegments {
    /// The most files that are gone through: 16 GiB.
    private static let most = 1024

    /// Releases all files that were written before now, and those that were prepared for reuse with their old content.
    ///
    /// They are used up one by one; the server may prepare some more just after it has been told not to.
    ///
    /// - Parameter isAlone: true if no other session writes, so that no more than two files can be left.
    static func letGo(_ session: Session, isAlone: Bool) throws {
        // The file in use and the one before it are new once no file was ready three times in a row.
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
