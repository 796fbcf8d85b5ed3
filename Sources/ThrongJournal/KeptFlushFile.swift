// The flushes that PostgreSQL has confirmed, kept in case it loses them: `flushed/<number, 10 digits>.flushes`, and
// beside it the key under which they are encrypted, `flushed/<number>.key`. A start of the daemon makes a new file, and
// so does a full or old one; no earlier file is ever written to again. Numbers are little-endian.
//
// The key's file is a KeptFile whose content is its 32 bytes.
//
// Header
//     0       8       "THRONGF1"
//     8       4       layouts: l
//     12      l × 32  their identities; `layouts/` of the data directory has their text
//     ...     4       CRC-32C of everything before
//
// Record, one a flush
//     0       4       bytes from `after` to the end of the tag: n
//     4       4       CRC-32C of those bytes
//     8       8       the watermark that it needs: after
//     16      8       the watermark that it leaves: through
//     24      8       when it was kept, Unix seconds
//     32      n - 40  the plaintext (KeptFlushRecord.swift) under AES-256-GCM
//     ...     16      its tag
//
// The nonce is four zero bytes and the record's offset in the file; what stands before the ciphertext is authenticated.
// The file ends at the first record that is not whole, or does not continue the one before it. A flush may be a single
// event, so it is encrypted like the journal, and its key overwritten when it is removed.

internal import Crypto
internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

/// A file of kept flushes and its key.
struct KeptFlushFile {
    let number: Int
    let layouts: [LayoutID]
    private let key: SymmetricKey
    private let directory: String
    private let disk: any Disk

    private static let magic = Array("THRONGF1".utf8)
    private static let keySize = 32
    private static let frame = 8
    private static let head = 24

    /// The place of a kept flush.
    struct Entry: Sendable {
        let after: JournalPosition
        let through: JournalPosition
        /// The time from which on its retention counts.
        var keptAt: UnixSeconds
        let offset: Int
        /// The size with its frame. Unit: bytes.
        let size: Int
    }

    private static func path(_ directory: String, _ number: Int, _ ending: String) -> String {
        let digits = String(number)
        return "\(directory)/\(String(repeating: "0", count: max(0, 10 - digits.count)))\(digits).\(ending)"
    }

    var path: String { Self.path(directory, number, "flushes") }
    private var keyPath: String { Self.path(directory, number, "key") }

    /// Returns the numbers of the files in a directory, ascending, with those of which only the key is left.
    static func numbers(in directory: String, on disk: any Disk) throws(JournalError) -> [Int] {
        Set(
            try disk.names(in: directory).filter { !$0.hasSuffix(".damaged") }.compactMap {
                $0.split(separator: ".").first.flatMap { Int($0) }
            }
        ).sorted()
    }

    /// Creates a file: its key first, on disk, then its header.
    init(_ number: Int, layouts: [LayoutID], in data: DataDirectory) throws(JournalError) {
        (self.number, disk, directory, self.layouts) = (number, data.disk, data.flushedPath, layouts)
        key = SymmetricKey(size: .bits256)
        try disk.keep(key.withUnsafeBytes { Array($0) }, at: keyPath, as: .flushKey, of: data.daemon)
        try disk.replace(path, with: header)
    }

    /// Opens a file that an earlier start made; nil if its key was being made or destroyed.
    init?(existing number: Int, in data: DataDirectory) throws(JournalError) {
        (self.number, disk, directory) = (number, data.disk, data.flushedPath)
        let keyPath = Self.path(directory, number, "key")
        let path = Self.path(directory, number, "flushes")
        guard disk.exists(keyPath), disk.exists(path),
            let secret = try disk.keptSecret(at: keyPath, as: .flushKey, of: data.daemon)
        else { return nil }
        guard secret.count == Self.keySize else {
            throw .damagedFile(FileDamage(path: keyPath, kind: .flushKey, flaw: .content))
        }
        key = SymmetricKey(data: secret)
        let bytes = try disk.whole(path, as: .flushes)
        guard let layouts = try Self.layouts(bytes) else {
            throw .damagedFile(
                FileDamage(
                    path: path, kind: .flushes,
                    flaw: bytes.isEmpty ? .empty : .unlike(from: 0, to: min(bytes.count, 16))))
        }
        self.layouts = layouts
    }

