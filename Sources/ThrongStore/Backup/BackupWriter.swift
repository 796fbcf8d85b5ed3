internal import Crypto
internal import Foundation
internal import ThrongIngest
package import ThrongJournal
package import ThrongPlan
internal import ThrongSystem

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
