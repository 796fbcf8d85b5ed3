internal import Crypto
internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

// A segment of the journal: `journal/<generation, 10 digits>.journal`. A start of the daemon makes a new segment, and
// so does a full one; no earlier segment is ever written to again, nor replaced. Numbers are little-endian.
//
// Header
//     offset  size    what
//     0       8       "THRONGJ4"
//     8       4       generation: segments in order of making
//     12      4       nonce of the start that wrote it, random
//     16      8       position of the first record
//     24      4       layouts: l
//     28      l × 32  their identities; `layouts/` of the data directory has their text
//     ...     8       bytes of the segment before it, all on disk when this one was made; 0 if there is none
//     ...     4       CRC-32C of everything before
//
// Record, one a run of batches, withdrawals and closings of one window, positions consecutive
//     0       4       bytes from `position` to the end of the tag: n
//     4       4       CRC-32C of those bytes
//     8       8       position of the first batch
//     16      8       name of the window's key
//     24      4       batches, withdrawals and closings: b
//     28      8       synced: so many bytes of this segment were on disk when this was written
//     36      n - 44  b plaintexts (EntryFormat.swift) one after another, under AES-256-GCM with the window's key
//     ...     16      its tag
//
// A mark is written if nothing follows a sync at once: a record of no batches, which ends before its plaintext. Its
// position is that of the next record, its key's name 0.
//
// The nonce of a record is the segment's nonce followed by the position. A position is used twice under one key only if
// a record was lost before it was acknowledged, and then by another start with another nonce. The bytes before the
// plaintext are authenticated too.
//
// A segment ends at the first record whose length or checksum is wrong. The bytes from there on were torn, and never
// acknowledged, unless something says that they were on disk. That is a valid record behind them that was written after
// more than the valid part was synced (a power loss may leave any other record), or the next segment, if its note of
// this one's size is larger. In that case the segment is damaged, and the daemon does not start.

struct Segment {
    static let magic = "THRONGJ4"

    let path: String
    let generation: UInt32
    let nonce: UInt32
    let first: JournalPosition
    let layouts: [LayoutID]
    /// The size of the segment before it, all on disk; 0 if there is none, or its size was not noted. Unit: bytes.
    let before: Int

    /// The identity of a segment, distinct even from those of copies of the data directory.
    struct Name: Hashable, Sendable {
        let generation: UInt32
        let nonce: UInt32
        let first: JournalPosition
    }

    var name: Name { Name(generation: generation, nonce: nonce, first: first) }

    static let frameOverhead = 8
    /// The largest body that is written, and that is read. Unit: bytes.
    static let largestRecord = 64 << 20
}

extension Segment {
    init(
        in directory: String, generation: UInt32, nonce: UInt32, first: JournalPosition, layouts: [LayoutID],
        before: Int
    ) {
        let digits = String(generation)
        self.init(
            path: "\(directory)/\(String(repeating: "0", count: 10 - digits.count))\(digits).journal",
            generation: generation, nonce: nonce, first: first, layouts: layouts, before: before)
    }

    var header: [UInt8] {
        var writer = ByteWriter(bytes: Array(Self.magic.utf8))
        writer.add(numbers: generation, nonce, first.value, UInt32(layouts.count))
        for layout in layouts { writer.bytes.append(contentsOf: layout.bytes) }
        writer.add(UInt64(before))
        writer.add(CRC32C.checksum(writer.bytes))
        return writer.bytes
    }

    var headerSize: Int { 40 + 32 * layouts.count }

    /// Writes the segment with its header and nothing else.
    ///
    /// - Throws: ``JournalError/overtaken(segment:)`` if another process has made a segment of this generation.
    func create(on disk: any Disk) throws(JournalError) {
        do { try disk.create(path, with: header) } catch .system(call: "link", _, code: EEXIST) {
            throw .overtaken(segment: path)
        }
    }

    /// The largest header: records refer to layouts by 16 bits. Unit: bytes.
    static let largestHeader = 40 + 32 * 65_536

