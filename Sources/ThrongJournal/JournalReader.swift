internal import Foundation
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// Reads the records that earlier starts left in the journal.
package struct JournalReader: Sendable {
    private let data: DataDirectory
    private let keys: KeyRing
    private let segments: [Segment]
    /// The largest body of a record. Unit: bytes.
    private let largestRecord: Int

    /// Reads the headers of all segments; only ``batches(of:through:space:_:)`` may follow while more is written.
    package init(
        _ data: DataDirectory, keys: KeyRing, options: Journal.Options = Journal.Options(), isWritten: Bool = false
    ) throws(JournalError) {
        largestRecord = options.recordBytes + Segment.bodyOverhead
        (self.data, self.keys) = (data, keys)
        var segments: [Segment] = []
        for name in try data.disk.names(in: data.journalPath) {
            let path = "\(data.journalPath)/\(name)"
            // Such a segment was never put in place.
            if name.hasSuffix(".new"), !isWritten { try data.disk.remove(path) }
            guard name.hasSuffix(".journal") else { continue }
            do throws(JournalError) {
                let header = try data.disk.contents(path, from: 0, count: Segment.largestHeader)
                segments.append(try Segment.read(header: header, path: path))
            } catch .system(_, _, ENOENT) where isWritten {
                // The segment was removed meanwhile, as nothing needs it any more.
                continue
            }
        }
        self.segments = segments.sorted { $0.generation < $1.generation }
    }

    /// Calls `body` with the batches of an unsettled window, in order, while more are written.
    ///
    /// - Parameter last: the last position to read; it is on disk.
    /// - Complexity: O(bytes of the journal); only the window's are decrypted.
    package func batches(
        of window: WindowID, through last: JournalPosition, space: CellSpace, _ body: (CountedBatch) -> Void
    ) throws(JournalError) {
        for (place, segment) in segments.enumerated() where segment.first <= last {
            let bytes: [UInt8]
            do throws(JournalError) { bytes = try data.disk.contents(segment.path) } catch .system(_, _, ENOENT) {
                continue
            }
            // Records of an earlier process behind this position were not acknowledged.
            let end = place + 1 < segments.count ? segments[place + 1].first : JournalPosition(.max)
            let ordinals = segment.layouts.map { space.ordinal(of: $0) ?? -1 }
            try bytes.reading { buffer throws(JournalError) in
                var offset = segment.headerSize
                while let record = record(in: buffer, at: offset, of: segment), record.first <= last, record.first < end
                {
                    let start = offset
                    offset += Segment.frameOverhead + record.body.count
                    guard !record.isMark, let known = keys.key(named: record.keyName), known.window == window else {
                        continue
                    }
                    guard let plaintext = segment.plaintext(ofBody: record.body, at: record.first, key: known.key)
                    else { throw .damaged(segment: segment.path, offset: start, reason: .ciphertext) }
                    let run = try records(of: record, plaintext, in: segment, window, space, ordinals)
                    for case .batch(let batch) in run where batch.position <= last { body(batch) }
                }
            }
        }
    }

    private func records(
        of record: Record, _ plaintext: [UInt8], in segment: Segment, _ window: WindowID, _ space: CellSpace,
        _ ordinals: [Int]
    ) throws(JournalError) -> [CountedRecord] {
        try plaintext.reading { bytes throws(JournalError) in
            var reader = RecordReader(bytes)
            var run: [CountedRecord] = []
            for position in record.first.value...record.last.value {
                run.append(
                    try EntryFormat.record(
                        from: &reader, position: JournalPosition(position), window: window, space: space,
                        ordinals: ordinals))
            }
            guard reader.isAtEnd else { throw .malformedRecord }
            return run
        }
    }

    /// Returns the layouts of the journal's cells: all that a segment mentions, in order of first mention. Layouts that
    /// were removed with their app are left out, as none of their records can be read.
    package func layouts() throws(JournalError) -> [MetricLayout] {
        var seen: Set<LayoutID> = []
        var layouts: [MetricLayout] = []
        for id in segments.flatMap(\.layouts) where seen.insert(id).inserted && !data.isGone(id) {
            layouts.append(try data.layout(id))
        }
        return layouts
    }

    /// True if a checkpoint was made for this journal, as far as its segments tell.
    package func fits(_ checkpoint: Checkpoint) -> Bool { checkpoint.fits(segments) }

    /// The last position before the oldest record that still exists.
    package var base: JournalPosition { segments.first.map { JournalPosition($0.first.value - 1) } ?? .start }

    var nextGeneration: UInt32 { (segments.last?.generation ?? 0) + 1 }

    /// Calls `body` with every record, in order. Another thread reads, checks and decrypts a little ahead.
    ///
    /// - Parameters:
    ///   - flushed: the position up to which records are in PostgreSQL, so that their keys may be gone; nil if unknown.
    ///   - checkpoint: one that ``fits(_:)``: the records that it includes are skipped, and mostly not even read.
    /// - Returns: the last position, and the facts about segments that the writer needs.
    package func replay(
        space: CellSpace, flushed: JournalPosition?, after checkpoint: Checkpoint? = nil,
        _ body: (CountedRecord) -> Void
    ) throws(JournalError) -> Replayed {
        guard data.machine.hasThreads else {
            return try read(space: space, flushed: flushed, after: checkpoint) { for record in $0 { body(record) } }
        }
        let records = ReadAhead<CountedRecord, Result<Replayed, JournalError>>(most: Self.mostAhead)
        let thread = Thread { [self] in
            do throws(JournalError) {
                let replayed = try read(space: space, flushed: flushed, after: checkpoint) { records.add($0) }
                records.finish(.success(replayed))
            } catch { records.finish(.failure(error)) }
        }
        thread.name = "throng-replay"
        thread.start()
        return try records.take(body).get()
    }

    /// Unit: batches and closings.
    private static let mostAhead = 4096

    private func read(
        space: CellSpace, flushed: JournalPosition?, after checkpoint: Checkpoint?, _ body: ([CountedRecord]) -> Void
    ) throws(JournalError) -> Replayed {
        var last = base
        var unreadable = max(base, checkpoint?.through ?? .start)
        var readBytes = 0
        var kept: [KeptSegment] = []
        var torn: [TornTail] = []
        for (place, segment) in segments.enumerated() {
            // A start whose journal lay behind PostgreSQL's watermark continued after the watermark.
            let isGapFlushed = flushed.map { segment.first > last && segment.first <= $0.next } ?? false
            guard segment.first == last.next || isGapFlushed else {
                if let tail = torn.last, tail.segment == kept.last?.path {
                    throw .damaged(segment: tail.segment, offset: tail.offset, reason: .record)
                }
                throw .gap(expected: last.next, found: segment.first, segment: segment.path)
            }
            if place + 1 < segments.count,
                let known = checkpoint?.whole(segment, at: try data.disk.size(of: segment.path))
            {
                last = known.last
                kept.append(known)
                continue
            }
            let bytes = try data.disk.contents(segment.path)
            let ordinals = segment.layouts.map { space.ordinal(of: $0) ?? -1 }
            var over: UnixSeconds = .min
            last = JournalPosition(segment.first.value - 1)
            // A start continues after everything that it found. Records of an earlier segment from that position on
            // were written later, by a frozen process that had been replaced, and may not acknowledge them.
            let next = place + 1 < segments.count ? segments[place + 1] : nil
            let limit = next?.first ?? JournalPosition(.max)
            // The next segment holds the size of this one.
            let size = next.flatMap { $0.generation == segment.generation + 1 && $0.before > 0 ? $0.before : nil }
            let end: Int
            let isOvertaken: Bool
            (last, end, isOvertaken) = try bytes.reading { buffer throws(JournalError) in
                try replay(
                    segment, buffer, after: last, before: limit, size: size, flushed: flushed,
                    skipped: checkpoint?.from ?? .start, space: space, ordinals: ordinals,
                    unreadable: &unreadable, over: &over, readBytes: &readBytes, body)
            }
            if let size, end < size, !Fault.ignoreSyncedThrough.isOn {
                throw .damaged(segment: segment.path, offset: end, reason: .record)
            }
            kept.append(KeptSegment(path: segment.path, name: segment.name, bytes: end, last: last, over: over))
            if end < bytes.count {
                torn.append(
                    TornTail(
                        segment: segment.path, offset: end, last: last, isOvertaken: isOvertaken,
                        bytes: Array(bytes[end...]), disk: data.disk))
            }
        }
        return Replayed(
            last: last, unreadable: unreadable, torn: torn, nextGeneration: nextGeneration, segments: kept,
            readBytes: readBytes)
    }

    package struct Replayed: Sendable {
        package let last: JournalPosition
        /// The position up to which segments or keys are gone: PostgreSQL must have everything up to it.
        package let unreadable: JournalPosition
        /// The bytes behind the last records: set them aside and report them before anything is written.
        package let torn: [TornTail]
        let nextGeneration: UInt32
        let segments: [KeptSegment]
        /// The size of the records that were handed over. Unit: bytes.
        package let readBytes: Int
    }

    private func replay(
        _ segment: Segment, _ buffer: UnsafeRawBufferPointer, after start: JournalPosition,
        before limit: JournalPosition, size: Int?, flushed: JournalPosition?, skipped: JournalPosition,
        space: CellSpace, ordinals: [Int], unreadable: inout JournalPosition, over: inout UnixSeconds,
        readBytes: inout Int, _ body: ([CountedRecord]) -> Void
    ) throws(JournalError) -> (last: JournalPosition, end: Int, isOvertaken: Bool) {
        var last = start
        var offset = segment.headerSize
        var known: (name: UInt64, window: WindowID, key: WindowKey)?
        while let record = record(in: buffer, at: offset, of: segment), record.first == last.next {
            if offset >= size ?? .max || record.first >= limit && !record.isMark { return (last, offset, true) }
            let start = offset
            offset += Segment.frameOverhead + record.body.count
            guard !record.isMark else { continue }
            last = record.last
            if known?.name != record.keyName {
                known = keys.key(named: record.keyName).map { (record.keyName, $0.window, $0.key) }
            }
            guard let (_, window, key) = known else {
                // The key of a window that is over is destroyed only once PostgreSQL has all of it.
                if let flushed, record.last > flushed {
                    throw .keyMissing(segment: segment.path, position: record.last)
                }
                unreadable = max(unreadable, record.last)
                continue
            }
            over = max(over, window.over)
            guard record.last > skipped else { continue }
            readBytes += offset - start
            guard let plaintext = segment.plaintext(ofBody: record.body, at: record.first, key: key) else {
                throw .damaged(segment: segment.path, offset: start, reason: .ciphertext)
            }
            body(try records(of: record, plaintext, in: segment, window, space, ordinals))
        }
        if hasMoreOnDisk(than: offset, in: buffer, beyond: last, of: segment) {
            throw .damaged(segment: segment.path, offset: offset, reason: .record)
        }
        return (last, offset, false)
    }

    /// A record whose length and checksum are right.
    private struct Record {
        let first: JournalPosition
        let last: JournalPosition
        let keyName: UInt64
        let body: UnsafeRawBufferPointer
        /// The size of the segment that was on disk when it was written. Unit: bytes.
        let synced: UInt64

        var isMark: Bool { last < first }
    }

    /// Returns the valid record at an offset; nil if there is none.
    private func record(in buffer: UnsafeRawBufferPointer, at offset: Int, of segment: Segment) -> Record? {
        func number<Number: FixedWidthInteger>(_ place: Int, _ type: Number.Type) -> Number {
            Number(littleEndian: buffer.loadUnaligned(fromByteOffset: offset + place, as: type))
        }
        guard offset + 8 <= buffer.count else { return nil }
        let length = Int(number(0, UInt32.self))
        let isMark = length == Segment.bodyHead
        guard isMark || length > Segment.bodyOverhead, length <= largestRecord, offset + 8 + length <= buffer.count
        else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: buffer[offset + 8..<offset + 8 + length])
        guard CRC32C.checksum(body) == number(4, UInt32.self) else { return nil }
        let first = number(8, UInt64.self)
        let (end, overflow) = first.addingReportingOverflow(UInt64(number(24, UInt32.self)))
        guard isMark ? end == first : end > first, !overflow, first > 0 else { return nil }
        let synced = number(28, UInt64.self)
        // The bytes are of another segment, in space that was used before.
        guard synced <= UInt64(offset) else { return nil }
        return Record(
            first: JournalPosition(first), last: JournalPosition(end - 1), keyName: number(16, UInt64.self), body: body,
            synced: synced)
    }

    /// True if a valid later record says that more was on disk than the valid records before it. Then the bytes between
    /// them are damaged; otherwise they are a torn write, of which a power loss may leave any part.
    private func hasMoreOnDisk(
        than end: Int, in buffer: UnsafeRawBufferPointer, beyond last: JournalPosition, of segment: Segment
    ) -> Bool {
        let saysSynced = !Fault.ignoreSyncedThrough.isOn
        var offset = end
        while offset + 16 <= buffer.count {
            let position = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
            // The position is checked first: the checksum over a whole record costs far more.
            if position > last.value, position - last.value < 1 << 32,
                let record = record(in: buffer, at: offset, of: segment)
            {
                if !saysSynced || record.synced > UInt64(end) { return true }
                offset += Segment.frameOverhead + record.body.count
            } else {
                offset += 1
            }
        }
        return false
    }
}

