internal import Crypto
internal import Foundation
internal import ThrongIngest
package import ThrongJournal
package import ThrongPlan
internal import ThrongSystem

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

/// Writes a backup; memory stays bounded, whatever the size of the installation.
package final class BackupWriter {
    private let file: NewFile
    private let head: BackupHead
    private let ring: BackupKeys
    private var keys: [BackupKeyName: BackupKey]
    private let today: Int64
    private var list: BackupList
    private var offset = 0
    private var groups: [BackupKeyName: Int] = [:]
    private var keyOf: [Int: BackupKey] = [:]
    /// Rows that wait until they fill a chunk, by group.
    private var waiting: [Int: (bytes: [UInt8], rows: Int)] = [:]
    private var waitingBytes = 0

    /// The size of a chunk's plaintext, unless one row is larger. Unit: bytes.
    private static let chunk = 1 << 20
    /// The most bytes that may wait of all groups together. Unit: bytes.
    private static let most = 64 << 20

    /// Begins a backup at a path; keys that the data directory does not have are made there.
    package init(_ path: String, keys ring: BackupKeys, now: UnixSeconds) throws {
        guard access(path, F_OK) != 0 else { throw BackupError.exists(file: path) }
        file = try BackupError.ofFile { () throws(FileFault) in try NewFile(path) }
        (self.ring, today) = (ring, now.flooredQuotient(by: 86_400))
        // If two processes made keys of one name at once, either will do.
        keys = Dictionary(try ring.all().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let id = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        if keys[.installation] == nil { keys[.installation] = try ring.make(.installation) }
        guard let installation = keys[.installation] else { preconditionFailure("it was made where it was missing") }
        (head, list) = (BackupHead(id: id, installation: installation.id), BackupList(made: now.value))
        try put(head.bytes)
    }

    /// Writes all of it; the file has its name when this returns. Blocks.
    package func write(_ snapshot: BackupSnapshot, _ files: [HouseFiles.One]) throws -> BackupList {
        for (daemon, position) in try snapshot.watermarks() { list.watermarks["\(daemon)"] = position.value }
        list.schema = try snapshot.schema()
        list.sequences = try snapshot.sequences()
        list.going = try snapshot.going()
        for file in files {
            guard let group = try group(BackupKeyName(app: file.app, term: .always)) else { continue }
            try seal(file.bytes, rows: 0, as: BackupList.filePrefix + file.path, group)
        }
        for table in snapshot.tables {
            let columns = try snapshot.columns(of: table)
            list.tables.append(BackupList.Table(name: table, columns: columns))
            var leftOut: [Int: Int] = [:]
            try snapshot.rows(of: table, columns: columns) { app, term, row in
                guard let term = BackupTerm(term) else {
                    throw PostgresError.unexpectedAnswer(query: "backup.\(table)")
                }
                let name = BackupKeyName(app: app, term: term)
                guard let group = try group(name) else {
                    if let group = groups[name] { leftOut[group, default: 0] += 1 }
                    return
                }
                try add(row, to: group, table)
            }
            for group in waiting.keys.sorted() { try sealWaiting(group, table) }
            list.leftOut += leftOut.sorted { $0.key < $1.key }.map {
                BackupList.LeftOut(table: table, group: $0.key, rows: $0.value)
            }
            FaultPoint.reached("backup_table")
        }
        let text = JSONEncoder()
        text.outputFormatting = [.sortedKeys]
        let start = offset
        guard let key = keys[.installation] else { preconditionFailure("it was made where it was missing") }
        let plaintext = Array(try text.encode(list))
        let frame = BackupFrame(number: list.chunks.count, key: key.id, name: "", size: plaintext.count)
        try put(try frame.sealed(plaintext, key.secret, in: head))
        try put(BackupFrame.bytes(UInt64(start)) + BackupReader.tailMagic)
        try BackupError.ofFile { () throws(FileFault) in try file.finish() }
        return list
    }

    /// Returns the group of a name, and makes its key if missing; nil if its data should be deleted by now.
    private func group(_ name: BackupKeyName) throws -> Int? {
        if let known = groups[name] { return keyOf[known] == nil ? nil : known }
        let place = list.groups.count
        groups[name] = place
        if case .day(let day) = name.term, day <= today {
            list.groups.append(BackupList.Group(key: "", app: name.app, term: name.term.text))
            return nil
        }
        let key = try keys[name] ?? ring.make(name)
        keys[name] = key
        keyOf[place] = key
        list.groups.append(BackupList.Group(key: "\(key.id)", app: name.app, term: name.term.text))
        return place
    }

    private func add(_ row: CopiedRow, to group: Int, _ table: String) throws {
        let size = 2 + row.rest.count
        if let full = waiting[group], full.bytes.count + size > Self.chunk { try sealWaiting(group, table) }
        waiting[group, default: ([], 0)].bytes += withUnsafeBytes(of: row.columns.bigEndian) { Array($0) }
        waiting[group]?.bytes.append(contentsOf: row.rest)
        waiting[group]?.rows += 1
        waitingBytes += size
        if waitingBytes > Self.most, let largest = waiting.max(by: { $0.value.bytes.count < $1.value.bytes.count }) {
            try sealWaiting(largest.key, table)
        }
    }

    private func sealWaiting(_ group: Int, _ table: String) throws {
        guard let (bytes, rows) = waiting.removeValue(forKey: group) else { return }
        waitingBytes -= bytes.count
        try seal(bytes, rows: rows, as: table, group)
    }

    private func seal(_ plaintext: [UInt8], rows: Int, as name: String, _ group: Int) throws {
        guard let key = keyOf[group] else { return }
        let frame = BackupFrame(number: list.chunks.count, key: key.id, name: name, size: plaintext.count)
        let bytes = try frame.sealed(plaintext, key.secret, in: head)
        list.chunks.append(
            BackupList.Chunk(
                name: name, group: group, rows: rows, bytes: bytes.count, sha256: SHA256.hash(data: bytes).lowerHex))
        try put(bytes)
    }

    private func put(_ bytes: [UInt8]) throws {
        try BackupError.ofFile { () throws(FileFault) in try file.write(bytes) }
        offset += bytes.count
    }
}
