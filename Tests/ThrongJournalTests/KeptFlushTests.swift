import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem

@testable import ThrongJournal

@Suite("Kept flushes: what PostgreSQL loses it can have again")
struct KeptFlushTests {
    private let workshop = try? Workshop()
    private let now = Workshop.now

    private func data() throws -> DataDirectory { try DataDirectory(path: try #require(workshop).path) }

    /// A flush with extreme and ordinary numbers of all kinds.
    private func flush(_ after: UInt64, _ through: UInt64) -> Flush {
        let seed = Int64(after)
        return Flush(
            after: JournalPosition(after),
            through: JournalPosition(through),
            layouts: [Workshop.layout],
            counters: (0..<20).map { place in
                CounterDelta(
                    layout: 0, periodStart: now - place % 3 * 86_400, measure: MeasureIndex(Int16(place % 2)),
                    cell: CellIndex(place == 19 ? .max : UInt32(place)),
                    delta: place == 7 ? .min : place == 8 ? .max : seed - place)
            },
            distinct: [
                DistinctDelta(
                    layout: 0, periodStart: now, margin: Margin(bits: .max), cell: CellIndex(3),
                    window: WindowNumber(seed - 50), delta: 4),
                DistinctDelta(
                    layout: 0, periodStart: UnixSeconds(-1), margin: .total, cell: CellIndex(0),
                    window: WindowNumber(.max), delta: .max),
            ],
            coverage: [
                CoverageDelta(app: "shop", hour: now, kind: .accepted, events: .max),
                CoverageDelta(app: "shöp", hour: now - 3600, kind: .refused(.optedOut), events: seed),
                CoverageDelta(app: "shop", hour: .epoch, kind: .late, events: 1),
            ],
            closedUntil: [nil, UnixSeconds(-1), .max][Int(after / 10 % 3)])
    }

    private func expectSame(_ left: Flush?, _ right: Flush) {
        #expect(left?.after == right.after && left?.through == right.through)
        #expect(left?.layouts == right.layouts)
        #expect(left?.counters == right.counters)
        #expect(left?.distinct == right.distinct)
        #expect(left?.coverage == right.coverage)
        #expect(left?.closedUntil == right.closedUntil)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: try #require(workshop).path + "/flushed").sorted()
    }

    @Test("a kept flush is the same after a restart, and the way from any of its watermarks is known")
    func restart() throws {
        do {
            let data = try data()
            let kept = try KeptFlushes(data)
            for place in UInt64(0)..<5 { try kept.keep(flush(place * 10, place * 10 + 10), now: now) }
            // Tried again: not kept twice.
            try kept.keep(flush(40, 50), now: now)
            data.unlock()
        }
        let data = try data()
        let kept = try KeptFlushes(data)
        #expect(kept.end(from: JournalPosition(20)) == JournalPosition(50))
        #expect(kept.end(from: JournalPosition(50)) == nil)
        #expect(kept.end(from: JournalPosition(25)) == nil, "a flush is atomic: no watermark lies within one")
        #expect(kept.steps(from: .start, to: JournalPosition(50)) == 5)
        #expect(kept.steps(from: JournalPosition(10), to: JournalPosition(30)) == 2)
        #expect(kept.steps(from: JournalPosition(10), to: JournalPosition(35)) == nil)
        expectSame(try kept.flush(after: JournalPosition(20)), flush(20, 30))
        // The next start goes on in a file of its own.
        try kept.keep(flush(50, 51), now: now)
        #expect(kept.end(from: .start) == JournalPosition(51))
        #expect(try files().count == 4)
    }

    @Test("a flush that does not join replaces what is kept")
    func gap() throws {
        let kept = try KeptFlushes(try data())
        try kept.keep(flush(0, 10), now: now)
        try kept.keep(flush(12, 20), now: now)
        #expect(kept.end(from: .start) == nil)
        #expect(kept.end(from: JournalPosition(12)) == JournalPosition(20))
    }

    @Test("every torn end of a file leaves the flushes before it")
    func torn() throws {
        let path: String
        let whole: [UInt8]
        do {
            let data = try data()
            let kept = try KeptFlushes(data)
            try kept.keep(flush(0, 10), now: now)
            try kept.keep(flush(10, 20), now: now)
            path = data.path + "/flushed/0000000000.flushes"
            whole = Array(try #require(FileManager.default.contents(atPath: path)))
            data.unlock()
        }
        let header = 16 + 32
        let second = header + (whole.count - header) / 2
        for count in stride(from: second, to: whole.count, by: 7) {
            try Data(whole[..<count]).write(to: URL(fileURLWithPath: path))
            let data = try data()
            #expect(try KeptFlushes(data).end(from: .start) == JournalPosition(10))
            data.unlock()
        }
        for place in stride(from: second, to: whole.count, by: 5) {
            var changed = whole
            changed[place] ^= 0x10
            try Data(changed).write(to: URL(fileURLWithPath: path))
            let data = try data()
            #expect(try KeptFlushes(data).end(from: .start) == JournalPosition(10), "byte \(place)")
            data.unlock()
        }
    }

    @Test("kept flushes go after their time, with their keys, and none are kept where none are asked for")
    func prune() throws {
        let data = try data()
        let kept = try KeptFlushes(data, options: .init(seconds: 600))
        for place in UInt64(0)..<20 { try kept.keep(flush(place, place + 1), now: now + Int64(place) * 60) }
        #expect(try kept.prune(now: now + 20 * 60) == 0)
        #expect(kept.end(from: .start) == nil)
        #expect(kept.end(from: JournalPosition(11)) == JournalPosition(20), "what is younger stays")
        #expect(try files().filter { $0.hasSuffix(".key") }.count == files().count / 2)
        #expect(try kept.prune(now: now + 86_400) == 0)
        #expect(try files() == [])
        #expect(kept.bytes == 0)

        let none = try KeptFlushes(data, options: .init(seconds: 0))
        try none.keep(flush(0, 1), now: now)
        #expect(try files() == [])
    }

    @Test("a flush that PostgreSQL gets hours after it was kept first is kept from then on")
    func late() throws {
        let kept = try KeptFlushes(try data())
        try kept.keep(flush(0, 1), now: now)
        try kept.keep(flush(0, 1), now: now + 6 * 3600)
        #expect(try kept.prune(now: now + 6 * 3600 + 1) == 0)
        #expect(kept.end(from: .start) == JournalPosition(1))
        #expect(try kept.prune(now: now + 7 * 3600) == 0)
        #expect(kept.end(from: .start) == nil)
    }

    @Test("kept flushes stay within their cap: the oldest go")
    func cap() throws {
        let kept = try KeptFlushes(try data(), options: .init(seconds: 12, capBytes: 1500))
        for place in UInt64(0)..<20 { try kept.keep(flush(place, place + 1), now: now + Int64(place) * 2) }
        #expect(try kept.prune(now: now + 2) > 0)
        #expect(kept.bytes <= 1500)
        #expect(kept.end(from: JournalPosition(19)) == JournalPosition(20))
    }

    @Test("nothing in a file of kept flushes can be read without its key, and a destroyed key is overwritten first")
    func encrypted() throws {
        let data = try data()
        let kept = try KeptFlushes(data)
        try kept.keep(flush(0, 10), now: now)
        let path = data.path + "/flushed/0000000000"
        let contents = try #require(FileManager.default.contents(atPath: path + ".flushes"))
        let plain = KeptFlushRecord.plaintext(of: flush(0, 10))
        #expect(contents.range(of: Data(plain[..<12])) == nil)
        // A second name keeps the blocks in sight.
        try FileManager.default.linkItem(atPath: path + ".key", toPath: data.path + "/witness")
        try kept.forget()
        #expect(FileManager.default.contents(atPath: data.path + "/witness") == Data(KeptFile.gone(122)))
        #expect(try files() == [])
    }
}
