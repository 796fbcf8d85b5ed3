import Foundation
import Testing
import ThrongIngest
import ThrongSystem

@testable import ThrongJournal

@Suite("Promise 3: what a power loss tears was never acknowledged, and what it can't have torn is damage")
struct SyncedThroughTests {
    /// What a start makes of a journal; all of it on this thread.
    private func start(_ workshop: Workshop, flushed: UInt64 = 0) throws -> (positions: [UInt64], torn: [TornTail]) {
        let data = try DataDirectory(path: workshop.path, on: Machine.stepped)
        defer { data.unlock() }
        let reader = try JournalReader(data, keys: KeyRing(data))
        let space = CellSpace(layouts: try reader.layouts())
        var positions: [UInt64] = []
        let found = try reader.replay(space: space, flushed: JournalPosition(flushed)) {
            positions.append($0.position.value)
        }
        return (positions, found.torn)
    }

    /// A journal of several groups, each of several records, synced together.
    private func journal() async throws -> (workshop: Workshop, path: String, bytes: [UInt8]) {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let journal = try Journal(
            data, space: space, after: replayed, position: .start, options: .init(syncInterval: .milliseconds(20))
        ) { _ in }
        var position: UInt64 = 0
        for _ in 0..<8 {
            for _ in 0..<60 {
                position += 1
                // Of two windows in turn, so that each is a record of its own.
                let record = Workshop.record(position, window: Int64(position % 2))
                try journal.append(record, key: keys.key(of: record.window))
            }
            try await journal.durable(JournalPosition(position))
        }
        journal.stop()
        data.unlock()
        let path = try #require(try workshop.segments.first)
        return (workshop, path, try SystemDisk.shared.contents(path))
    }

    @Test(
        "any part of the pages of a group that was not synced: the start goes on, with all that was acknowledged",
        arguments: [512, 4096])
    func anyPages(page: Int) async throws {
        let (workshop, path, bytes) = try await journal()
        let frames = SegmentFrames(bytes).frames
        // Frames that say the same of how much is on disk were written before one sync.
        let bySync: [Int: [SegmentFrames.Frame]] = Dictionary(grouping: frames, by: \.synced)
        let groups = bySync.keys.sorted().compactMap { bySync[$0] }.filter { group in
            group.count { $0.count > 0 } > 4
        }
        try #require(groups.count >= 4)
        var random = SystemRandomNumberGenerator()
        var refusedBefore = 0
        var tornAmidst = 0
        for trial in 0..<300 {
            let group = groups[trial % groups.count]
            let (synced, end) = (group[0].synced, group[group.count - 1].end)
            // What was on disk, and of the pages behind it what the disk took: as they were, or not at all.
            var left = Array(bytes[..<end])
            let share = Double.random(in: 0...1, using: &random)
            for first in stride(from: synced / page * page, to: end, by: page)
            where Double.random(in: 0..<1, using: &random) < share {
                for place in max(first, synced)..<min(first + page, end) { left[place] = 0 }
            }
            // The file's size may not have come there either.
            if trial % 3 == 0 { left.removeLast(Int.random(in: 0...end - synced, using: &random)) }
            try Data(left).write(to: URL(filePath: path))

            let acknowledged = frames.filter { $0.end <= synced }.reduce(0) { $0 + $1.count }
            let (positions, torn) = try start(workshop)
            #expect(positions.count >= acknowledged)
            #expect(positions == Array(1..<UInt64(positions.count) + 1))
            // What comes back are the records before the first byte that is not as it was.
            let whole = zip(left, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? left.count
            let expected = frames.filter { $0.end <= whole }
            let valid = expected.last?.end ?? SegmentFrames(bytes).header
            #expect(positions.count == expected.reduce(0) { $0 + $1.count })
            #expect(torn.map(\.offset) == (valid < left.count ? [valid] : []))
            let isAmidst = frames.contains {
                $0.start > whole && left.count >= $0.end && left[$0.start..<$0.end] == bytes[$0.start..<$0.end]
            }
            if isAmidst {
                tornAmidst += 1
                do {
                    _ = try Fault.with([.ignoreSyncedThrough]) { try start(workshop) }
                } catch is JournalError {
                    refusedBefore += 1
                }
            }
        }
        // The test sees what it is for: whole records behind torn ones, which an earlier version took for damage.
        #expect(tornAmidst > 20)
        #expect(refusedBefore == tornAmidst)
    }

    @Test("a bit flipped in what a later record says was on disk is damage")
    func damage() async throws {
        let (workshop, path, bytes) = try await journal()
        let frames = SegmentFrames(bytes).frames
        let synced = try #require(frames.last).synced
        for place in stride(from: SegmentFrames(bytes).header, to: synced, by: 997) {
            var damaged = bytes
            damaged[place] ^= 4
            try Data(damaged).write(to: URL(filePath: path))
            let record = try #require(frames.last { $0.start <= place })
            #expect(throws: JournalError.damaged(segment: path, offset: record.start, reason: .record)) {
                try start(workshop)
            }
        }
    }

    @Test(
        "a segment that is shorter than the next one says is damage, even if PostgreSQL has all of it"
    )
    func truncatedMiddle() async throws {
        let workshop = try Workshop()
        for _ in 0..<3 { try await workshop.run(append: 3) }
        let middle = try workshop.segments[1]
        let bytes = try SystemDisk.shared.contents(middle)
        let frames = SegmentFrames(bytes)
        for size in frames.header..<bytes.count {
            try Data(bytes.prefix(size)).write(to: URL(filePath: middle))
            let end = try #require(frames.boundaries.last { $0 <= size })
            #expect(throws: JournalError.damaged(segment: middle, offset: end, reason: .record)) {
                try start(workshop, flushed: 9)
            }
        }
        // It was called a torn tail.
        let earlier = try Fault.with([.ignoreSyncedThrough]) { try start(workshop, flushed: 9) }
        #expect(earlier.torn.map(\.segment) == [middle])
        try Data(bytes).write(to: URL(filePath: middle))
        #expect(try start(workshop).positions == Array(1...9))
    }
}
