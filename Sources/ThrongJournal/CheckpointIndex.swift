// The state of open windows, so that a start need not replay them: `checkpoint`. Numbers are little-endian.
//
//     offset  size    what
//     0       8       "THRONGP1"
//     8       16      salt, random
//     24      ...     parts: of each its size u32, then so many bytes, of which the last 16 are the tag
//     ...     ...     the index
//     ...     4       its size
//     ...     4       CRC-32C of the first 24 bytes, the index and its size
//
// Part n (from 0 on, over all windows) is a WindowPart under AES-256-GCM. Its key is derived from its window's by
// HKDF-SHA-256 with the salt and "throng checkpoint", so that it is destroyed with the window's. Its nonce is n as u64 and four zeroes.
//
// Index
//     16      the daemon's name
//     8       from: a start replays the journal behind this position
//     8       through: the journal has to reach this position, and PostgreSQL has to have everything up to it
//     4       layouts: l
//     l × 32  their identities: by their ordinals here parts name metrics
//     4       segments of the journal: s; the last one was being written to
//     s × 40  generation u32, nonce u32, first position u64, last position u64, bytes u64, end of its last window i64
//     4       windows: w
//     w × 24  name of the key u64, first part u32, parts u32, offset of the first u64
//     4       windows that take no batch any more: c
//     c × 16  name of the key u64, position of the last record u64
//
// A missing, old or damaged checkpoint only costs time: the whole journal is replayed then, and it is kept as long as
// it would be without a checkpoint.

internal import Crypto
internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

struct CheckpointIndex: Sendable {
    struct Window: Sendable {
        let keyName: UInt64
        let firstPart: UInt32
        var parts: UInt32
        let offset: UInt64
    }

    struct KnownSegment: Sendable {
        let name: Segment.Name
        let last: JournalPosition
        let bytes: Int
        let over: UnixSeconds
    }

    let salt: [UInt8]
    let daemon: UUID
    let from: JournalPosition
    let through: JournalPosition
    let layouts: [LayoutID]
    let segments: [KnownSegment]
    let windows: [Window]
    let closing: [(keyName: UInt64, position: JournalPosition)]

    static let magic = Array("THRONGP1".utf8)
    static let headSize = 24
    static let tailSize = 8
    /// The largest index; a larger one counts as damaged. Unit: bytes.
    static let largest = 64 << 20

    /// The encoded index, followed by its size and checksum.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        withUnsafeBytes(of: daemon.uuid) { writer.bytes.append(contentsOf: $0) }
        writer.add(numbers: from.value, through.value, UInt32(layouts.count))
        for layout in layouts { writer.bytes.append(contentsOf: layout.bytes) }
        writer.add(UInt32(segments.count))
        for segment in segments {
            writer.add(numbers: segment.name.generation, segment.name.nonce, segment.name.first.value)
            writer.add(numbers: segment.last.value, UInt64(segment.bytes), segment.over.value)
        }
        writer.add(UInt32(windows.count))
        for window in windows { writer.add(numbers: window.keyName, window.firstPart, window.parts, window.offset) }
        writer.add(UInt32(closing.count))
        for window in closing { writer.add(numbers: window.keyName, window.position.value) }
        writer.add(UInt32(writer.bytes.count))
        writer.add(CRC32C.checksum(Self.magic + salt + writer.bytes))
        return writer.bytes
    }

    /// Reads the index of a file from its first bytes, and its last with their size and checksum.
    init(head: [UInt8], tail: [UInt8]) throws(JournalError) {
        guard head.count == Self.headSize, tail.count >= Self.tailSize else { throw .unusableCheckpoint(.damaged) }
        let checked = CRC32C.checksum(head + tail.dropLast(4))
        salt = Array(head.dropFirst(8))
        (daemon, from, through, layouts, segments, windows, closing) = try tail.reading { buffer throws(JournalError) in
            let end = RecordReader(UnsafeRawBufferPointer(rebasing: buffer[(buffer.count - 4)...]))
            var checksum = end
            guard try checksum.next(UInt32.self) == checked else { throw .unusableCheckpoint(.damaged) }
            guard head.starts(with: Self.magic) else { throw .unusableCheckpoint(.otherVersion) }
            var reader = RecordReader(buffer)
            let daemon = UUID(uuid: try reader.nextBytes(16).loadUnaligned(as: uuid_t.self))
            let from = JournalPosition(try reader.next())
            let through = JournalPosition(try reader.next())
            var layouts: [LayoutID] = []
            for _ in 0..<(try reader.next(UInt32.self)) { layouts.append(LayoutID(Array(try reader.nextBytes(32)))) }
            var segments: [KnownSegment] = []
            for _ in 0..<(try reader.next(UInt32.self)) {
                let name = Segment.Name(
                    generation: try reader.next(), nonce: try reader.next(), first: JournalPosition(try reader.next()))
                segments.append(
                    KnownSegment(
                        name: name, last: JournalPosition(try reader.next()),
                        bytes: Int(clamping: try reader.next(UInt64.self)), over: UnixSeconds(try reader.next())))
            }
            var windows: [Window] = []
            for _ in 0..<(try reader.next(UInt32.self)) {
                windows.append(
                    Window(
                        keyName: try reader.next(), firstPart: try reader.next(), parts: try reader.next(),
                        offset: try reader.next()))
            }
            var closing: [(keyName: UInt64, position: JournalPosition)] = []
            for _ in 0..<(try reader.next(UInt32.self)) {
                closing.append((try reader.next(), JournalPosition(try reader.next())))
            }
            return (daemon, from, through, layouts, segments, windows, closing)
        }
    }

    init(
        salt: [UInt8], daemon: UUID, from: JournalPosition, through: JournalPosition, layouts: [LayoutID],
        segments: [KnownSegment], windows: [Window], closing: [(keyName: UInt64, position: JournalPosition)]
    ) {
        (self.salt, self.daemon, self.from, self.through) = (salt, daemon, from, through)
        (self.layouts, self.segments, self.windows, self.closing) = (layouts, segments, windows, closing)
    }

    static func key(of window: WindowKey, salt: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: window.secret, salt: salt, info: Array("throng checkpoint".utf8), outputByteCount: 32)
    }

    static func nonce(_ part: UInt32) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: ByteWriter.bytes(of: UInt64(part), UInt32(0)))
    }
}
