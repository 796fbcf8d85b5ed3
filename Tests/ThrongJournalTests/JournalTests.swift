import Foundation
import Synchronization
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongJournal

@Suite("Promise 3: what the journal acknowledged is there again")
struct JournalTests {
    @Test("records come back in order, over restarts and over many segments")
    func roundTrip() async throws {
        let workshop = try Workshop()
        let small = Journal.Options(segmentBytes: 700)
        #expect(try await workshop.run(append: 20, options: small, waitingEvery: 3).isEmpty)
        #expect(
            try await workshop.run(append: 13, options: small, waitingEvery: 4).map(\.position.value) == Array(1...20))
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

    @Test("batches that come while the disk is busy share records, are sealed one run a window, and replay one by one")
    func sharedRecords() async throws {
        let workshop = try Workshop()
        do {
            let data = try DataDirectory(path: workshop.path)
            let keys = try KeyRing(data)
            let space = CellSpace(layouts: [Workshop.layout])
            let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
            let journal = try Journal(data, space: space, after: replayed, position: .start) { _ in }
            for position in UInt64(1)...500 {
                let record = Workshop.record(position, window: Int64(position / 100))
                try journal.append(record, key: keys.key(of: record.window))
            }
            try await journal.durable(JournalPosition(500))
            journal.stop()
            // The journal's thread may still hold it.
            data.unlock()
        }
        let bytes = try #require(FileManager.default.contents(atPath: try workshop.segments[0])).count
        let alone = Segment.largestSize(of: .batch(Workshop.record(1)))
        #expect(bytes < 500 * alone, "500 batches took \(bytes) bytes, and one alone \(alone)")
        let replayed = try await workshop.run(append: 0)
        #expect(replayed.map(\.position.value) == Array(1...500))
        for record in replayed {
            let expected = Workshop.record(record.position.value, window: Int64(record.position.value / 100))
            #expect(record.window == expected.window)
            #expect(record.identifier == expected.identifier)
            #expect(record.additions == expected.additions)
        }
    }

