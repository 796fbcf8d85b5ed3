internal import Crypto
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

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
//     32      n - 40  the plaintext (see below) under AES-256-GCM
//     ...     16      its tag
//
// The nonce is four zero bytes and the record's offset in the file; what stands before the ciphertext is authenticated.
// The file ends at the first record that is not whole, or does not continue the one before it. A flush may be a single
// event, so it is encrypted like the journal, and its key overwritten when it is removed.

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

// A kept flush's plaintext. Numbers are LEB128, signed ones folded (0, -1, 1, -2, …); ± marks a difference from the entry
// before, 0 before the first. Entries come sorted, so most differences are small: some six bytes a counter.
//
//     counters: how many; of each: layout (place in the file's table), period start ±, measure, cell ±, delta signed
//     distinct counts: how many; of each: layout, period start ±, margin, cell ±, window ±, delta signed
//     coverage: how many; of each: app (bytes, then UTF-8), hour ±, kind, events
//     closed until: Unix seconds, signed; the smallest number if no window was closed, left out if nothing follows then
//     taken away: how many; of each as of a counter; left out if there are none

enum KeptFlushRecord {
    static func plaintext(of flush: Flush) -> [UInt8] {
        var writer = Writer()
        var last = Last()
        writer.bytes.reserveCapacity(16 + flush.counters.count * 8 + flush.distinct.count * 12)
        writer.add(flush.counters, &last)
        writer.add(UInt64(flush.distinct.count))
        for delta in flush.distinct {
            writer.add(UInt64(delta.layout))
            writer.add(delta.periodStart.value, since: &last.period)
            writer.add(UInt64(delta.margin.bits))
            writer.add(Int64(delta.cell.value), since: &last.cell)
            writer.add(delta.window.value, since: &last.window)
            writer.add(signed: delta.delta)
        }
        writer.add(UInt64(flush.coverage.count))
        for delta in flush.coverage {
            writer.add(UInt64(delta.app.text.utf8.count))
            writer.bytes.append(contentsOf: delta.app.text.utf8)
            writer.add(delta.hour.value, since: &last.period)
            writer.add(UInt64(delta.kind.code))
            writer.add(signed: delta.events)
        }
        let hasRemovals = !flush.taken.isEmpty
        if flush.closedUntil != nil || hasRemovals { writer.add(signed: flush.closedUntil?.value ?? .min) }
        if hasRemovals { writer.add(flush.taken, &last) }
        return writer.bytes
    }

    static func flush(
        from plaintext: UnsafeRawBufferPointer, after: JournalPosition, through: JournalPosition,
        layouts: [MetricLayout]
    ) throws(JournalError) -> Flush {
        var reader = Reader(plaintext)
        var last = Last()
        let counters = try reader.counters(&last, layouts)
        var distinct: [DistinctDelta] = []
        for _ in 0..<(try reader.count()) {
            distinct.append(
                DistinctDelta(
                    layout: try reader.place(in: layouts),
                    periodStart: UnixSeconds(try reader.next(since: &last.period)),
                    margin: Margin(bits: try reader.narrow()),
                    cell: CellIndex(try reader.narrowed(reader.next(since: &last.cell))),
                    window: WindowNumber(try reader.next(since: &last.window)), delta: try reader.signed()))
        }
        let coverage = try Self.coverage(&reader, &last)
        let closedUntil = reader.isAtEnd ? nil : UnixSeconds(try reader.signed())
        let taken = reader.isAtEnd ? [] : try reader.counters(&last, layouts)
        guard reader.isAtEnd else { throw .malformedRecord }
        return Flush(
            after: after, through: through, layouts: layouts, counters: counters, taken: taken,
            distinct: distinct, coverage: coverage, closedUntil: closedUntil == .min ? nil : closedUntil)
    }

    private static func coverage(_ reader: inout Reader, _ last: inout Last) throws(JournalError) -> [CoverageDelta] {
        var coverage: [CoverageDelta] = []
        for _ in 0..<(try reader.count()) {
            let app = AppName(try reader.text())
            let hour = UnixSeconds(try reader.next(since: &last.period))
            guard let kind = CoverageKind(code: try reader.narrow()) else { throw .malformedRecord }
            coverage.append(CoverageDelta(app: app, hour: hour, kind: kind, events: try reader.signed()))
        }
        return coverage
    }

    /// The values that the next entry's differences are relative to.
    fileprivate struct Last {
        var period: Int64 = 0
        var cell: Int64 = 0
        var window: Int64 = 0
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func add(_ number: UInt64) { bytes.append(leb128: number) }

        mutating func add(_ counters: [CounterDelta], _ last: inout Last) {
            add(UInt64(counters.count))
            for delta in counters {
                add(UInt64(delta.layout))
                add(delta.periodStart.value, since: &last.period)
                add(UInt64(delta.measure.value))
                add(Int64(delta.cell.value), since: &last.cell)
                add(signed: delta.delta)
            }
        }

        mutating func add(signed number: Int64) { add(UInt64(bitPattern: number << 1 ^ number >> 63)) }

        mutating func add(_ number: Int64, since last: inout Int64) {
            add(signed: number &- last)
            last = number
        }
    }

    private struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var offset = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isAtEnd: Bool { offset == bytes.count }

        mutating func next() throws(JournalError) -> UInt64 {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), through: 63, by: 7) {
                guard offset < bytes.count else { throw .malformedRecord }
                let byte = bytes[offset]
                offset += 1
                number |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return number }
            }
            throw .malformedRecord
        }

        mutating func counters(_ last: inout Last, _ layouts: [MetricLayout]) throws(JournalError) -> [CounterDelta] {
            var counters: [CounterDelta] = []
            for _ in 0..<(try count()) {
                counters.append(
                    CounterDelta(
                        layout: try place(in: layouts), periodStart: UnixSeconds(try next(since: &last.period)),
                        measure: MeasureIndex(try narrow()), cell: CellIndex(try narrowed(next(since: &last.cell))),
                        delta: try signed()))
            }
            return counters
        }

        mutating func signed() throws(JournalError) -> Int64 {
            let folded = try next()
            return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
        }

        mutating func next(since last: inout Int64) throws(JournalError) -> Int64 {
            last &+= try signed()
            return last
        }

        /// Reads a number of entries, each of which has at least four bytes.
        mutating func count() throws(JournalError) -> Int {
            let count = try next()
            guard count <= UInt64(bytes.count - offset) / 4 else { throw .malformedRecord }
            return Int(count)
        }

        mutating func text() throws(JournalError) -> String {
            let length = try next()
            guard length <= UInt64(bytes.count - offset) else { throw .malformedRecord }
            defer { offset += Int(length) }
            return String(decoding: bytes[offset..<offset + Int(length)], as: UTF8.self)
        }

        mutating func place(in layouts: [MetricLayout]) throws(JournalError) -> Int {
            let place = try next()
            guard place < UInt64(layouts.count) else { throw .malformedRecord }
            return Int(place)
        }

        mutating func narrow<Number: FixedWidthInteger>() throws(JournalError) -> Number {
            guard let number = Number(exactly: try next()) else { throw .malformedRecord }
            return number
        }

        func narrowed<Number: FixedWidthInteger>(_ wide: Int64) throws(JournalError) -> Number {
            guard let number = Number(exactly: wide) else { throw .malformedRecord }
            return number
        }
    }
}
