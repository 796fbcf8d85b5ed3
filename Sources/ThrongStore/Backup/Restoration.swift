internal import Foundation
package import ThrongJournal
package import ThrongPlan
package import ThrongSystem

/// The part of a backup that can be restored with the keys that still exist, and its restoration.
package struct Restoration: Sendable {
    package let backup: BackupReader
    let migrations: [Migration]

    /// Checks that all of a backup is unchanged, and that unreadable data was deleted by its age or with its app.
    ///
    /// - Parameter exported: the time the keys were exported; nil if they are those of a data directory.
    package init(_ backup: BackupReader, exported: UnixSeconds?) throws(BackupError) {
        try self.init(backup, exported: exported, migrations: Migration.known)
    }

    init(_ backup: BackupReader, exported: UnixSeconds?, migrations: [Migration]) throws(BackupError) {
        (self.backup, self.migrations) = (backup, migrations)
        let known = migrations.last?.version ?? 0
        guard backup.list.schema <= known else { throw .newerSchema(found: backup.list.schema, known: known) }
        try backup.verify()
        guard let exported, exported < backup.list.instant else { return }
        let missing = Set(backup.list.chunks.map(\.group)).filter { !backup.isReadable($0) }
        guard missing.isEmpty else {
            throw .keysTooOld(missing: missing.count, exported: exported.iso8601, made: backup.list.instant.iso8601)
        }
    }

    /// Rows of a table that can't be restored, and why.
    package struct Missing: Sendable, Hashable {
        /// The table, or the file.
        package let name: String
        /// The app and the term that they were deleted with.
        package let term: BackupKeyName
        /// The number of rows; 0 for files.
        package let rows: Int
    }

    /// The data that can't be restored, by table, app and term.
    package var missing: [Missing] {
        let list = backup.list
        var rows: [Int: [String: Int]] = [:]
        let unreadable = Set(list.groups.indices.filter { !backup.isReadable($0) })
        for chunk in list.chunks where unreadable.contains(chunk.group) {
            rows[chunk.group, default: [:]][chunk.name, default: 0] += chunk.rows
        }
        for part in list.leftOut { rows[part.group, default: [:]][part.table, default: 0] += part.rows }
        return rows.flatMap { group, tables in
            tables.compactMap { name, rows in list.groups[group].name.map { Missing(name: name, term: $0, rows: rows) }
            }
        }.sorted { ($0.name, $0.term) < ($1.name, $1.term) }
    }

    /// The number of rows that can be restored, of all tables.
    package var rows: Int {
        let readable = Set(backup.list.groups.indices.filter(backup.isReadable))
        return backup.list.chunks.reduce(0) { $0 + (readable.contains($1.group) ? $1.rows : 0) }
    }

    package func files() throws -> [HouseFiles.One] {
        var files: [HouseFiles.One] = []
        let names = backup.list.chunks.map(\.name).filter { $0.hasPrefix(BackupList.filePrefix) }
        for name in names {
            let path = String(name.dropFirst(BackupList.filePrefix.count))
            guard HouseFiles.isOne(path) else { continue }
            try backup.chunks(of: name) { files.append(HouseFiles.One(path: path, bytes: $0)) }
        }
        return files
    }

    /// The published cells that are not restored, by the day on which they were deleted.
    var gone: [GoingCells] {
        let list = backup.list
        let unreadable = Set(list.groups.indices.filter { !backup.isReadable($0) }.compactMap { list.groups[$0].name })
        return list.going.filter { unreadable.contains(BackupKeyName(app: $0.app, term: .day($0.day))) }
    }

    /// Fills an empty database: brings it to the backup's schema, fills it in one transaction, and migrates it.
    ///
    /// - Parameter hasJournal: true if daemons go on with their journals; else releases don't wait for their content.
    /// - Returns: false, and nothing is restored, where the database is not empty.
    package func fill(_ settings: ConnectionSettings, hasJournal: Bool, plans: [Plan]) async throws -> Bool {
        // One statement fills a table of any size.
        let connection = Connection(
            ConnectionSettings(connectionString: settings.connectionString, statementTimeoutSeconds: 86_400))
        defer { connection.close() }
        guard try await connection.run({ try Self.isEmpty($0) }) else { return false }
        let first = migrations.filter { $0.version <= backup.list.schema }
        try await Migrator(connection, migrations: first).migrate()
        let isDone = try await connection.transaction { session in
            try session.run(Query.lockMigrations())
            guard try Self.isEmpty(session) else { return false }
            try load(session)
            for (name, last) in backup.list.sequences.sorted(by: { $0.key < $1.key }) {
                try session.query(
                    "restore.sequence", "select setval(('throng.' || quote_ident($1))::regclass, $2::bigint)",
                    with: name, last)
            }
            try Self.settle(hasJournal: hasJournal, session)
            try session.query(
                "restore.views",
                "select throng.publish_view(metric_id, view_name) from throng.metric_layout where view_name is not null"
            )
            try session.query(
                "restore.groupings",
                "select throng.publish_grouping(metric_id, period_kind, margin, view_name) from throng.grouping_view")
            try noteDecay(plans, session)
            return true
        }
        if isDone { try await Migrator(connection, migrations: migrations).migrate() }
        return isDone
    }

    /// True if the database has nothing of Throng's, or only an empty schema.
    private static func isEmpty(_ session: Session) throws -> Bool {
        for table in ["metric_layout", "watermark", "deletion", "access_token", "clock"] {
            let found = try session.query(
                "restore.find", "select to_regclass('throng.' || $1) is not null", [.text(table)])
            guard try found.flag(0, 0) else { continue }
            if try session.query("restore.count", "select from throng.\(table) limit 1").count > 0 { return false }
        }
        return true
    }

    /// Fills all tables. Triggers are off meanwhile: their effects are in the backup, too.
    private func load(_ session: Session) throws {
        for table in backup.list.tables {
            try session.query("restore.triggers", "alter table throng.\"\(table.name)\" disable trigger user")
            let names = table.columns.map { "\"\($0)\"" }.joined(separator: ", ")
            try session.copyIn(
                "restore.\(table.name)", "copy throng.\"\(table.name)\" (\(names)) from stdin (format binary)"
            ) { writer in
                try backup.chunks(of: table.name) { bytes in try bytes.withUnsafeBytes { try writer.rows($0) } }
            }
            FaultPoint.reached("restore_table")
            guard table.name == "partition" else { continue }
            try session.query(
                "restore.partitions",
                """
                select throng.ensure_partitions(period_kind, array_agg(range_start))
                from throng.partition
                group by period_kind
                """)
        }
        for table in backup.list.tables {
            try session.query("restore.triggers", "alter table throng.\"\(table.name)\" enable trigger user")
        }
    }

    /// Releases daemons' places, and sets which journals releases wait for.
    ///
    /// The processes that held the places are gone. If their journals are gone, too, releases don't wait for them:
    /// `settled` is then higher than any asking's number. A daemon that attaches again is asked anew. If journals are
    /// there, releases wait for all daemons that count: one that had stopped when the backup was made may have counted
    /// since.
    private static func settle(hasJournal: Bool, _ session: Session) throws {
        try session.query("restore.holders", "update throng.watermark set holder = null, claim = null")
        // Links sign in once; some have done so since the backup was made.
        try session.query(
            "restore.links",
            "update throng.access_token set link_hash = null, link_until = null where link_hash is not null")
        guard !hasJournal else {
            try session.query(
                "restore.asked",
                """
                update throng.watermark set settled = 0 where fence < \(Int64.max) and shard in (
                    select unnest(owners) from (
                        select owners from throng.epoch where state = 'in force' order by epoch desc limit 1) as last)
                """)
            return
        }
        try session.query("restore.settled", "update throng.watermark set settled = \(Int64.max)")
        try session.query(
            "restore.stopped", "update throng.member_plan set stopped_at = now() where stopped_at is null")
    }

    /// Notes that age took the cells of releases whose cells are left out, as the original database did.
    private func noteDecay(_ plans: [Plan], _ session: Session) throws {
        let gone = gone
        guard !gone.isEmpty else { return }
        try session.query(
            "restore.gone",
            "create temporary table restore_gone (release_id bigint, day bigint, cells bigint) on commit drop")
        for gone in gone {
            try session.query(
                "restore.gone", "insert into pg_temp.restore_gone values ($1::bigint, $2::bigint, $3::bigint)",
                with: gone.release, gone.day, gone.cells)
        }
        try session.run(Query.createRestoredLast)
        for promise in try RetentionStore.promises(plans, session) {
            for step in promise.steps {
                for part in step.action.parts(of: promise.dimensions) {
                    try session.run(
                        Query.decayRestored(
                            metric: promise.layout, dimension: part.dimension, after: step.after,
                            shorter: part.shorter, began: promise.began, app: promise.app))
                }
            }
        }
    }
}

