internal import Crypto
internal import Foundation
package import ThrongJournal
package import ThrongPlan

// A backup. Numbers are little-endian.
//
// Head
//     offset  size    what
//     0       8       "THRONGB1"
//     8       16      the backup's id, random
//     24      16      the id of the installation's key
//
// Frame, one a chunk, and at last one for the list of what is in the backup
//     0       4       bytes of the name: n
//     4       4       bytes of the plaintext: m
//     8       8       the chunk's number, from 0
//     16      16      the id of the key
//     32      n       the name: a table of schema throng, "file <path in the data directory>", or nothing: the list
//     ...     m       the plaintext under AES-256-GCM
//     ...     16      its tag
//
// Tail
//     0       8       where the list's frame begins
//     8       8       "THRONGBE"
//
// A key is used through HKDF-SHA256 with the backup's id as salt, so that each backup has its own; the nonce is four
// zero bytes and the chunk's number. The head and the part of the frame before the ciphertext are authenticated with
// it. So a chunk opens only in its backup, at its place, as what it says it is.
//
// A chunk of a table is whole rows in PostgreSQL's binary copy format. The list (BackupList) is JSON under the
// installation's key. It has the SHA-256 of every frame before it, also of those whose key is gone.

/// The first bytes of a backup: its identity.
package struct BackupHead: Sendable, Hashable {
    /// The id of the backup; 16 bytes.
    package let id: [UInt8]
    /// The key that opens the list.
    package let installation: BackupKey.ID

    /// Unit: bytes.
    static let size = 40
    private static let magic = Array("THRONGB1".utf8)
}

extension BackupHead {
    /// Reads a head; nil for anything else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, Array(bytes.prefix(8)) == Self.magic,
            let key = BackupKey.ID(Array(bytes[24...]))
        else { return nil }
        self.init(id: Array(bytes[8..<24]), installation: key)
    }

    var bytes: [UInt8] { Self.magic + id + installation.bytes }

    /// Returns the key that this backup derives from a key and uses instead.
    func derived(_ secret: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: id, info: Array("throng backup".utf8), outputByteCount: 32)
    }
}

/// The part of a chunk before its ciphertext.
package struct BackupFrame: Sendable, Hashable {
    /// The number of the chunk, from 0.
    package let number: Int
    package let key: BackupKey.ID
    /// The table, or the file; empty for the list.
    package let name: String
    /// The size of the plaintext. Unit: bytes.
    package let size: Int

    /// The size of the part before the name. Unit: bytes.
    static let fixed = 32
    static let tag = 16
    /// The largest plaintext, for the list of a large installation; a chunk is smaller, unless one row is larger. Unit:
    /// bytes.
    static let most = 1 << 30
}

extension BackupFrame {
    /// Returns the size of the name, ciphertext and tag after a frame's first bytes; nil where these are none. Unit:
    /// bytes.
    static func rest(after bytes: [UInt8]) -> Int? {
        let (name, size) = (Int(number(bytes, at: 0, 4)), Int(number(bytes, at: 4, 4)))
        return name <= 4096 && size <= most ? name + size + tag : nil
    }

    /// Reads a frame from its bytes, whose number ``rest(after:)`` returned.
    init?(_ bytes: [UInt8]) {
        let length = Int(Self.number(bytes, at: 0, 4))
        guard let key = BackupKey.ID(Array(bytes[16..<32])), let number = Int(exactly: Self.number(bytes, at: 8, 8))
        else { return nil }
        self.init(
            number: number, key: key, name: String(decoding: bytes[32..<32 + length], as: UTF8.self),
            size: Int(Self.number(bytes, at: 4, 4)))
    }

    /// Returns the whole frame, with its ciphertext.
    func sealed(_ plaintext: [UInt8], _ key: SymmetricKey, in head: BackupHead) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            plaintext, using: head.derived(key), nonce: nonce(), authenticating: head.bytes + bytes)
        return bytes + Array(box.ciphertext) + Array(box.tag)
    }

    /// Returns the plaintext of a frame's bytes; throws if they were changed, or the key or the backup is another.
    func opened(_ all: [UInt8], _ key: SymmetricKey, in head: BackupHead) throws -> [UInt8] {
        let start = bytes.count
        let box = try AES.GCM.SealedBox(
            nonce: nonce(), ciphertext: all[start..<all.count - Self.tag], tag: all[(all.count - Self.tag)...])
        return Array(try AES.GCM.open(box, using: head.derived(key), authenticating: head.bytes + bytes))
    }

    /// The part before the ciphertext.
    var bytes: [UInt8] {
        let text = Array(name.utf8)
        return Self.bytes(UInt32(text.count)) + Self.bytes(UInt32(size)) + Self.bytes(UInt64(number)) + key.bytes + text
    }

    private func nonce() throws -> AES.GCM.Nonce { try AES.GCM.Nonce(data: [0, 0, 0, 0] + Self.bytes(UInt64(number))) }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    static func number(_ bytes: [UInt8], at place: Int, _ count: Int) -> UInt64 {
        (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[place + $1]) }
    }
}

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