    @Test("a torn tail is cut off wherever it tears, and the daemon goes on after it")
    func tornTail() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 4)
        let segment = try #require(try workshop.segments.first)
        let whole = try #require(FileManager.default.contents(atPath: segment))
        let last = try #require(SegmentFrames(Array(whole)).records.last)
        for size in stride(from: whole.count - 1, to: SegmentFrames(Array(whole)).header - 1, by: -1) {
            try whole.prefix(size).write(to: URL(fileURLWithPath: segment))
            let replayed = try await workshop.run(append: 1)
            #expect(replayed.map(\.position.value) == Array(0..<UInt64(replayed.count)).map { $0 + 1 })
            #expect((replayed.count == 4) == (size >= last.end))
            for later in try workshop.segments where later != segment {
                try FileManager.default.removeItem(atPath: later)
            }
        }
    }

    @Test("every flipped byte is noticed: all that was written is replayed, or nothing starts")
    func flippedBytes() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 3)
        let segment = try #require(try workshop.segments.first)
        let whole = [UInt8](try #require(FileManager.default.contents(atPath: segment)))
        var refused = 0
        let mark = try #require(SegmentFrames(whole).frames.last)
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 0x40
            try Data(damaged).write(to: URL(fileURLWithPath: segment))
            do {
                let replayed = try await workshop.run(append: 0)
                // Only a fault in the last mark looks like a torn write.
                #expect(place >= mark.start, "byte \(place)")
                #expect(replayed.map(\.position.value) == [1, 2, 3])
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

    @Test("what a frozen process wrote after another had gone on from its last batch is set aside, and said")
    func overtaken() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 5)
        let first = URL(fileURLWithPath: try #require(try workshop.segments.first))
        let five = try Data(contentsOf: first)
        let three = SegmentFrames(Array(five)).records[2].end
        try five.prefix(three).write(to: first)
        try await workshop.run(append: 2)
        try five.write(to: first)

        let data = try DataDirectory(path: workshop.path)
        let reader = try JournalReader(data, keys: KeyRing(data))
        var positions: [UInt64] = []
        let replayed = try reader.replay(space: CellSpace(layouts: [Workshop.layout]), flushed: .start) {
            positions.append($0.position.value)
        }
        #expect(positions == [1, 2, 3, 4, 5])
        let tail = try #require(replayed.torn.first)
        #expect(replayed.torn.count == 1 && tail.isOvertaken && tail.offset == three)
        try tail.setAside()
        #expect(FileManager.default.contents(atPath: tail.aside) == five.dropFirst(three))
    }

    @Test("a journal at rest syncs at once, and then no sooner than its interval allows")
    func syncInterval() async throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let interval = Duration.milliseconds(200)
        let journal = try Journal(
            data, space: space, after: replayed, position: .start, options: .init(syncInterval: interval)
        ) { _ in }
        let begun = ContinuousClock.now
        for position in UInt64(1)...4 {
            try journal.append(Workshop.record(position), key: keys.key(of: Workshop.record(position).window))
            try await journal.durable(JournalPosition(position))
        }
        #expect(ContinuousClock.now - begun >= interval * 3)
        journal.stop()
        data.unlock()
        #expect(try await workshop.run(append: 0).map(\.position.value) == [1, 2, 3, 4])
    }

    @Test("as many records as came together before wait for no interval")
    func group() async throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let interval = Duration.seconds(60)
        let journal = try Journal(
            data, space: space, after: replayed, position: .start, options: .init(syncInterval: interval)
        ) { _ in }
        let begun = ContinuousClock.now
        var last = UInt64(0)
        for count in [1, Journal.leastGroup, Journal.leastGroup, Journal.leastGroup] {
            for position in last + 1...last + UInt64(count) {
                let record = Workshop.record(position)
                try journal.append(record, key: keys.key(of: record.window))
            }
            last += UInt64(count)
            try await journal.durable(JournalPosition(last))
        }
        #expect(ContinuousClock.now - begun < interval)
        journal.stop()
        data.unlock()
        #expect(try await workshop.run(append: 0).count == Int(last))
    }

    @Test("a process that was replaced does not put its next segment in the place of another's, and says so")
    func overtakenAtRotation() async throws {
        let workshop = try Workshop()
        let failure = Mutex<JournalError?>(nil)
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try reader.replay(space: space, flushed: .start) { _ in }
        // Every batch in a segment of its own.
        let replaced = try Journal(
            data, space: space, after: replayed, position: .start, options: .init(segmentBytes: 100)
        ) { error in failure.withLock { $0 = error as? JournalError } }
        try replaced.append(Workshop.record(1), key: keys.key(of: Workshop.record(1).window))
        try await replaced.durable(JournalPosition(1))
        #expect(replaced.isHeld)
        // As on a file system that has lost its locks.
        data.unlock()

        try await workshop.run(append: 3)
        try replaced.append(Workshop.record(2), key: keys.key(of: Workshop.record(2).window))
        await #expect(throws: JournalError.self) { try await replaced.durable(JournalPosition(2)) }
        replaced.stop()
        let segment = try #require(try workshop.segments.last)
        #expect(failure.withLock { $0 } == .overtaken(segment: segment) && !replaced.isHeld)
        #expect(try await workshop.run(append: 0).map(\.position.value) == [1, 2, 3, 4])
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
        let journal = try Journal(data, space: space, after: replayed, position: replayed.last) { _ in }
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
            data, space: space, after: replayed, position: .start,
            options: .init(segmentBytes: 500, capBytes: 1500)
        ) { _ in }
        var position: UInt64 = 0
        while journal.hasRoom, position < 100 {
            position += 1
            try journal.append(Workshop.record(position), key: keys.key(of: Workshop.record(position).window))
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
            data, space: space, after: replayed, position: .start, options: .init(segmentBytes: 100)
        ) { report.yield("\($0)") }
        try journal.append(Workshop.record(1), key: keys.key(of: Workshop.record(1).window))
        try await journal.durable(JournalPosition(1))
        try FileManager.default.removeItem(atPath: workshop.path + "/journal")
        try journal.append(Workshop.record(2), key: keys.key(of: Workshop.record(2).window))
        await #expect(throws: JournalError.failed) { try await journal.durable(JournalPosition(2)) }
        #expect(await failures.first { _ in true }?.isEmpty == false)
        #expect(throws: JournalError.failed) {
            try journal.append(Workshop.record(3), key: keys.key(of: Workshop.record(3).window))
        }
        #expect(!journal.hasRoom)
        journal.stop()
    }
}
