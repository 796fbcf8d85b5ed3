import ThrongIngest
import ThrongPlan

@testable import ThrongJournal

/// What lies on the disk, decrypted: entries, a segment's header, a flush that is kept. The first byte chooses.
struct JournalTarget: FuzzTarget {
    private static let layout = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [.init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list")],
        sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
        contributionBound: 6,
        groupings: [.total], firstPeriods: [.day])
    private static let window = WindowID(
        app: "shop", purpose: "product", rotation: .standard, number: WindowNumber(1_994_640))

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let kind = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch kind % 5 {
        case 0...2: try readEntry(rest)
        case 3: try readHeader(rest)
        default: try readFlush(rest)
        }
    }

    private func entry(_ bytes: [UInt8]) -> (record: CountedRecord, rest: Int)? {
        Self.tried { () throws(JournalError) in
            try bytes.reading { buffer throws(JournalError) in
                var reader = RecordReader(buffer)
                let record = try EntryFormat.record(
                    from: &reader, position: JournalPosition(1), window: Self.window,
                    space: CellSpace(layouts: [Self.layout]), ordinals: [0, -1])
                return (record, reader.remaining)
            }
        }
    }

    /// What is written of it reads as the same again.
    private func readEntry(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let (record, rest) = entry(bytes) else { return }
        var writer = ByteWriter()
        EntryFormat.add(record, to: &writer)
        try FuzzFinding.check(
            writer.bytes.count <= EntryFormat.size(of: record),
            .tooMuch(what: "bytes", found: writer.bytes.count, limit: EntryFormat.size(of: record)))
        // Runs of refusals may lie in several ways.
        guard let (again, none) = entry(writer.bytes) else { throw .written(what: "an entry") }
        var second = ByteWriter()
        EntryFormat.add(again, to: &second)
        try FuzzFinding.check(none == 0 && second.bytes == writer.bytes, .written(what: "an entry"))
        try FuzzFinding.check(rest <= bytes.count, .mismatch(what: "an entry and its end"))
    }

    private func readHeader(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard
            let segment = Self.tried({ () throws(JournalError) in
                try Segment.read(header: bytes, path: "segment")
            })
        else { return }
        try FuzzFinding.check(
            segment.header.elementsEqual(bytes.prefix(segment.headerSize)), .written(what: "a segment's header"))
    }

    private func readFlush(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let flush = flush(bytes) else { return }
        let written = KeptFlushRecord.plaintext(of: flush)
        guard let again = self.flush(written) else { throw .written(what: "a flush") }
        try FuzzFinding.check(KeptFlushRecord.plaintext(of: again) == written, .written(what: "a flush"))
    }

    private func flush(_ bytes: [UInt8]) -> Flush? {
        Self.tried { () throws(JournalError) in
            try bytes.reading { buffer throws(JournalError) in
                try KeptFlushRecord.flush(
                    from: buffer, after: JournalPosition(1), through: JournalPosition(2), layouts: [Self.layout])
            }
        }
    }

    /// Nil where it is refused: why is no matter here.
    private static func tried<Value>(_ work: () throws(JournalError) -> Value) -> Value? {
        do throws(JournalError) { return try work() } catch { return nil }
    }
}
