// A kept flush's plaintext. Numbers are LEB128, signed ones folded (0, -1, 1, -2, …); ± marks a difference from the entry
// before, 0 before the first. Entries come sorted, so most differences are small: some six bytes a counter.
//
//     counters: how many; of each: layout (place in the file's table), period start ±, measure, cell ±, delta signed
//     distinct counts: how many; of each: layout, period start ±, margin, cell ±, window ±, delta signed
//     coverage: how many; of each: app (bytes, then UTF-8), hour ±, kind, events
//     closed until: Unix seconds, signed; the smallest number if no window was closed, left out if nothing follows then
//     taken away: how many; of each as of a counter; left out if there are none

internal import ThrongIngest
internal import ThrongPlan

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