    /// Reads a header. A segment is put in place with a whole header, so one that does not match is damaged.
    static func read(header bytes: [UInt8], path: String) throws(JournalError) -> Segment {
        guard bytes.count >= 40 else { throw .damaged(segment: path, offset: bytes.count, reason: .header) }
        let wrong = zip(bytes, magic.utf8).enumerated().first { $1.0 != $1.1 }?.offset
        return try bytes.reading { buffer throws(JournalError) in
            var reader = RecordReader(buffer)
            _ = try reader.nextBytes(8)
            let generation = try reader.next(UInt32.self)
            let nonce = try reader.next(UInt32.self)
            let first = JournalPosition(try reader.next())
            let count = Int(try reader.next(UInt32.self))
            guard bytes.count >= 40 + 32 * count else {
                throw .damaged(segment: path, offset: wrong ?? 24, reason: .header)
            }
            var layouts: [LayoutID] = []
            for _ in 0..<count { layouts.append(LayoutID(Array(try reader.nextBytes(32)))) }
            let before = try reader.next(UInt64.self)
            let end = reader.offset
            let difference =
                CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<end])) ^ (try reader.next(UInt32.self))
            guard difference == 0 else {
                let place = wrong ?? CRC32C.changedByte(of: end, difference: difference) ?? 0
                throw .damaged(segment: path, offset: place, reason: .header)
            }
            guard wrong == nil else { throw .newerSegment(segment: path) }
            return Segment(
                path: path, generation: generation, nonce: nonce, first: first, layouts: layouts,
                before: Int(clamping: before))
        }
    }

    /// The size of a record's body before the ciphertext. Unit: bytes.
    static let bodyHead = 28
    /// The size of a record's body besides the plaintext. Unit: bytes.
    static let bodyOverhead = bodyHead + 16
    /// The size of a plaintext at which a record is closed. Unit: bytes.
    static let largestRun = 1 << 20

    /// Adds a record as it lies in the segment.
    ///
    /// - Parameter synced: the size of the segment that is on disk. Unit: bytes.
    func add(_ run: [CountedRecord], key: WindowKey, synced: Int, to frames: inout ByteWriter) throws {
        guard let first = run.first?.position else { return }
        let head = Self.head(first, key: key.name, count: run.count, synced: synced)
        var plaintext = ByteWriter()
        plaintext.bytes.reserveCapacity(run.reduce(0) { $0 + EntryFormat.size(of: $1) })
        for record in run { EntryFormat.add(record, to: &plaintext) }
        let sealed = try AES.GCM.seal(
            plaintext.bytes, using: key.secret, nonce: try nonce(at: first), authenticating: head.bytes)
        Self.frame(size: Self.bodyOverhead + plaintext.bytes.count, in: &frames) { frames in
            frames.bytes.append(contentsOf: head.bytes)
            frames.bytes.append(contentsOf: sealed.ciphertext)
            frames.bytes.append(contentsOf: sealed.tag)
        }
    }

    /// Adds a mark, which says how much of the segment is on disk.
    static func addMark(before next: JournalPosition, synced: Int, to frames: inout ByteWriter) {
        frame(size: bodyHead, in: &frames) {
            $0.bytes.append(contentsOf: head(next, key: 0, count: 0, synced: synced).bytes)
        }
    }

    private static func head(_ first: JournalPosition, key: UInt64, count: Int, synced: Int) -> ByteWriter {
        var head = ByteWriter()
        head.add(first.value)
        head.add(key)
        head.add(UInt32(count))
        head.add(UInt64(synced))
        return head
    }

    private static func frame(size: Int, in frames: inout ByteWriter, body: (inout ByteWriter) -> Void) {
        let start = frames.bytes.count
        frames.add(UInt32(size))
        frames.add(UInt32(0))
        body(&frames)
        let checksum = frames.bytes.withUnsafeBytes { bytes in
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[(start + frameOverhead)...]))
        }
        frames.replace(at: start + 4, with: checksum)
    }

    /// Returns the most that a counted record adds to a segment. Unit: bytes.
    static func largestSize(of record: CountedRecord) -> Int {
        frameOverhead + bodyOverhead + EntryFormat.size(of: record)
    }

    /// Returns the plaintext of a record's body; nil if the key is another one or the bytes were changed.
    func plaintext(ofBody body: UnsafeRawBufferPointer, at position: JournalPosition, key: WindowKey) -> [UInt8]? {
        do {
            let box = try AES.GCM.SealedBox(
                nonce: try nonce(at: position), ciphertext: body[Self.bodyHead..<body.count - 16],
                tag: body[(body.count - 16)...])
            return Array(try AES.GCM.open(box, using: key.secret, authenticating: body[..<Self.bodyHead]))
        } catch { return nil }
    }

    private func nonce(at position: JournalPosition) throws -> AES.GCM.Nonce {
        var writer = ByteWriter()
        writer.add(nonce)
        writer.add(position.value)
        return try AES.GCM.Nonce(data: writer.bytes)
    }
}

