internal import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongSystem

/// Brings a database's schema to the version that this program works with, as the user that owns it.
package struct Migrator: Sendable {
    private let connection: Connection
    private let migrations: [Migration]

    package init(_ connection: Connection) { self.init(connection, migrations: Migration.known) }

    /// Prepares to apply other migrations than those of this program: fewer for a backup of an earlier version.
    package init(_ connection: Connection, migrations: [Migration]) {
        (self.connection, self.migrations) = (connection, migrations)
    }

    package struct Status: Sendable, Hashable {
        package let migration: Migration
        /// The time it was applied; nil if it was not yet.
        package let appliedAt: UnixSeconds?
    }

    /// Applies missing migrations, a transaction each, and returns the names of those applied now.
    ///
    /// Several processes may do so at once: one works, the others wait and find nothing to do.
    @discardableResult
    package func migrate(applied onApplied: @escaping @Sendable () -> Void = {}) async throws -> [String] {
        let migrations = migrations
        return try await connection.run { session in
            try session.transaction {
                try Self.lock(session)
                try session.execute(script: Query.createMigrationTable.sql, name: Query.createMigrationTable.name)
            }
            try Self.check(try Self.applied(session), against: migrations)
            var names: [String] = []
            for migration in migrations {
                let isNew = try session.transaction {
                    try Self.lock(session)
                    let applied = try Self.applied(session)
                    try Self.check(applied, against: migrations)
                    guard applied[migration.version] == nil else { return false }
                    // If nodes of Citus hold the counters, they are changed one after the other; without Citus the
                    // setting has no effect.
                    try session.execute(
                        script: "set local citus.multi_shard_modify_mode = 'sequential'", name: "migration.nodes")
                    try session.execute(script: migration.sql, name: migration.name)
                    try session.run(Query.insertMigration(migration: migration))
                    return true
                }
                if isNew { names.append(migration.name) }
                onApplied()
            }
            return names
        }
    }

    /// Returns the migrations that were applied and those to come; changes nothing.
    package func status() async throws -> [Status] {
        let migrations = migrations
        return try await connection.run { session in
            let applied = try Self.applied(session)
            try Self.check(applied, against: migrations)
            return migrations.map { Status(migration: $0, appliedAt: applied[$0.version]?.at) }
        }
    }

    /// Returns true if the system catalogues are closed to analysts, tested by one of each kind; the schema must be up
    /// to date.
    package func isConfined() async throws -> Bool { try await connection.one(Query.selectConfined()) }

    /// Makes sure that the schema is exactly the one that this program works with.
    package func verify() async throws {
        let missing = try await status().filter { $0.appliedAt == nil }
        if let first = missing.first {
            throw SchemaError.outdated(found: first.migration.version - 1, known: migrations.last?.version ?? 0)
        }
    }

    private typealias Applied = [Int: (checksum: [UInt8], at: UnixSeconds, worksWith: Int?)]

    /// Waits without limit for another process that migrates. The changes then wait for locks of tables no longer than
    /// 10 seconds, because all later statements wait behind them.
    private static func lock(_ session: Session) throws {
        try session.run(Query.lockMigrations())
        try session.query("migration.configure", "set local lock_timeout = '10s'")
    }

    private static func applied(_ session: Session) throws -> Applied {
        guard try session.one(Query.findMigrationTable()) else { return [:] }
        var applied: Applied = [:]
        for row in try session.run(Query.selectMigrations()) {
            applied[row.version] = (row.checksum, row.at, row.worksWith)
        }
        return applied
    }

    private static func check(_ applied: Applied, against migrations: [Migration]) throws(SchemaError) {
        let known = migrations.last?.version ?? 0
        // A newer version that has only added to the schema is no obstacle.
        let needed = applied.filter { $0.key > known }.map { $0.value.worksWith ?? $0.key }.max() ?? 0
        if needed > known { throw .newer(found: applied.keys.max() ?? needed, known: known) }
        for migration in migrations {
            guard let record = applied[migration.version], record.checksum != migration.checksum else { continue }
            throw .altered(
                version: migration.version, name: migration.name, recorded: record.checksum.lowerHex,
                expected: migration.checksum.lowerHex)
        }
    }
}

/// The reason why a database's schema and this program do not belong together.
package enum SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    case altered(version: Int, name: String, recorded: String, expected: String)
    case newer(found: Int, known: Int)
    case outdated(found: Int, known: Int)

    package var description: String {
        switch self {
        case .altered(let version, let name, let recorded, let expected):
            "schema: migration \(version) (\(name)) was applied with SHA-256 \(recorded) but this program carries "
                + "\(expected); run the version of throng that wrote this database, or restore the migration's text"
        case .newer(let found, let known):
            "schema: the database is at version \(found), this program knows \(known); "
                + "update throng, nothing was changed"
        case .outdated(let found, let known):
            "schema: the database is at version \(found), this program needs \(known); run throng database --migrate"
        }
    }
}

