package import ThrongJournal
package import ThrongPlan

/// The contents of a backup: the list at its end.
package struct BackupList: Sendable, Codable {
    package var format = 1
    /// The time whose state of the database the backup has. Unit: seconds since 1970.
    package let made: Int64
    package var schema = 0
    /// The positions up to which daemons' journals are in the counters: batches by daemon.
    package var watermarks: [String: UInt64] = [:]
    /// The last number that each sequence gave.
    package var sequences: [String: Int64] = [:]
    /// Tables with their columns, in the order in which they can be filled.
    package var tables: [Table] = []
    /// The keys of its chunks, and of the data that is too old to have chunks.
    package var groups: [Group] = []
    package var chunks: [Chunk] = []
    /// Rows that should have been gone when it was made, and are not in it.
    package var leftOut: [LeftOut] = []
    /// The number of published cells of each release that are deleted on each day.
    package var going: [GoingCells] = []

    package struct Table: Sendable, Codable {
        package let name: String
        package let columns: [String]
    }

    /// The data that shares a key and is deleted together.
    package struct Group: Sendable, Codable, Hashable {
        /// The key's id in hexadecimal digits; empty where it has no chunk.
        package let key: String
        /// The app, as in ``BackupKeyName``.
        package let app: String
        package let term: String

        /// The name of the key, with the term for which the installation keeps the data; nil where the term can't be
        /// read.
        package var name: BackupKeyName? { BackupTerm(term).map { BackupKeyName(app: app, term: $0) } }
    }

    package struct Chunk: Sendable, Codable {
        /// The table, or the file.
        package let name: String
        package let group: Int
        package let rows: Int
        /// The size of the frame. Unit: bytes.
        package let bytes: Int
        /// SHA-256 of the frame, in hexadecimal digits.
        package let sha256: String
    }

    /// Rows that are too old.
    package struct LeftOut: Sendable, Codable {
        package let table: String
        package let group: Int
        package let rows: Int
    }

    package var instant: UnixSeconds { UnixSeconds(made) }

    /// The format in the output of `throng --version`.
    package static let version = "THRONGB1"
    /// The start of the names of the data directory's files.
    static let filePrefix = "file "
}
