// A segment of the journal: `journal/<generation, 10 digits>.journal`. A start of the daemon makes a new segment, and so
// does a full one; none is ever written to again, nor replaced. Numbers are little-endian.
//
// Header
//     offset  size    what
//     0       8       "THRONGJ2"; "THRONGJ3" where a layout counts identifiers, which earlier versions can't read
//     8       4       generation: segments in order of making
//     12      4       nonce of the start that wrote it, random
//     16      8       position of the first record
//     24      4       layouts: l
//     28      l × 32  their identities; `layouts/` of the data directory has their text
//     ...     4       CRC-32C of everything before
//
// Record, one a run of batches of one window, positions consecutive; in a J3, of batches and the window's closing
//     0       4       bytes from `position` to the end of the tag: n
//     4       4       CRC-32C of those bytes
//     8       8       position of the first batch
//     16      8       name of the window's key
//     24      4       batches: b
//     28      n - 36  b plaintexts (JournalRecord.swift) one after another, under AES-256-GCM with the window's key
//     ...     16      its tag
//
// The nonce of a record is the segment's nonce followed by the position. A position is used twice under one key only if
// a record was lost before it was acknowledged, and then by another start with another nonce. `position`, the key's name
// and the number of batches are authenticated too.
//
// End of a segment: the first record whose length or checksum is wrong ends it, if nothing valid follows. That is a torn
// write that was never acknowledged. If something valid follows, the segment is damaged and the daemon does not start.

internal import Crypto
internal import Foundation
internal import ThrongCounting
internal import ThrongPlan

struct Segment {
    let path: String
    let generation: UInt32
    let nonce: UInt32
    let first: JournalPosition
    let layouts: [LayoutID]
    /// Whether a layout counts identifiers: then plaintexts say what they are.
    let hasClosings: Bool

    private static let magic = Array("THRONGJ2".utf8)
    private static let closingMagic = Array("THRONGJ3".utf8)
    static let frameOverhead = 8
    static let largestRecord = 64 << 20

    init(
        path: String, generation: UInt32, nonce: UInt32, first: JournalPosition, layouts: [LayoutID], hasClosings: Bool
    ) {
        self.path = path
        self.generation = generation
        self.nonce = nonce
        self.first = first
        self.layouts = layouts
        self.hasClosings = hasClosings
    }

    /// A segment still to be made.
    init(
        in directory: String, generation: UInt32, nonce: UInt32, first: JournalPosition, layouts: [LayoutID],
        hasClosings: Bool
    ) {
        let digits = String(generation)
        self.init(
            path: "\(directory)/\(String(repeating: "0", count: 10 - digits.count))\(digits).journal",
            generation: generation,
            nonce: nonce,
            first: first,
            layouts: layouts,
            hasClosings: hasClosings)
    }

    var header: [UInt8] {
        var writer = ByteWriter(bytes: hasClosings ? Self.closingMagic : Self.magic)
        writer.add(generation)
        writer.add(nonce)
        writer.add(first.value)
        writer.add(UInt32(layouts.count))
        for layout in layouts { writer.bytes.append(contentsOf: layout.bytes) }
        writer.add(CRC32C.checksum(writer.bytes))
        return writer.bytes
    }

    var headerSize: Int { 32 + 32 * layouts.count }

    /// Puts the segment in place, with its header and nothing else.
    ///
    /// - Throws: ``JournalError/overtaken(segment:)`` where another process has made a segment of this generation.
    func create() throws(JournalError) {
        do {
            try File.create(path, with: header)
        } catch .system(call: "link", _, code: EEXIST) {
            throw .overtaken(segment: path)
        }
    }

    /// Records refer to layouts by 16 bits.
    static let largestHeader = 32 + 32 * 65_536

    /// Reads a header. A segment is put in place with a whole header, so one that does not match is damaged.
    static func read(header bytes: [UInt8], path: String) throws(JournalError) -> Segment {
        guard bytes.count >= 32 else { throw .damaged(segment: path, offset: bytes.count, reason: .header) }
        let hasClosings = bytes.starts(with: closingMagic)
        guard hasClosings || bytes.starts(with: magic) else { throw .unknownFormat(file: path) }
        return try bytes.reading { buffer throws(JournalError) in
            var reader = ByteReader(buffer)
            _ = try reader.nextBytes(8)
            let generation = try reader.next(UInt32.self)
            let nonce = try reader.next(UInt32.self)
            let first = JournalPosition(try reader.next())
            let count = Int(try reader.next(UInt32.self))
            guard bytes.count >= 32 + 32 * count else { throw .damaged(segment: path, offset: 24, reason: .header) }
            var layouts: [LayoutID] = []
            for _ in 0..<count { layouts.append(LayoutID(Array(try reader.nextBytes(32)))) }
            let expected = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<reader.offset]))
            guard try reader.next(UInt32.self) == expected else {
                throw .damaged(segment: path, offset: 0, reason: .header)
            }
            return Segment(
                path: path, generation: generation, nonce: nonce, first: first, layouts: layouts,
                hasClosings: hasClosings)
        }
    }

    /// Bytes of a record's body before the ciphertext.
    static let bodyHead = 20
    /// Bytes of a record's body besides the plaintext.
    static let bodyOverhead = bodyHead + 16
    /// A record is closed once its plaintext is this large. Unit: bytes.
    static let largestRun = 1 << 20

    /// Adds a record as it lies in the segment.
    func add(_ run: [CountedRecord], key: WindowKey, to frames: inout ByteWriter) throws {
        guard let first = run.first?.position else { return }
        var head = ByteWriter()
        head.add(first.value)
        head.add(key.name)
        head.add(UInt32(run.count))
        var plaintext = ByteWriter()
        plaintext.bytes.reserveCapacity(run.reduce(0) { $0 + JournalRecord.size(of: $1) })
        for record in run { JournalRecord.add(record, saysKind: hasClosings, to: &plaintext) }
        let sealed = try AES.GCM.seal(
            plaintext.bytes, using: key.secret, nonce: try nonce(at: first), authenticating: head.bytes)
        let start = frames.bytes.count
        frames.add(UInt32(Self.bodyOverhead + plaintext.bytes.count))
        frames.add(UInt32(0))
        frames.bytes.append(contentsOf: head.bytes)
        frames.bytes.append(contentsOf: sealed.ciphertext)
        frames.bytes.append(contentsOf: sealed.tag)
        let checksum = frames.bytes.withUnsafeBytes { bytes in
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[(start + Self.frameOverhead)...]))
        }
        frames.replace(at: start + 4, with: checksum)
    }

    /// At most what a batch or a closing adds to a segment. Unit: bytes.
    static func largestSize(of record: CountedRecord) -> Int {
        frameOverhead + bodyOverhead + JournalRecord.size(of: record)
    }

    /// The plaintext of a record's body; nil where the key is another one or the bytes were changed.
    func plaintext(ofBody body: UnsafeRawBufferPointer, at position: JournalPosition, key: WindowKey) -> [UInt8]? {
        do {
            let box = try AES.GCM.SealedBox(
                nonce: try nonce(at: position),
                ciphertext: body[Self.bodyHead..<body.count - 16],
                tag: body[(body.count - 16)...])
            return Array(try AES.GCM.open(box, using: key.secret, authenticating: body[..<Self.bodyHead]))
        } catch {
            return nil
        }
    }

    private func nonce(at position: JournalPosition) throws -> AES.GCM.Nonce {
        var writer = ByteWriter()
        writer.add(nonce)
        writer.add(position.value)
        return try AES.GCM.Nonce(data: writer.bytes)
    }
}
