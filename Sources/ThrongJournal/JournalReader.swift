internal import Foundation
public import ThrongCounting
public import ThrongPlan

/// Reads what earlier starts left in the journal.
public struct JournalReader: Sendable {
    private let data: DataDirectory
    private let keys: KeyRing
    private let segments: [Segment]

    /// Reads the headers of all segments.
    ///
    /// - Throws: ``JournalError`` where a header is damaged.
    public init(_ data: DataDirectory, keys: KeyRing) throws(JournalError) {
        self.data = data
        self.keys = keys
        var segments: [Segment] = []
        for name in try File.names(in: data.journalPath) where name.hasSuffix(".journal") {
            let path = "\(data.journalPath)/\(name)"
            segments.append(try Segment.read(header: File.contents(path), path: path))
        }
        self.segments = segments.sorted { $0.generation < $1.generation }
    }

    /// What the journal's cells mean: every layout that a segment mentions, in order of first mention.
    public func layouts() throws(JournalError) -> [MetricLayout] {
        var seen: Set<LayoutID> = []
        var layouts: [MetricLayout] = []
        for id in segments.flatMap(\.layouts) where seen.insert(id).inserted {
            layouts.append(try data.layout(id))
        }
        return layouts
    }

    /// The last position before the first record that is still here.
    public var base: JournalPosition {
        segments.first.map { JournalPosition($0.first.value - 1) } ?? .start
    }

    /// The generation that the next segment gets.
    var nextGeneration: UInt32 { (segments.last?.generation ?? 0) + 1 }

    /// Hands over every record in order.
    ///
    /// - Parameters:
    ///   - flushed: records up to here are in PostgreSQL already, so that their keys may be gone; nil where that is not
    ///     known yet.
    ///   - body: called with each record that can be read.
    /// - Returns: the last position, and what the writer needs to know of the segments.
    public func replay(
        space: CellSpace,
        flushed: JournalPosition?,
        _ body: (CountedBatch) -> Void
    ) throws(JournalError) -> Replayed {
        var last = base
        var kept: [KeptSegment] = []
        for segment in segments {
            // A start whose journal lay behind PostgreSQL's watermark went on after the watermark.
            let isGapFlushed = flushed.map { segment.first > last && segment.first <= $0.next } ?? false
            guard segment.first == last.next || isGapFlushed else {
                throw .gap(expected: last.next, found: segment.first, segment: segment.path)
            }
            let bytes = try File.contents(segment.path)
            let ordinals = segment.layouts.map { space.ordinal(of: $0) ?? -1 }
            var over: Int64 = .min
            last = JournalPosition(segment.first.value - 1)
            last = try bytes.reading { buffer throws(JournalError) in
                try replay(segment, buffer, after: last, flushed: flushed, space: space, ordinals: ordinals) {
                    over = max(over, $0.window.over)
                    body($0)
                }
            }
            kept.append(KeptSegment(path: segment.path, bytes: bytes.count, last: last, over: over))
        }
        return Replayed(last: last, nextGeneration: nextGeneration, segments: kept)
    }

    /// What a replay found.
    public struct Replayed: Sendable {
        /// The last position on disk.
        public let last: JournalPosition
        let nextGeneration: UInt32
        let segments: [KeptSegment]
    }

    private func replay(
        _ segment: Segment,
        _ buffer: UnsafeRawBufferPointer,
        after start: JournalPosition,
        flushed: JournalPosition?,
        space: CellSpace,
        ordinals: [Int],
        _ body: (CountedBatch) -> Void
    ) throws(JournalError) -> JournalPosition {
        var last = start
        var offset = segment.headerSize
        while let record = Self.record(in: buffer, at: offset), record.position == last.next {
            last = record.position
            offset += Segment.frameOverhead + record.body.count
            guard let (window, key) = keys.key(named: record.keyName) else {
                // The key of a window that is over is destroyed once PostgreSQL has all of it, and not before.
                if let flushed, record.position > flushed {
                    throw .keyMissing(segment: segment.path, position: record.position)
                }
                continue
            }
            guard let plaintext = segment.plaintext(ofBody: record.body, at: record.position, key: key) else {
                throw .damaged(segment: segment.path, offset: offset, reason: .ciphertext)
            }
            guard !ordinals.contains(-1) else { throw .malformedRecord }
            let position = last
            body(
                try plaintext.reading { bytes throws(JournalError) in
                    try JournalRecord.batch(
                        from: bytes, position: position, window: window, space: space, ordinals: ordinals)
                })
        }
        if Self.firstRecord(in: buffer, after: offset, beyond: last) != nil {
            throw .damaged(segment: segment.path, offset: offset, reason: .record)
        }
        return last
    }

    /// The valid record at an offset, if there is one.
    private static func record(
        in buffer: UnsafeRawBufferPointer, at offset: Int
    ) -> (position: JournalPosition, keyName: UInt64, body: UnsafeRawBufferPointer)? {
        guard offset + 8 <= buffer.count else { return nil }
        let length = Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        let checksum = UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        guard length >= 32, length <= Segment.largestRecord, offset + 8 + length <= buffer.count else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: buffer[offset + 8..<offset + 8 + length])
        guard CRC32C.checksum(body) == checksum else { return nil }
        let position = UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let keyName = UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return (JournalPosition(position), keyName, body)
    }

    /// Looks for any valid later record behind the end: its presence means damage, its absence a torn write.
    private static func firstRecord(
        in buffer: UnsafeRawBufferPointer, after end: Int, beyond last: JournalPosition
    ) -> Int? {
        guard end < buffer.count else { return nil }
        for offset in end..<buffer.count {
            guard offset + 24 <= buffer.count else { return nil }
            let position = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
            // A plausible position first: the checksum over a whole record costs far more.
            guard position > last.value, position - last.value < 1 << 32 else { continue }
            if record(in: buffer, at: offset) != nil { return offset }
        }
        return nil
    }
}

/// A segment that a writer may remove later.
struct KeptSegment: Sendable {
    let path: String
    let bytes: Int
    let last: JournalPosition
    /// When the last of its windows is over. Unit: Unix seconds.
    let over: Int64
}