extension Query {
    static let createRestoredLast = Statement(restore_last_create_sql)

    static func decayRestored(
        metric: Int64, dimension: DimensionName?, after: Duration, shorter: PeriodKind?, began: UnixSeconds?,
        app: AppName
    ) -> Statement { Statement(restore_gone_decay_sql, metric, dimension, after, shorter, began, app) }
}

/// The files that a new data directory needs and that no database has.
///
/// Some files are left out. No copy of the journal, the keys of windows or kept flushes may outlive the original. The
/// meaning of the journal's cells is worth nothing without the journal, and PostgreSQL knows it for all that it counts.
/// The daemon's identity belongs to the journal.
package struct HouseFiles: Sendable {
    private let dataPath: String

    package init(dataPath: String) { self.dataPath = dataPath }

    package struct One: Sendable, Hashable {
        /// Its path in the data directory.
        package let path: String
        package let bytes: [UInt8]

        package var app: String {
            guard path.hasPrefix("plans/"), let dot = path.lastIndex(of: ".") else { return BackupKeyName.house }
            return String(path[..<dot].dropFirst("plans/".count))
        }
    }

    private static let kept: [String: FileKind] = [
        "installation.secret": .installationSecret, "backup.recovery": .recoveryKey, "gateway.secret": .gatewaySecret,
        "app-keys": .appKeys,
    ]
    private static let single = kept.keys + ["signing/key.pem", "signing/keys.json"]
    private static let folders = ["plans": [".yaml", ".path"], "secrets": [""]]

    /// Returns whether a path is one of such a file.
    package static func isOne(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if single.contains(path) { return true }
        guard parts.count == 2, let endings = folders[String(parts[0])], !parts[1].isEmpty, !parts[1].hasPrefix(".")
        else { return false }
        return endings.contains { parts[1].hasSuffix($0) }
    }

    /// Returns all files; throws ``BackupError/lost(_:)`` if one is damaged.
    package func read() throws(BackupError) -> [One] {
        var paths = Self.single
        for folder in Self.folders.keys {
            let path = "\(dataPath)/\(folder)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            do {
                paths += try FileManager.default.contentsOfDirectory(atPath: path).map { "\(folder)/\($0)" }
            } catch { throw .system(call: "read", file: path, code: "it can't be read") }
        }
        var files: [One] = []
        for path in paths.sorted() where Self.isOne(path) {
            let file = "\(dataPath)/\(path)"
            guard KeptFile.isThere(file) else { continue }
            if let kind = Self.kept[path] {
                // A damaged file would take the good one's place in every copy.
                do throws(FileDamage) {
                    let content = try KeptFile.content(at: file, as: kind)
                    files.append(One(path: path, bytes: KeptFile.bytes(content, as: kind)))
                } catch { throw .lost(error) }
            } else if let bytes = FileManager.default.contents(atPath: file) {
                files.append(One(path: path, bytes: Array(bytes)))
            } else {
                throw .system(call: "read", file: file, code: "it can't be read")
            }
        }
        return files
    }

    /// Writes a file, for its owner only.
    package func write(_ file: One) throws(BackupError) {
        let path = "\(dataPath)/\(file.path)"
        if let slash = path.lastIndex(of: "/"), file.path.contains("/") {
            guard mkdir(String(path[..<slash]), 0o700) == 0 || errno == EEXIST else { throw .last("mkdir", path) }
        }
        try BackupError.ofFile { () throws(FileFault) in
            let new = try NewFile(path)
            try new.write(file.bytes)
            try new.finish()
        }
    }
}

