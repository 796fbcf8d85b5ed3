import Foundation
import Testing
import ThrongCounting
import ThrongPlan
import ThrongWire

@testable import ThrongJournal

@Suite("Promise 3: what the journal acknowledged is there again")
struct JournalTests {
    @Test("records come back in order, over restarts and over many segments")
    func roundTrip() async throws {
        let workshop = try Workshop()
        let small = Journal.Options(segmentBytes: 700)
        #expect(try await workshop.run(append: 20, options: small).isEmpty)
        #expect(try await workshop.run(append: 13, options: small).map(\.position.value) == Array(1...20))
        let replayed = try await workshop.run(append: 0)
        #expect(replayed.map(\.position.value) == Array(1...33))
        for record in replayed {
            let expected = Workshop.record(record.position.value)
            #expect(record.window == expected.window)
            #expect(record.batch == expected.batch)
            #expect(record.identifier == expected.identifier)
            #expect(record.answer == expected.answer)
            #expect(record.additions == expected.additions)
            #expect(record.appearances == expected.appearances)
        }
        #expect(try workshop.segments.count > 5)
    }

    @Test("a torn tail is cut off wherever it tears, and the daemon goes on after it")
    func tornTail() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 4)
        let segment = try #require(try workshop.segments.first)
        let whole = try #require(FileManager.default.contents(atPath: segment))
        for size in stride(from: whole.count - 1, to: 64, by: -1) {
            try whole.prefix(size).write(to: URL(fileURLWithPath: segment))
            let replayed = try await workshop.run(append: 1)
            #expect(replayed.map(\.position.value) == Array(0..<UInt64(replayed.count)).map { $0 + 1 })
            #expect(replayed.count < 4)
            for later in try workshop.segments where later != segment {
                try FileManager.default.removeItem(atPath: later)
            }
        }
    }

    @Test("every flipped byte is noticed: what is replayed was written, what is missing was the end, or nothing starts")
    func flippedBytes() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 3)
        let segment = try #require(try workshop.segments.first)
        let whole = [UInt8](try #require(FileManager.default.contents(atPath: segment)))
        var refused = 0
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 0x40
            try Data(damaged).write(to: URL(fileURLWithPath: segment))
            do {
                let replayed = try await workshop.run(append: 0)
                #expect(replayed.count <= 2, "byte \(place)")
                #expect(replayed.map(\.position.value) == Array(1...3).prefix(replayed.count).map { UInt64($0) })
                // Only a fault in the last record looks like a torn write.
                #expect(replayed.count == 2, "byte \(place) lost more than the last record without a word")
            } catch is JournalError {
                refused += 1
            }
            for later in try workshop.segments where later != segment {
                try FileManager.default.removeItem(atPath: later)
            }
        }
        #expect(refused > whole.count / 2)
    }

    @Test("a segment that is cut within its header stops the start: it was put in place whole")
    func cutHeader() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 1)
        let segment = try #require(try workshop.segments.first)
        let whole = try #require(FileManager.default.contents(atPath: segment))
        for size in [0, 7, 31, 63] {
            try whole.prefix(size).write(to: URL(fileURLWithPath: segment))
            await #expect(throws: JournalError.self) { try await workshop.run(append: 0) }
        }
    }

    @Test("a missing segment stops the start")
    func missingSegment() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 12, options: .init(segmentBytes: 400))
        try FileManager.default.removeItem(atPath: try workshop.segments[1])
        await #expect(throws: JournalError.self) { try await workshop.run(append: 0) }
    }

    @Test("a second daemon on the same data directory is refused")
    func lock() throws {
        let workshop = try Workshop()
        let first = try DataDirectory(path: workshop.path)
        #expect(throws: JournalError.inUse(directory: workshop.path)) { try DataDirectory(path: workshop.path) }
        withExtendedLifetime(first) {}
    }

    @Test("segments go once PostgreSQL has them and their windows are over, the oldest first")
    func removal() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 9, options: .init(segmentBytes: 400))
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let space = CellSpace(layouts: try reader.layouts())
        let replayed = try reader.replay(space: space, flushed: .start) { _ in }
        let journal = try Journal(data, keys: keys, space: space, after: replayed, position: replayed.last) { _ in }
        let before = try workshop.segments.count
        let over = Workshop.record(1).window.over
        try journal.removeSegments(flushed: JournalPosition(9), now: over - 1)
        #expect(try workshop.segments.count == before)
        let window = Workshop.record(1).window
        try journal.removeSegments(flushed: JournalPosition(4), unsettled: [window], now: over)
        #expect(try workshop.segments.count == before, "a window that is not settled has lost its first batches")
        try journal.removeSegments(flushed: JournalPosition(4), now: over)
        #expect(try workshop.segments.count < before)
        #expect(try JournalReader(data, keys: keys).base < JournalPosition(5))
        try journal.removeSegments(flushed: JournalPosition(9), now: over)
        #expect(try workshop.segments.count == 1)
        journal.stop()
    }

    @Test("a full journal has no room, and has room again once PostgreSQL has caught up")
    func cap() async throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let journal = try Journal(
            data, keys: keys, space: space, after: replayed, position: .start,
            options: .init(segmentBytes: 500, capBytes: 1500)
        ) { _ in }
        var position: UInt64 = 0
        while journal.hasRoom, position < 100 {
            position += 1
            try journal.append(Workshop.record(position))
        }
        #expect((5..<20).contains(position))
        try await journal.durable(JournalPosition(position))
        try journal.removeSegments(flushed: JournalPosition(position), now: Workshop.record(1).window.over)
        #expect(journal.hasRoom)
        journal.stop()
    }

    @Test("a failed write acknowledges nothing any more")
    func failure() async throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let (failures, report) = AsyncStream.makeStream(of: String.self)
        // A segment so small that the second record needs a new one, in a folder that is gone by then.
        let journal = try Journal(
            data, keys: keys, space: space, after: replayed, position: .start, options: .init(segmentBytes: 100)
        ) { report.yield("\($0)") }
        try journal.append(Workshop.record(1))
        try await journal.durable(JournalPosition(1))
        try FileManager.default.removeItem(atPath: workshop.path + "/journal")
        try journal.append(Workshop.record(2))
        await #expect(throws: JournalError.failed) { try await journal.durable(JournalPosition(2)) }
        #expect(await failures.first { _ in true }?.isEmpty == false)
        #expect(throws: JournalError.failed) { try journal.append(Workshop.record(3)) }
        #expect(!journal.hasRoom)
        journal.stop()
    }
}