extension Query {
    /// Creates the table of migrations where it is missing; several statements.
    static let createMigrationTable = Statement(migration_create_sql)

    static func lockMigrations() -> Statement { Statement(migration_lock_sql) }

    static func findMigrationTable() -> RowQuery<Bool> { RowQuery(migration_find_sql) }

    /// The migrations applied: the SHA-256 of their texts, the times, and the earliest versions that work with them.
    static func selectMigrations() -> RowQuery<(version: Int, checksum: [UInt8], at: UnixSeconds, worksWith: Int?)> {
        RowQuery(migration_select_sql) { ($0, $1, $2, $3) }
    }

    static func insertMigration(migration: Migration) -> Statement {
        Statement(migration_insert_sql, migration.version, migration.name, migration.checksum, migration.worksWith)
    }

    /// True if the system catalogues are closed to analysts.
    static func selectConfined() -> RowQuery<Bool> { RowQuery(analyst_confined_sql) }

    static func selectCounterNodes() -> RowQuery<Int64> { RowQuery(counter_nodes_sql) }

    /// Moves the counters to the nodes; returns the obstacle.
    static func distributeCounters(parts: Int) -> RowQuery<DistributionError?> {
        RowQuery(counter_distribute_sql, parts)
    }
}

/// One numbered step of the schema; once it landed, its text never changes.
package struct Migration: Sendable, Hashable {
    package let version: Int
    /// The name of its file in the folder Schema.
    package let name: String
    package let checksum: [UInt8]
    /// The earliest version of the schema whose programs go on working with the database after it; nil if only programs
    /// that know this migration do. Its first line says so: `-- Works with version 1.`
    let worksWith: Int?
    let sql: String

    init(version: Int, name: String, text: [UInt8]) {
        (self.version, self.name) = (version, name)
        checksum = Array(SHA256.hash(data: text))
        let sql = String(decoding: text, as: UTF8.self)
        self.sql = sql
        worksWith = sql.prefixMatch(of: #/-- Works with version (\d+)\.\n/#).flatMap { Int($0.1) }
    }

    /// The schema that this version of Throng works with, in order.
    package static let all = [Migration(version: 1, name: "0001.schema.sql", text: PackageResources._001_schema_sql)]

    /// The schema that this program brings databases to: ``all``, and in trials of upgrades a possible addition of the
    /// next version.
    package static var known: [Migration] {
        #if DEBUG
            if Fault.knowTomorrow.isOn { return all + [.tomorrow] }
        #endif
        return all
    }

    #if DEBUG
        /// A migration as the next version might have: it only adds, and programs of this version go on working.
        static let tomorrow = Migration(
            version: (all.last?.version ?? 0) + 1, name: "tomorrow.sql",
            text: Array(
                """
                -- Works with version \(all.last?.version ?? 0).
                alter table throng.member add column remark text;
                """.utf8))
    #endif
}

/// Several PostgreSQL servers that hold the counters together, through the extension Citus; everything else stays on
/// its coordinator.
///
/// Works as the user that owns the schema, which has to be a superuser.
package struct Distribution: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the number of nodes that the counters are on; 0 where this PostgreSQL has them itself.
    package func nodes() async throws -> Int64 { try await connection.one(Query.selectCounterNodes()) }

    /// Moves the counters to the nodes, in parts by daemon and with their content, in one transaction.
    package func distribute(parts: Int) async throws {
        let obstacle = try await connection.transaction { session in
            try session.one(Query.distributeCounters(parts: parts))
        }
        if let obstacle { throw obstacle }
    }
}

/// The reason why counters can't be moved to the nodes of a cluster.
package enum DistributionError: String, Error, Sendable, Hashable, CustomStringConvertible, ColumnValue {
    case extensionMissing = "no extension"
    case distributed
    case nodesMissing = "no nodes"

    package var description: String {
        switch self {
        case .extensionMissing:
            """
            database: the extension citus is not in this database; install it on the coordinator and on every node, name it in \
            shared_preload_libraries, and run "create extension citus" in the database of this name on each
            """
        case .distributed: "database: the counters are on the nodes already; nothing was changed"
        case .nodesMissing:
            "database: the cluster has no node that takes counters; on the coordinator, "
                + "run select citus_set_coordinator_host('…'), then select citus_add_node('…', 5432) for each node"
        }
    }
}
