import Foundation
import Testing
import ThrongIngest

@testable import ThrongJournal

@Suite("Promise 3: a damaged journal is refused or said aloud, never passed over")
struct DamageTests {
    /// What a start makes of a journal.
    private struct Start {
        let records: [CountedBatch]
        let torn: [TornTail]
    }

    /// Two segments of three records each, and their bytes.
    private func journal() async throws -> (workshop: Workshop, segments: [(path: String, bytes: [UInt8])]) {
        let workshop = try Workshop()
        try await workshop.run(append: 3)
        try await workshop.run(append: 3)
        // The second start's segment is the last.
        return (workshop, try workshop.segments.map { ($0, try SystemDisk.shared.contents($0)) })
    }

    private func start(_ data: DataDirectory, _ keys: KeyRing) throws -> Start {
        let reader = try JournalReader(data, keys: keys)
        let space = CellSpace(layouts: try reader.layouts())
        var records: [CountedBatch] = []
        let replayed = try reader.replay(space: space, flushed: .start) {
            if case .batch(let batch) = $0 { records.append(batch) }
        }
        return Start(records: records, torn: replayed.torn)
    }

    /// Where each record and mark of a segment begins, and the end of the last.
    private func boundaries(of bytes: [UInt8]) -> [Int] { SegmentFrames(bytes).boundaries }

    /// Whether what was replayed is a part of what was written, from the first on.
    private func isPrefix(_ records: [CountedBatch]) -> Bool {
        zip(records, UInt64(1)...).allSatisfy { record, position in
            let written = Workshop.record(position)
            return record.position == written.position && record.batch == written.batch
                && record.identifier == written.identifier && record.answer == written.answer
                && record.additions == written.additions && record.appearances == written.appearances
        }
    }

