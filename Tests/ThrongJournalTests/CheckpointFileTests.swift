import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongJournal

@Suite("A checkpoint is used where it is right, and costs nothing but time where it is not")
struct CheckpointFileTests {
    /// A journal of many segments with a checkpoint in its middle, made by the daemon's own code.
    private struct Desk {
        let workshop: Workshop
        let space = CellSpace(layouts: [Workshop.layout])

        var path: String { workshop.path + "/checkpoint" }

        init() async throws {
            workshop = try Workshop()
            let data = try DataDirectory(path: workshop.path)
            defer { data.unlock() }
            let keys = try KeyRing(data)
            let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
            let journal = try Journal(
                data, space: space, after: replayed, position: .start, options: .init(segmentBytes: 700)
            ) { _ in }
            var counting = Counting(space: space, position: .start, watermark: .start)
            for position in UInt64(1)...90 {
                let record = Workshop.record(position, window: Int64(position % 3) - 1)
                try journal.append(record, key: keys.key(of: record.window))
                try await journal.durable(record.position)
                counting.replay(record, now: Workshop.now)
                guard position == 60 else { continue }
                counting.reach(record.position)
                let begun = counting.walk(partBytes: 64)
                var walk = try #require(begun)
                var writer = try CheckpointWriter(data, keys: keys, walk: walk)
                while case .part(let part) = counting.next(of: &walk) { try writer.add(part) }
                try writer.finish(through: counting.position, journal: journal, space: space)
            }
            journal.stop()
        }

        /// What a start comes to.
        struct Found {
            let pairs: Int
            let last: JournalPosition
            let replayed: Int
        }

        /// Starts from the checkpoint, as a daemon does; nil where there is none.
        func start(at now: UnixSeconds = Workshop.now, watermark: JournalPosition? = JournalPosition(90)) throws
            -> Found?
        {
            let data = try DataDirectory(path: workshop.path)
            defer { data.unlock() }
            let keys = try KeyRing(data)
            let reader = try JournalReader(data, keys: keys)
            guard let checkpoint = try Checkpoint(in: data) else { return nil }
            guard reader.fits(checkpoint) else { throw JournalError.unusableCheckpoint(.otherJournal) }
            var counting = Counting(space: space, position: reader.base, watermark: watermark)
            try checkpoint.restore(into: &counting, keys: keys, now: now)
            var records = 0
            let replayed = try reader.replay(space: space, flushed: watermark, after: checkpoint) { record in
                guard record.position > checkpoint.from else { return }
                counting.replay(record, now: now)
                records += 1
            }
            counting.reach(replayed.last)
            return Found(pairs: counting.openPairs, last: replayed.last, replayed: records)
        }

        /// Whether it was made beside the segments that are there.
        func fits() throws -> Bool {
            let data = try DataDirectory(path: workshop.path)
            defer { data.unlock() }
            let reader = try JournalReader(data, keys: try KeyRing(data))
            return try Checkpoint(in: data).map { reader.fits($0) } ?? false
        }

        /// Starts without it.
        func startWhole() throws -> Found {
            let data = try DataDirectory(path: workshop.path)
            defer { data.unlock() }
            let reader = try JournalReader(data, keys: try KeyRing(data))
            var counting = Counting(space: space, position: reader.base, watermark: JournalPosition(90))
            var records = 0
            let replayed = try reader.replay(space: space, flushed: JournalPosition(90)) { record in
                counting.replay(record, now: Workshop.now)
                records += 1
            }
            counting.reach(replayed.last)
            return Found(pairs: counting.openPairs, last: replayed.last, replayed: records)
        }

        func flaw(_ body: () throws -> Void) -> Checkpoint.Flaw? {
            do {
                try body()
                return nil
            } catch JournalError.unusableCheckpoint(let flaw) {
                return flaw
            } catch {
                Issue.record("\(error)")
                return nil
            }
        }
    }

