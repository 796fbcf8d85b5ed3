internal import ThrongPlan

extension Query {
    /// Creates the table of migrations where it is missing; several statements.
    static let createMigrationTable = Statement("migration.create", PackageResources.migration_create_sql)

    static func lockMigrations() -> Statement {
        Statement("migration.lock", PackageResources.migration_lock_sql)
    }

    static func findMigrationTable() -> RowQuery<Bool> {
        RowQuery("migration.find", PackageResources.migration_find_sql)
    }

    /// The migrations applied: the SHA-256 of their texts, the times, and the earliest versions that work with them.
    static func selectMigrations() -> RowQuery<(version: Int, checksum: [UInt8], at: UnixSeconds, worksWith: Int?)> {
        RowQuery("migration.select", PackageResources.migration_select_sql) { ($0, $1, $2, $3) }
    }

    static func insertMigration(migration: Migration) -> Statement {
        Statement(
            "migration.insert", PackageResources.migration_insert_sql,
            migration.version, migration.name, migration.checksum, migration.worksWith)
    }

    /// True if the system catalogues are closed to analysts.
    static func selectConfined() -> RowQuery<Bool> {
        RowQuery("analyst.confined", PackageResources.analyst_confined_sql)
    }
}