/// The current segment, used by the journal's thread: it seals, writes, syncs and starts the next segment.
struct SegmentWriter: ~Copyable {
    private let directory: String
    private let disk: any Disk
    private var segment: Segment
    private var file: File
    /// The sealed records that are not written yet.
    private var frames = ByteWriter()
    /// The part of these that is written: after a want of space the rest follows. Unit: bytes.
    private var written = 0
    /// The segment's size, with what is not written yet. Unit: bytes.
    private(set) var bytes: Int
    /// The size that is certainly on disk. Unit: bytes.
    private var synced: Int
    var name: Segment.Name { segment.name }
    private var last: JournalPosition
    /// The end of the last mark. Unit: bytes.
    private var markedBytes = 0
    /// The end of the last window that has a record here.
    private var over = UnixSeconds.min

    /// Opens a segment that holds its header and nothing else.
    init(_ segment: Segment, in directory: String, on disk: any Disk) throws(JournalError) {
        (self.directory, self.disk, self.segment) = (directory, disk, segment)
        bytes = segment.headerSize
        synced = bytes
        last = JournalPosition(segment.first.value - 1)
        file = try File(segment.path, flags: O_WRONLY | O_APPEND, on: disk)
    }

    /// Seals counted records, with consecutive positions, as one journal record; ``sync()`` brings it to disk.
    mutating func add(_ run: [CountedRecord], key: WindowKey) throws {
        let before = frames.bytes.count
        try segment.add(run, key: key, synced: synced, to: &frames)
        bytes += frames.bytes.count - before
        for record in run.suffix(1) {
            over = max(over, record.window.over)
            last = record.position
        }
    }

    /// Waits until every record is on disk. After a want of space it can be called again and continues.
    mutating func sync() throws(JournalError) {
        try write()
        FaultPoint.reached("before_sync")
        try file.sync()
        FaultPoint.reached("after_sync")
        synced = bytes
    }

    /// Writes a mark of how much is on disk, if no record says so. The next sync makes it durable: it survives a crash
    /// of the process before that, but maybe not a power loss. After a want of space the next sync continues.
    mutating func mark() throws(JournalError) {
        guard markedBytes != bytes, bytes > segment.headerSize else { return }
        let before = frames.bytes.count
        Segment.addMark(before: last.next, synced: synced, to: &frames)
        bytes += frames.bytes.count - before
        markedBytes = bytes
        try write()
    }

    private mutating func write() throws(JournalError) {
        try file.write(frames.bytes, from: &written)
        frames.bytes.removeAll(keepingCapacity: true)
        written = 0
    }

    /// Starts a new segment, and returns the facts about the old one. After a want of space it can be called again.
    mutating func rotate() throws(JournalError) -> KeptSegment {
        FaultPoint.reached("before_rotation")
        try sync()
        FaultPoint.reached("in_rotation")
        let closed = KeptSegment(path: segment.path, name: segment.name, bytes: bytes, last: last, over: over)
        let next = Segment(
            in: directory, generation: segment.generation + 1, nonce: segment.nonce, first: last.next,
            layouts: segment.layouts, before: bytes)
        try next.create(on: disk)
        segment = next
        file = try File(segment.path, flags: O_WRONLY | O_APPEND, on: disk)
        bytes = segment.headerSize
        synced = bytes
        markedBytes = 0
        over = .min
        FaultPoint.reached("after_rotation")
        return closed
    }
}
