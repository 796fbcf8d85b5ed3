import Foundation
import Testing
import ThrongIngest

@testable import ThrongJournal

@Suite("Promise 3: a journal that lost its end does not hand out positions again that PostgreSQL may have counted")
struct OfferedMarkTests {
    private let workshop: Workshop?

    init() throws { workshop = try Workshop() }

    private func data() throws -> DataDirectory { try DataDirectory(path: try #require(workshop).path) }

    @Test("a journal that ends before what was offered is not covered, after a restart either")
    func bound() throws {
        let data = try data()
        try OfferedMark(data, kept: nil).raise(to: JournalPosition(7))
        let mark = try OfferedMark(data, kept: nil)
        #expect(mark.covers(JournalPosition(7), isTorn: true))
        #expect(!mark.covers(JournalPosition(6), isTorn: false))
        try mark.raise(to: JournalPosition(9))
        #expect(try !OfferedMark(data, kept: nil).covers(JournalPosition(8), isTorn: false))
    }

    @Test("the mark never goes back, whoever writes it")
    func grows() throws {
        let data = try data()
        let (frozen, other) = (try OfferedMark(data, kept: nil), try OfferedMark(data, kept: nil))
        try other.raise(to: JournalPosition(9))
        try other.raise(to: JournalPosition(5))
        try frozen.raise(to: JournalPosition(6))
        #expect(try !OfferedMark(data, kept: nil).covers(JournalPosition(8), isTorn: false))
    }

    @Test("another daemon's mark says nothing: its positions are others")
    func another() throws {
        let path = try #require(workshop).path
        do {
            let data = try data()
            try OfferedMark(data, kept: nil).raise(to: JournalPosition(7))
            data.unlock()
        }
        try FileManager.default.removeItem(atPath: path + "/daemon.id")
        let data = try data()
        let mark = try OfferedMark(data, kept: nil)
        #expect(mark.covers(.start, isTorn: false))
        try mark.raise(to: JournalPosition(2))
        #expect(try OfferedMark(data, kept: nil).covers(JournalPosition(2), isTorn: false))
    }

    @Test("a torn tail tells after which batch it begins, and its head which batches it held")
    func torn() async throws {
        let workshop = try #require(workshop)
        try await workshop.run(append: 3)
        let segment = try #require(try workshop.segments.last)
        var bytes = try SystemDisk.shared.contents(segment)
        // As a power loss leaves it: nothing behind the last record says that it was on disk.
        bytes.removeLast(bytes.count - (try #require(SegmentFrames(bytes).records.last).end))
        bytes[bytes.count - 1] ^= 1
        try SystemDisk.shared.replace(segment, with: bytes)
        let data = try data()
        let reader = try JournalReader(data, keys: KeyRing(data))
        let replayed = try reader.replay(
            space: CellSpace(layouts: try reader.layouts()), flushed: nil
        ) { _ in }
        let tail = try #require(replayed.torn.first)
        #expect(tail.last == JournalPosition(2) && replayed.last == tail.last)
        #expect(Array(tail.bytes[8..<16]) == [3, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(tail.bytes[24..<28]) == [1, 0, 0, 0])
    }

    @Test("without a mark a torn journal is not covered, nor one that ends before what was kept")
    func without() throws {
        let data = try data()
        #expect(try OfferedMark(data, kept: nil).covers(.start, isTorn: false))
        #expect(try !OfferedMark(data, kept: nil).covers(.start, isTorn: true))
        #expect(try !OfferedMark(data, kept: JournalPosition(3)).covers(JournalPosition(2), isTorn: false))
    }

    @Test("a mark that is damaged covers nothing, and the next flush makes it whole")
    func damaged() throws {
        let data = try data()
        try OfferedMark(data, kept: nil).raise(to: JournalPosition(7))
        let path = data.offeredPath
        let bytes = try SystemDisk.shared.contents(path)
        for bit in 0..<bytes.count * 8 {
            var hit = bytes
            hit[bit / 8] ^= 1 << (bit % 8)
            try SystemDisk.shared.replace(path, with: hit)
            #expect(try !OfferedMark(data, kept: nil).covers(JournalPosition(.max), isTorn: false), "bit \(bit)")
        }
        try OfferedMark(data, kept: nil).raise(to: JournalPosition(8))
        #expect(try OfferedMark(data, kept: nil).covers(JournalPosition(8), isTorn: true))
    }

    @Test("a file that could not be written whole leaves nothing behind, so that the disk has room for the next try")
    func halfAFile() throws {
        let disk = MemoryDisk()
        try disk.replace("/data/whole", with: [1])
        for work in [disk.replace, disk.create] as [(String, [UInt8]) throws -> Void] {
            disk.fill(upTo: 2)
            #expect(throws: JournalError.system(call: "write", file: "/data/whole.new", code: ENOSPC)) {
                try work("/data/whole", [2, 3, 4])
            }
            #expect(disk.files == ["/data/whole": [1]])
        }
        disk.fill(upTo: 3)
        try disk.replace("/data/whole", with: [2, 3, 4])
        #expect(disk.files == ["/data/whole": [2, 3, 4]])
    }

    @Test("a device where the new file would stand is not written to, and the link to it goes")
    func device() throws {
        let folder = try #require(workshop).path
        try FileManager.default.createSymbolicLink(atPath: folder + "/whole.new", withDestinationPath: "/dev/full")
        #expect(throws: JournalError.system(call: "open", file: folder + "/whole.new", code: ENXIO)) {
            try SystemDisk.shared.replace(folder + "/whole", with: [1])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("a folder that is not there yet is looked at where it will be")
    func space() throws {
        #expect(DataDirectory.hasSpace(at: try #require(workshop).path + "/a/b"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: try #require(workshop).path).isEmpty)
    }
}
