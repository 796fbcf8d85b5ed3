internal import Foundation
package import ThrongJournal
package import ThrongPlan

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
        self.backup = backup
        self.migrations = migrations
        let known = migrations.last?.version ?? 0
        guard backup.list.schema <= known else { throw .newerSchema(found: backup.list.schema, known: known) }
        try backup.verify()
        guard let exported, exported < backup.list.instant else { return }
        let missing = Set(backup.list.chunks.map(\.group)).filter { !backup.isReadable($0) }
        guard missing.isEmpty else {
            throw .keysTooOld(
                missing: missing.count, exported: Self.text(exported), made: Self.text(backup.list.instant))
        }
    }

    private static func text(_ time: UnixSeconds) -> String {
        Date(timeIntervalSince1970: Double(time.value)).formatted(.iso8601)
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
            tables.compactMap { name, rows in
                list.groups[group].name.map { Missing(name: name, term: $0, rows: rows) }
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
        let unreadable = Set(
            list.groups.indices.filter { !backup.isReadable($0) }.compactMap { list.groups[$0].name })
        return list.going.filter { unreadable.contains(BackupKeyName(app: $0.app, term: .day($0.day))) }
    }
}