/// A segment that a writer may remove later.
struct KeptSegment: Sendable {
    let path: String
    let name: Segment.Name
    let bytes: Int
    let last: JournalPosition
    /// The end of the last of its windows.
    let over: UnixSeconds
}

// The bytes behind a segment's last valid record, as they were found at a start: `journal/<segment>.journal.torn`.
// Nothing reads them again; they are removed with their segment.

/// The bytes behind the last valid record of a segment. They are a write that was torn before it was synced, and so
/// never acknowledged; or damage to the last acknowledged records, which looks the same.
package struct TornTail: Sendable {
    package let segment: String
    /// The end of the valid records. Unit: bytes.
    package let offset: Int
    /// The position of the last valid record before it.
    package let last: JournalPosition
    /// True if these are records of a process that wrote on after another had taken its place.
    package let isOvertaken: Bool
    let bytes: [UInt8]
    let disk: any Disk

    package var count: Int { bytes.count }

    /// True if there are only zeroes: space that was allocated and never written to.
    package var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The path that ``setAside()`` uses.
    package var aside: String { Self.aside(of: segment) }

    static func aside(of segment: String) -> String { segment + ".torn" }

    /// Moves the bytes from the segment to a file beside it; blank ones are only cut off.
    package func setAside() throws(JournalError) {
        if !isBlank { try disk.replace(aside, with: bytes) }
        let file = try File(segment, flags: O_WRONLY, on: disk)
        try file.truncate(to: offset)
        try file.sync()
    }
}