    @Test(
        "every bit of every segment flipped: the start is refused, or nothing is missing but the last mark, and that is said"
    )
    func everyBit() async throws {
        let (workshop, segments) = try await journal()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        #expect(try start(data, keys).records.count == 6)
        var refused = 0
        for (place, segment) in segments.enumerated() {
            // A mark says that the last record was on disk; nothing says so of the mark.
            let lastMark = SegmentFrames(segment.bytes).frames.last
            #expect(lastMark?.count == 0)
            let end = lastMark?.start ?? 0
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: segment.path))
            for offset in segment.bytes.indices {
                for bit in 0..<8 {
                    try file.seek(toOffset: UInt64(offset))
                    try file.write(contentsOf: [segment.bytes[offset] ^ (1 << UInt8(bit))])
                    do {
                        let found = try start(data, keys)
                        #expect(
                            place == segments.count - 1 && offset >= end, "byte \(offset) of segment \(place)")
                        #expect(found.records.count == 6 && isPrefix(found.records))
                        #expect(found.torn.map(\.offset) == [end])
                    } catch is JournalError {
                        refused += 1
                    }
                }
                try file.seek(toOffset: UInt64(offset))
                try file.write(contentsOf: [segment.bytes[offset]])
            }
            try file.close()
        }
        let tail = segments[1].bytes.count - (boundaries(of: segments[1].bytes).dropLast().last ?? 0)
        #expect(refused == 8 * (segments[0].bytes.count + segments[1].bytes.count - tail))
    }

    @Test("a segment cut off at every length: a whole prefix comes back, and a part of a record is said")
    func everyLength() async throws {
        let (workshop, segments) = try await journal()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let (path, bytes) = segments[1]
        let (boundaries, frames) = (boundaries(of: bytes), SegmentFrames(bytes).frames)
        for size in 0..<bytes.count {
            try Data(bytes.prefix(size)).write(to: URL(fileURLWithPath: path))
            guard size >= boundaries[0] else {
                let error = #expect(throws: JournalError.self, "a header is put in place whole") {
                    try start(data, keys)
                }
                #expect(error?.description.contains(path) ?? false, "\(size)")
                continue
            }
            let found = try start(data, keys)
            let whole = boundaries.lastIndex { $0 <= size } ?? 0
            let records = frames.prefix(whole).reduce(0) { $0 + $1.count }
            #expect(found.records.count == 3 + records && isPrefix(found.records))
            #expect(found.torn.map(\.count) == (size == boundaries[whole] ? [] : [size - boundaries[whole]]))
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        // Records that a later segment goes on from can't be missing.
        for size in 0..<segments[0].bytes.count {
            try Data(segments[0].bytes.prefix(size)).write(to: URL(fileURLWithPath: segments[0].path))
            #expect(throws: JournalError.self) { try start(data, keys) }
        }
    }

    @Test("a torn tail is set aside whole, and no later start sees it")
    func setAside() async throws {
        let (workshop, segments) = try await journal()
        let (path, bytes) = segments[1]
        let last = try #require(SegmentFrames(bytes).records.last)
        let (cut, end) = (last.end - 5, last.start)
        try Data(bytes.prefix(cut)).write(to: URL(fileURLWithPath: path))
        do {
            let data = try DataDirectory(path: workshop.path)
            // The reader's thread may still hold it.
            defer { data.unlock() }
            let found = try start(data, try KeyRing(data))
            for tail in found.torn { try tail.setAside() }
            #expect(try SystemDisk.shared.contents(path + ".torn") == Array(bytes[end..<cut]))
            #expect(try SystemDisk.shared.contents(path) == Array(bytes[..<end]))
            #expect(try start(data, try KeyRing(data)).torn.isEmpty)
        }
        // The next batch takes the place of the one that was never acknowledged.
        #expect(try await workshop.run(append: 2).count == 5)
        #expect(try await workshop.run(append: 0).map(\.position.value) == Array(1...7))

        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let replayed = try reader.replay(space: CellSpace(layouts: try reader.layouts()), flushed: .start) { _ in }
        let journal = try Journal(
            data, space: CellSpace(layouts: try reader.layouts()), after: replayed, position: replayed.last
        ) { _ in }
        try journal.removeSegments(flushed: replayed.last, now: Workshop.record(1).window.over)
        journal.stop()
        #expect(!FileManager.default.fileExists(atPath: path + ".torn"), "it goes with its segment")
    }

    @Test("space that was made and never written to goes without a file")
    func blank() async throws {
        let (workshop, segments) = try await journal()
        let (path, bytes) = segments[1]
        try Data(bytes + [UInt8](repeating: 0, count: 4096)).write(to: URL(fileURLWithPath: path))
        let data = try DataDirectory(path: workshop.path)
        let found = try start(data, try KeyRing(data))
        #expect(found.records.count == 6)
        #expect(found.torn.map(\.isBlank) == [true])
        for tail in found.torn { try tail.setAside() }
        #expect(try SystemDisk.shared.contents(path) == bytes)
        #expect(!FileManager.default.fileExists(atPath: path + ".torn"))
    }

    @Test("records that an older segment left in reused space are never replayed")
    func staleRecords() async throws {
        let (workshop, segments) = try await journal()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let (old, new) = (segments[0].bytes, segments[1])

        // Behind the end of the new segment lie the old one's records, all or from the middle of one on.
        for from in [boundaries(of: old)[0], boundaries(of: old)[0] + 11, boundaries(of: old)[1]] {
            try Data(new.bytes + old[from...]).write(to: URL(fileURLWithPath: new.path))
            let found = try start(data, keys)
            #expect(found.records.count == 6 && isPrefix(found.records))
            #expect(found.torn.map(\.offset) == [new.bytes.count])
        }

        // The old record has the very position that comes next: an earlier start wrote it and never acknowledged it.
        let other = try Workshop()
        try await other.run(append: 6)
        let whole = try SystemDisk.shared.contents(try #require(try other.segments.first))
        let (stale, records) = (SegmentFrames(whole).records, SegmentFrames(new.bytes).records)
        let segment = Array(new.bytes[..<records[0].end]) + whole[stale[4].start...]
        try Data(segment).write(to: URL(fileURLWithPath: new.path))
        let found = try start(data, keys)
        #expect(found.records.count == 4 && isPrefix(found.records))
        #expect(found.torn.map(\.offset) == [records[0].end])
    }

    @Test("every bit of a key, of a layout and of the daemon's name flipped: refused")
    func otherFiles() async throws {
        let (workshop, _) = try await journal()
        var files = ["daemon.id"]
        for folder in ["windows", "layouts"] {
            files += try FileManager.default.contentsOfDirectory(atPath: "\(workshop.path)/\(folder)").map {
                "\(folder)/\($0)"
            }
        }
        #expect(files.count == 3)
        for name in files {
            let path = "\(workshop.path)/\(name)"
            let bytes = try SystemDisk.shared.contents(path)
            for offset in bytes.indices {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(offset % 8)
                try Data(damaged).write(to: URL(fileURLWithPath: path))
                do {
                    let data = try DataDirectory(path: workshop.path)
                    defer { data.unlock() }
                    _ = try start(data, try KeyRing(data))
                    Issue.record("byte \(offset) of \(name) was changed, and nobody noticed")
                } catch let error as JournalError {
                    #expect(error != .inUse(directory: workshop.path))
                }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }
        let data = try DataDirectory(path: workshop.path)
        #expect(try start(data, try KeyRing(data)).records.count == 6)
    }
}
