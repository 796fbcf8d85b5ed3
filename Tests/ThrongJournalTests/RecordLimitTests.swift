import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongJournal

@Suite("Promise 3: nothing is acknowledged that no start could read")
struct RecordLimitTests {
    private static let window = Workshop.record(1).window

    /// A batch of events that are all different, each counted by so many metrics.
    private static func batch(events: Int, metrics: Int) -> BucketedBatch {
        var contributions: [BucketedBatch.Contribution] = []
        for event in 0..<events {
            for _ in 0..<metrics {
                contributions.append(
                    .init(
                        metric: 0, cell: CellIndex(UInt32(event % 2)), periodStart: UnixSeconds(Int64(event)), count: 1,
                        firstAmount: 0))
            }
        }
        return BucketedBatch(
            id: BatchID(high: 1, low: 1), window: window,
            events: (0..<events).map {
                .init(refusal: nil, contributions: Int32($0 * metrics)..<Int32(($0 + 1) * metrics))
            },
            contributions: contributions, amounts: [100])
    }

    private func journal(_ workshop: Workshop, _ options: Journal.Options) throws -> (Journal, KeyRing, DataDirectory) {
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        return (
            try Journal(data, space: space, after: replayed, position: .start, options: options) { _ in }, keys, data
        )
    }

    @Test("a batch of 100,000 events that 16 metrics count is too large before it is counted, one of 1,000 is not")
    func limits() throws {
        let workshop = try Workshop()
        let (journal, _, data) = try journal(workshop, .init())
        defer {
            journal.stop()
            data.unlock()
        }
        #expect(journal.recordLimit + Segment.bodyOverhead == 64 << 20)
        #expect(journal.excessiveSize(of: Self.batch(events: 1000, metrics: 16)) == nil)
        let large = Self.batch(events: 100_000, metrics: 16)
        let found = try #require(journal.excessiveSize(of: large))
        #expect(found > 64 << 20)
        Fault.with([.writeAnyRecord]) { #expect(journal.excessiveSize(of: large) == nil) }
    }

    @Test("as many events as are said to fit do, whichever they are")
    func mostEvents() throws {
        let workshop = try Workshop()
        let (journal, _, data) = try journal(workshop, .init(recordBytes: 1 << 16))
        defer {
            journal.stop()
            data.unlock()
        }
        let most = journal.mostEvents(app: "shop", purpose: "product")
        #expect(journal.excessiveSize(of: Self.batch(events: most, metrics: 1)) == nil)
        #expect(journal.excessiveSize(of: Self.batch(events: most + 1 + most / 100, metrics: 1)) != nil)
    }

    @Test("what a batch may come to is never less than what its record is", arguments: 0..<40)
    func bound(seed: UInt64) throws {
        let workshop = try Workshop()
        let (journal, _, data) = try journal(workshop, .init(recordBytes: 0))
        defer {
            journal.stop()
            data.unlock()
        }
        var random = SystemRandomNumberGenerator()
        let events = Int.random(in: 1...60, using: &random)
        let plain = Self.batch(events: events, metrics: 1)
        let reasons = RefusalReason.allCases
        let batch = BucketedBatch(
            id: plain.id, window: plain.window,
            events: plain.events.map { event in
                Bool.random(using: &random)
                    ? event : .init(refusal: reasons.randomElement(using: &random), contributions: 0..<0)
            },
            contributions: plain.contributions, amounts: plain.amounts)
        var counting = Counting(space: CellSpace(layouts: [Workshop.layout]), position: .start, watermark: .start)
        let outcome = counting.count(batch, identifier: .init(high: seed, low: 9), now: Workshop.now)
        guard case .counted(let counted) = outcome else {
            Issue.record("it was not counted")
            return
        }
        let size = EntryFormat.size(of: .batch(counted))
        let bound = try #require(journal.excessiveSize(of: batch))
        #expect(size <= bound)
        var writer = ByteWriter()
        EntryFormat.add(.batch(counted), to: &writer)
        #expect(writer.bytes.count == size)
    }

    @Test("records up to the limit come back however many wait together, and none above it is written")
    func atTheLimit() async throws {
        let alone = EntryFormat.size(of: .batch(Workshop.record(1)))
        // A run of two would be more than is read.
        let options = Journal.Options(recordBytes: alone + alone / 2)
        for faults in [Set<Fault>(), [.writeAnyRecord]] {
            let workshop = try Workshop()
            let data = try DataDirectory(path: workshop.path, on: Machine.stepped)
            defer { data.unlock() }
            let keys = try KeyRing(data)
            let space = CellSpace(layouts: [Workshop.layout])
            let reader = try JournalReader(data, keys: keys, options: options)
            let replayed = try reader.replay(space: space, flushed: .start) { _ in }
            let journal = try Journal(data, space: space, after: replayed, position: .start, options: options) { _ in }
            let large = CountedBatch(
                position: JournalPosition(9), window: Self.window, batch: BatchID(high: 9, low: 7),
                identifier: KeyedIdentifier(high: 1, low: 1), answer: BatchAnswer(accepted: 5, refused: []),
                additions: (0..<9).map {
                    .init(metric: 0, cell: CellIndex(0), periodStart: UnixSeconds($0), count: 1, sums: [1])
                },
                appearances: [])
            try Fault.with(faults) {
                for position in UInt64(1)...8 {
                    try journal.append(Workshop.record(position), key: keys.key(of: Self.window))
                }
                if faults.isEmpty {
                    #expect(throws: JournalError.self) { try journal.append(large, key: keys.key(of: Self.window)) }
                } else {
                    try journal.append(large, key: keys.key(of: Self.window))
                }
                guard case .released = journal.step() else {
                    Issue.record("nothing was written")
                    return
                }
            }
            journal.stop()
            // Whoever was told that it is on disk finds it there again; with what an earlier version did, nobody does.
            var found: [UInt64] = []
            let again = try JournalReader(data, keys: keys, options: options)
            _ = try again.replay(space: space, flushed: .start) { found.append($0.position.value) }
            #expect(found == (faults.isEmpty ? Array(1...8) : []))
        }
    }
}

extension Machine {
    /// The system's, with nothing that runs by itself.
    static let stepped = Machine(
        disk: SystemDisk.shared, time: Machine.real.time, random: Machine.real.random, hasThreads: false)
}