    @Test("a start replays what lies behind it, and reads no segment that lies before it")
    func behind() async throws {
        let desk = try await Desk()
        let whole = try desk.startWhole()
        #expect(whole.replayed == 90 && whole.pairs > 90)
        let segments = try desk.workshop.segments
        #expect(segments.count > 10)
        // Damage that a whole replay would stop at.
        let damaged = segments[1]
        var bytes = [UInt8](try #require(FileManager.default.contents(atPath: damaged)))
        bytes[bytes.count - 20] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: damaged))
        #expect(throws: JournalError.self) { try desk.startWhole() }
        let found = try #require(try desk.start())
        #expect(found.replayed == 30 && found.pairs == whole.pairs && found.last == whole.last)
        let away = try #require(try desk.start(watermark: nil))
        #expect(away.replayed == 30 && away.pairs == whole.pairs)
    }

    @Test("what a segment that was not read holds is known: it goes when its windows are settled, and no sooner")
    func kept() async throws {
        let desk = try await Desk()
        let data = try DataDirectory(path: desk.workshop.path)
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let checkpoint = try #require(try Checkpoint(in: data))
        let replayed = try reader.replay(space: desk.space, flushed: JournalPosition(90), after: checkpoint) { _ in }
        let whole = try reader.replay(space: desk.space, flushed: JournalPosition(90)) { _ in }
        #expect(replayed.readBytes < whole.readBytes)
        #expect(replayed.segments.map(\.bytes) == whole.segments.map(\.bytes))
        #expect(replayed.segments.map(\.over) == whole.segments.map(\.over))
        #expect(replayed.segments.map(\.last) == whole.segments.map(\.last))
        data.unlock()
    }

    @Test("one bit that is wrong anywhere is noticed, wherever it matters")
    func flipped() async throws {
        let desk = try await Desk()
        let good = [UInt8](try #require(FileManager.default.contents(atPath: desk.path)))
        let whole = try #require(try desk.start())
        #expect(good.count > 2000)
        // Every byte of the head, the index and a part; of the other parts some.
        for place in good.indices where place < 200 || place % 11 == 0 || place > good.count - 900 {
            var bytes = good
            bytes[place] ^= 1 << UInt8(place % 8)
            try Data(bytes).write(to: URL(fileURLWithPath: desk.path))
            let flaw = desk.flaw { _ = try desk.start() }
            #expect(flaw != nil, "byte \(place)")
        }
        try Data(good).write(to: URL(fileURLWithPath: desk.path))
        #expect(try desk.start()?.pairs == whole.pairs)
    }

    @Test("one that was cut off is none")
    func torn() async throws {
        let desk = try await Desk()
        let good = [UInt8](try #require(FileManager.default.contents(atPath: desk.path)))
        for size in good.indices.dropLast() where size < 100 || size % 11 == 0 || size > good.count - 900 {
            try Data(good.prefix(size)).write(to: URL(fileURLWithPath: desk.path))
            #expect(desk.flaw { _ = try desk.start() } != nil, "\(size) bytes")
        }
    }

    @Test("another version's, another daemon's and another journal's are none")
    func foreign() async throws {
        let desk = try await Desk()
        let other = try await Desk()
        let good = try #require(FileManager.default.contents(atPath: desk.path))
        try FileManager.default.removeItem(atPath: desk.path)
        try FileManager.default.copyItem(atPath: other.path, toPath: desk.path)
        #expect(desk.flaw { _ = try desk.start() } == .otherJournal)
        var bytes = [UInt8](good)
        bytes[7] = UInt8(ascii: "2")
        try Data(bytes).write(to: URL(fileURLWithPath: desk.path))
        #expect(desk.flaw { _ = try desk.start() } == .damaged, "nobody has written that")
        let length = bytes[(bytes.count - 8)..<(bytes.count - 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
        let index = bytes[(bytes.count - 8 - length)..<(bytes.count - 4)]
        var writer = ByteWriter()
        writer.add(CRC32C.checksum(Array(bytes[..<24] + index)))
        bytes.replaceSubrange((bytes.count - 4)..., with: writer.bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: desk.path))
        #expect(desk.flaw { _ = try desk.start() } == .otherVersion)
        try good.write(to: URL(fileURLWithPath: desk.path))
        #expect(desk.flaw { _ = try desk.start() } == nil)
        // The same daemon's, whose journal was taken from a copy that went on by itself.
        let own = try desk.workshop.segments
        let theirs = try other.workshop.segments
        for (path, name) in zip(theirs.suffix(4), own.suffix(4)) {
            try FileManager.default.removeItem(atPath: name)
            try FileManager.default.copyItem(atPath: path, toPath: name)
        }
        #expect(try desk.fits(), "what lies behind it is nothing to it")
        for (path, name) in zip(theirs.dropFirst(3), own.dropFirst(3)) {
            try FileManager.default.removeItem(atPath: name)
            try FileManager.default.copyItem(atPath: path, toPath: name)
        }
        #expect(try !desk.fits())
        #expect(desk.flaw { _ = try desk.start() } == .otherJournal)
    }

    @Test("a journal without its end is not what it was made beside")
    func shorter() async throws {
        let desk = try await Desk()
        for path in try desk.workshop.segments.dropFirst(4) { try FileManager.default.removeItem(atPath: path) }
        #expect(desk.flaw { _ = try desk.start() } == .otherJournal)
    }

    @Test("Promise 1: a window's part of it goes with the window's key")
    func forgotten() async throws {
        let desk = try await Desk()
        let record = Workshop.record(7, window: 0)
        let before = try #require(try desk.start())
        do {
            let data = try DataDirectory(path: desk.workshop.path)
            defer { data.unlock() }
            let keys = try KeyRing(data)
            #expect(try #require(try Checkpoint(in: data)).windows(keys).count == 3)
            try keys.destroy(keysOf: [record.window])
            #expect(try #require(try Checkpoint(in: data)).windows(keys).count == 2)
        }
        let after = try #require(try desk.start())
        #expect(after.pairs < before.pairs && after.pairs > 0)
    }

    @Test("one that was not finished goes at the next start, and the one before it stays")
    func unfinished() async throws {
        let desk = try await Desk()
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: desk.path + ".new"))
        #expect(try desk.start() != nil)
        #expect(!FileManager.default.fileExists(atPath: desk.path + ".new"))
    }

    @Test("an app that is deleted takes it along")
    func deletedApp() async throws {
        let desk = try await Desk()
        let data = try DataDirectory(path: desk.workshop.path)
        defer { data.unlock() }
        _ = try data.forget("shop")
        #expect(!FileManager.default.fileExists(atPath: desk.path))
    }
}
