import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongJournal

@Suite("What a window came to is in the journal once, and what it was made of until then")
struct ClosingTests {
    private static let layout = MetricLayout(
        app: "shop", metric: "often", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [
            .init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list"),
            .init(name: "times", labels: ["1", ">=2"], partitionsDevices: true, rule: "frequency [1, 2]"),
        ],
        sums: [], contributionBound: 1, groupings: [.total], within: .frequency(bands: [1, 2]))

    private static func batch(_ position: UInt64) -> CountedBatch {
        let plain = Workshop.record(position)
        return CountedBatch(
            position: plain.position, window: plain.window, batch: plain.batch, identifier: plain.identifier,
            answer: plain.answer, additions: plain.additions, appearances: plain.appearances,
            advances: [
                .init(
                    metric: 1, cell: CellIndex(2), periodStart: UnixSeconds(1_795_132_800), progress: UInt16(position))
            ])
    }

    private static func closing(_ position: UInt64) -> WindowClosing {
        WindowClosing(
            position: JournalPosition(position), window: Workshop.record(position).window,
            additions: [
                .init(metric: 1, cell: CellIndex(1), periodStart: UnixSeconds(1_795_132_800), identifiers: 7),
                .init(metric: 1, cell: CellIndex(3), periodStart: UnixSeconds(1_795_046_400), identifiers: .max),
            ])
    }

    private static let records: [CountedRecord] = [
        .batch(batch(1)), .batch(batch(2)), .closing(closing(3)), .batch(batch(4)),
    ]

    /// Starts as a daemon does, with a plan that counts identifiers or not; returns what was found.
    private func run(
        _ workshop: Workshop, layouts: [MetricLayout], appending records: [CountedRecord]
    ) async throws -> [CountedRecord] {
        let data = try DataDirectory(path: workshop.path)
        defer { data.unlock() }
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let space = CellSpace(layouts: layouts + (try reader.layouts()))
        var found: [CountedRecord] = []
        let result = try reader.replay(space: space, flushed: .start) { found.append($0) }
        let journal = try Journal(data, space: space, after: result, position: result.last) { _ in }
        for record in records { try journal.append(record, key: keys.key(of: record.window)) }
        if let last = records.last { try await journal.durable(last.position) }
        journal.stop()
        return found
    }

    private func expectSame(_ found: [CountedRecord], _ expected: [CountedRecord]) {
        #expect(found.map(\.position) == expected.map(\.position))
        for (found, expected) in zip(found, expected) {
            switch (found, expected) {
            case (.batch(let found), .batch(let expected)):
                #expect(found.advances == expected.advances)
                #expect(found.additions == expected.additions)
                #expect(found.appearances == expected.appearances)
                #expect(found.identifier == expected.identifier)
                #expect(found.answer == expected.answer)
            case (.closing(let found), .closing(let expected)): #expect(found == expected)
            case (.withdrawal(let found), .withdrawal(let expected)): #expect(found == expected)
            default: Issue.record("a record came back as one of another kind")
            }
        }
    }

    private func formats(_ workshop: Workshop) throws -> [String] {
        try workshop.segments.map { String(decoding: try Data(contentsOf: URL(filePath: $0)).prefix(8), as: UTF8.self) }
    }

    @Test("batches and closings come back as they were")
    func roundTrip() async throws {
        let workshop = try Workshop()
        _ = try await run(workshop, layouts: [Workshop.layout, Self.layout], appending: Self.records)
        expectSame(
            try await run(workshop, layouts: [Workshop.layout, Self.layout], appending: []), Self.records)
    }

    @Test("parts of a closing and withdrawals come back as they were")
    func partsAndWithdrawals() async throws {
        let workshop = try Workshop()
        let part = Self.closing(3)
        let records: [CountedRecord] = [
            .batch(Self.batch(1)),
            .withdrawal(
                Withdrawal(position: JournalPosition(2), window: part.window, identifier: Self.batch(1).identifier)),
            .closing(
                WindowClosing(position: part.position, window: part.window, additions: part.additions, hasMore: true)),
            .closing(Self.closing(4)),
        ]
        _ = try await run(workshop, layouts: [Workshop.layout, Self.layout], appending: records)
        expectSame(try await run(workshop, layouts: [Workshop.layout, Self.layout], appending: []), records)
    }

    @Test("whichever byte is changed, nothing else comes back than a beginning of what was written")
    func damage() async throws {
        let workshop = try Workshop()
        _ = try await run(workshop, layouts: [Workshop.layout, Self.layout], appending: Self.records)
        let segment = URL(filePath: try #require(workshop.segments.first))
        let whole = try Data(contentsOf: segment)
        for place in stride(from: 0, to: whole.count, by: 3) {
            var changed = whole
            changed[place] ^= 0x10
            try changed.write(to: segment)
            let data = try DataDirectory(path: workshop.path)
            defer { data.unlock() }
            do throws(JournalError) {
                let reader = try JournalReader(data, keys: KeyRing(data))
                var found: [CountedRecord] = []
                _ = try reader.replay(
                    space: CellSpace(layouts: [Workshop.layout, Self.layout]), flushed: .start
                ) { found.append($0) }
                expectSame(found, Array(Self.records.prefix(found.count)))
                // Only of the mark behind the last record nothing says that it was on disk.
                let mark = SegmentFrames(Array(whole)).frames.last?.start ?? 0
                #expect(found.count == Self.records.count && place >= mark, "byte \(place)")
            } catch {
                // It was noticed.
                continue
            }
        }
    }

    @Test("a closing of a cell or a layout that is not there is malformed")
    func malformed() throws {
        let space = CellSpace(layouts: [Workshop.layout, Self.layout])
        for (metric, cell) in [(0, UInt32(0)), (1, UInt32(4)), (2, UInt32(0))] {
            let closing = WindowClosing(
                position: JournalPosition(1), window: Workshop.record(1).window,
                additions: [.init(metric: metric, cell: CellIndex(cell), periodStart: .epoch, identifiers: 1)])
            var writer = ByteWriter()
            EntryFormat.add(.closing(closing), to: &writer)
            #expect(throws: JournalError.malformedRecord) {
                try writer.bytes.reading { bytes throws(JournalError) in
                    var reader = RecordReader(bytes)
                    return try EntryFormat.record(
                        from: &reader, position: closing.position, window: closing.window, space: space,
                        ordinals: [0, 1])
                }
            }
        }
    }
}
