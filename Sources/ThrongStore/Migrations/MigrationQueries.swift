internal import ThrongPlan

extension Query {
    /// Creates the table of migrations where it is missing; several statements.
    static let createMigrationTable = Statement("migration.create", PackageResources.migration_create_sql)
}

extension Query {
    static func lockMigrations() -> Statement {
        Statement("migration.lock", PackageResources.migration_lock_sql)
    }

    /// True if the table of migrations is there.
    static func findMigrationTable() -> RowQuery<Bool> {
        RowQuery("migration.find", PackageResources.migration_find_sql) { try $0.flag() }
    }

    /// The migrations applied: the SHA-256 of their texts, the times, and the earliest versions that work with them.
    static func selectMigrations() -> RowQuery<(version: Int, checksum: [UInt8], at: UnixSeconds, worksWith: Int?)> {
        RowQuery("migration.select", PackageResources.migration_select_sql) { columns in
            (
                try columns.int(), try columns.bytes(), try columns.time(),
                try columns.optionalInteger().map { Int(clamping: $0) }
            )
        }
    }

    static func insertMigration(migration: Migration) -> Statement {
        Statement(
            "migration.insert", PackageResources.migration_insert_sql,
            .integer(Int64(migration.version)), .text(migration.name), .bytes(migration.checksum),
            migration.worksWith.map { .integer(Int64($0)) } ?? .null)
    }

    /// True if the system catalogues are closed to analysts.
    static func selectConfined() -> RowQuery<Bool> {
        RowQuery("analyst.confined", PackageResources.analyst_confined_sql) { try $0.flag() }
    }
}