    /// Returns the layouts in a header; nil if it is damaged.
    private static func layouts(_ bytes: [UInt8]) throws(JournalError) -> [LayoutID]? {
        try bytes.reading { buffer throws(JournalError) -> [LayoutID]? in
            var reader = RecordReader(buffer)
            guard buffer.count >= 16, Array(try reader.nextBytes(8)) == magic else { return nil }
            let count = Int(try reader.next(UInt32.self))
            guard reader.remaining >= 32 * count + 4 else { return nil }
            var layouts: [LayoutID] = []
            for _ in 0..<count { layouts.append(LayoutID(Array(try reader.nextBytes(32)))) }
            let expected = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<reader.offset]))
            return try reader.next(UInt32.self) == expected ? layouts : nil
        }
    }

    private var header: [UInt8] {
        var writer = ByteWriter(bytes: Self.magic)
        writer.add(UInt32(layouts.count))
        for layout in layouts { writer.bytes.append(contentsOf: layout.bytes) }
        writer.add(CRC32C.checksum(writer.bytes))
        return writer.bytes
    }

    var headerSize: Int { 16 + 32 * layouts.count }

    /// Returns the whole records of the file up to the first broken one, and that one's place; nil if none is broken.
    func entries() throws(JournalError) -> (whole: [Entry], broken: FileDamage?) {
        let bytes = try disk.contents(path)
        return try bytes.reading { buffer throws(JournalError) in
            var entries: [Entry] = []
            var offset = headerSize
            while offset + Self.frame + Self.head + 16 <= buffer.count {
                let length = Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                guard length >= Self.head + 16, offset + Self.frame + length <= buffer.count else { break }
                let body = UnsafeRawBufferPointer(rebasing: buffer[offset + Self.frame..<offset + Self.frame + length])
                let checksum = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                guard CRC32C.checksum(body) == UInt32(littleEndian: checksum) else { break }
                var reader = RecordReader(body)
                let entry = Entry(
                    after: JournalPosition(try reader.next()), through: JournalPosition(try reader.next()),
                    keptAt: UnixSeconds(try reader.next()), offset: offset, size: Self.frame + length)
                guard entry.after < entry.through, entries.last.map({ $0.through == entry.after }) ?? true else {
                    break
                }
                entries.append(entry)
                offset += entry.size
            }
            let broken =
                offset == buffer.count
                ? nil : FileDamage(path: path, kind: .flushes, flaw: .unlike(from: offset, to: buffer.count))
            return (entries, broken)
        }
    }

    func record(_ flush: Flush, keptAt: UnixSeconds, offset: Int) throws -> [UInt8] {
        var body = ByteWriter()
        body.add(numbers: flush.after.value, flush.through.value, keptAt.value)
        let sealed = try AES.GCM.seal(
            KeptFlushRecord.plaintext(of: flush), using: key, nonce: try nonce(offset), authenticating: body.bytes)
        body.bytes.append(contentsOf: sealed.ciphertext)
        body.bytes.append(contentsOf: sealed.tag)
        var record = ByteWriter()
        record.bytes.reserveCapacity(body.bytes.count + Self.frame)
        record.add(numbers: UInt32(body.bytes.count), CRC32C.checksum(body.bytes))
        record.bytes.append(contentsOf: body.bytes)
        return record.bytes
    }

    func flush(_ entry: Entry, layouts: [MetricLayout]) throws -> Flush {
        let bytes = try disk.contents(path, from: entry.offset, count: entry.size)
        let body = bytes[Self.frame...]
        let box = try AES.GCM.SealedBox(
            nonce: try nonce(entry.offset), ciphertext: body[(Self.frame + Self.head)..<(body.endIndex - 16)],
            tag: body[(body.endIndex - 16)...])
        let plaintext = try AES.GCM.open(box, using: key, authenticating: body[Self.frame..<Self.frame + Self.head])
        return try Array(plaintext).reading { buffer throws(JournalError) in
            try KeptFlushRecord.flush(from: buffer, after: entry.after, through: entry.through, layouts: layouts)
        }
    }

    /// Overwrites the key and removes both files.
    func destroy() throws(JournalError) { try Self.destroy(number, in: directory, on: disk) }

    /// ``destroy()`` for a file that may be there in part.
    static func destroy(_ number: Int, in directory: String, on disk: any Disk) throws(JournalError) {
        let key = Self.path(directory, number, "key")
        if disk.exists(key) { try disk.blank(key, with: KeptFile.gone(KeptFile.headSize + keySize)) }
        try disk.remove(key)
        try disk.remove(key + ".new")
        let path = Self.path(directory, number, "flushes")
        try disk.remove(path)
        try disk.remove(path + ".new")
        try disk.syncDirectory(directory)
    }

    private func nonce(_ offset: Int) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: ByteWriter.bytes(of: UInt32(0), UInt64(offset)))
    }
}
