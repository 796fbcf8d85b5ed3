internal import ThrongPlan

extension Query {
    /// Creates the table of migrations where it is missing; several statements.
    static let createMigrationTable = Query("migration.create", PackageResources.migration_create_sql)
}

/// Lets one process at a time change the schema, to the end of the transaction.
struct LockMigrations: Command {
    static let text = Query("migration.lock", PackageResources.migration_lock_sql)
}

/// True if the table of migrations is there.
struct FindMigrationTable: RowQuery {
    static let text = Query("migration.find", PackageResources.migration_find_sql)

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}

/// The migrations applied: the SHA-256 of their texts, the times, and the earliest versions that work with them.
struct SelectMigrations: RowQuery {
    static let text = Query("migration.select", PackageResources.migration_select_sql)

    func row(_ columns: inout RowReader) throws -> (version: Int, checksum: [UInt8], at: UnixSeconds, worksWith: Int?) {
        (
            try columns.int(), try columns.bytes(), try columns.time(),
            try columns.optionalInteger().map { Int(clamping: $0) }
        )
    }
}

/// Notes that a migration was applied.
struct InsertMigration: Command {
    static let text = Query("migration.insert", PackageResources.migration_insert_sql)

    let migration: Migration

    var parameters: [Parameter] {
        [
            .integer(Int64(migration.version)), .text(migration.name), .bytes(migration.checksum),
            migration.worksWith.map { .integer(Int64($0)) } ?? .null,
        ]
    }
}

/// True if the system catalogues are closed to analysts.
struct SelectConfined: RowQuery {
    static let text = Query("analyst.confined", PackageResources.analyst_confined_sql)

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}
