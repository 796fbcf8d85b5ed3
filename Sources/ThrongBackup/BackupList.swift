package import ThrongJournal
package import ThrongPlan
package import ThrongStore

/// What is in a backup: the list at its end.
package struct BackupList: Sendable, Codable {
    /// Of this text.
    package var format = 1
    /// When the database was as it is in the backup. Unit: seconds since 1970.
    package let made: Int64
    /// The version of the schema.
    package var schema = 0
    /// How far daemons' journals are in the counters: batches by daemon.
    package var watermarks: [String: UInt64] = [:]
    /// The last number that each sequence gave.
    package var sequences: [String: Int64] = [:]
    /// Tables with their columns, in the order in which they can be filled.
    package var tables: [Table] = []
    /// The keys of its chunks, and of what would have chunks if it were not too old.
    package var groups: [Group] = []
    /// Its chunks, by number.
    package var chunks: [Chunk] = []
    /// Rows that should have been gone when it was made, and are not in it.
    package var leftOut: [LeftOut] = []
    /// Of each release how many published cells go on which day.
    package var going: [GoingCells] = []

    /// A table.
    package struct Table: Sendable, Codable {
        package let name: String
        package let columns: [String]
    }

    /// What goes together.
    package struct Group: Sendable, Codable, Hashable {
        /// The key's id in hexadecimal digits; nothing where it has no chunk.
        package let key: String
        /// As in ``BackupKeyName``.
        package let app: String
        package let term: String

        /// Until when the house keeps it.
        package var name: BackupKeyName? { BackupTerm(term).map { BackupKeyName(app: app, term: $0) } }
    }

    /// A chunk.
    package struct Chunk: Sendable, Codable {
        /// The table, or the file.
        package let name: String
        /// Which of the groups.
        package let group: Int
        package let rows: Int
        /// Of the frame. Unit: bytes.
        package let bytes: Int
        /// SHA-256 of the frame, in hexadecimal digits.
        package let sha256: String
    }

    /// Rows that are too old.
    package struct LeftOut: Sendable, Codable {
        package let table: String
        /// Which of the groups.
        package let group: Int
        package let rows: Int
    }

    /// When it was made.
    package var instant: UnixSeconds { UnixSeconds(made) }

    /// What `throng --version` says of the format.
    package static let version = "THRONGB1"
    /// Of the data directory's files names begin with this.
    static let filePrefix = "file "
}