/// The reason why a backup can't be made or used. Nothing is restored then.
package enum BackupError: Error, Sendable, Hashable, CustomStringConvertible {
    case system(call: String, file: String, code: String)
    case exists(file: String)
    /// A file that belongs into the backup is damaged.
    case lost(FileDamage)
    case notABackup(file: String)
    case cut(file: String, bytes: Int)
    case damaged(file: String, part: Part, byte: Int, found: Damage)
    case installationKeyMissing(file: String, key: BackupKey.ID)
    case keysTooOld(missing: Int, exported: String, made: String)
    case unknownFormat(file: String)
    case newerSchema(found: Int, known: Int)
    case notKeys(file: String)
    case wrongRecoveryKey(file: String)

    package enum Part: Sendable, Hashable, CustomStringConvertible {
        case head
        /// A chunk by its number, from 0, and the table or the file that it says it is of.
        case chunk(Int, of: String)
        case list

        package var description: String {
            switch self {
            case .head: "its head"
            case .chunk(let number, let of): "chunk \(number) (\(of))"
            case .list: "the list of what is in it"
            }
        }
    }

    package enum Damage: Sendable, Hashable, CustomStringConvertible {
        case changed
        case misplaced(Int)

        package var description: String {
            switch self {
            case .changed: "is not what was written there: it was changed, or is another backup's"
            case .misplaced(let number): "stands where chunk \(number) belongs"
            }
        }
    }

    package var description: String {
        switch self {
        case .system(let call, let file, let code): "\(call) failed on \(file): \(code)."
        case .lost(let damage): "\(damage) No backup was made."
        case .exists(let file): "\(file) is there already. Name another; a backup takes no other's place."
        case .notABackup(let file): "\(file) is no backup of throng's."
        case .cut(let file, let bytes):
            "\(file) is no whole backup: its \(bytes) bytes don't end as one does. It was cut, or never came to its end. "
                + "Nothing was restored; take another."
        case .damaged(let file, let part, let byte, let found):
            "\(file) is damaged: \(part) at byte \(byte) \(found). Nothing was restored; take another copy or another backup."
        case .installationKeyMissing(let file, let key):
            "\(file) was encrypted with key \(key), which is not among these keys: they are another installation's, or "
                + "older than its first backup. Name those of the data directory that it was made of."
        case .keysTooOld(let missing, let exported, let made):
            "\(missing) keys are missing that may have been made after these were exported: that was at \(exported), and "
                + "the backup at \(made). Take keys that were exported with the backup or later, or an older backup. Nothing "
                + "was restored."
        case .unknownFormat(let file):
            "\(file) was written by a version of throng that this one does not know. Update throng."
        case .newerSchema(let found, let known):
            "the backup is of schema \(found), this program knows \(known). Update throng; nothing was restored."
        case .notKeys(let file): "\(file) is not what `throng backup keys` wrote."
        case .wrongRecoveryKey(let file):
            "the recovery key does not open \(file): the keys were exported for another one, or the file was changed."
        }
    }

    /// Does something with files, whose failure is a backup's.
    static func ofFile<Value>(_ work: () throws(FileFault) -> Value) throws(BackupError) -> Value {
        do throws(FileFault) { return try work() } catch {
            let (call, file, code) = error.parts
            if code == EEXIST { throw .exists(file: file) }
            throw .system(call: call, file: file, code: String(cString: strerror(code)))
        }
    }

    static func last(_ call: String, _ file: String) -> BackupError {
        .system(call: call, file: file, code: String(cString: strerror(errno)))
    }
}
