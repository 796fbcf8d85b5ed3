import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongJournal

@Suite("Promise 3: a clock that was ahead at a start makes nobody count twice")
struct ClockAheadTests {
    private static let now = Workshop.now
    private static let devices: UInt64 = 20

    /// What a daemon has open between a start and its end, as far as counting goes.
    private struct House {
        let data: DataDirectory
        let keys: KeyRing
        let journal: Journal
        let believed: BelievedTime
        var counting: Counting

        /// Starts as a daemon does, while its clock shows a time.
        init(_ workshop: Workshop, now: UnixSeconds) throws {
            data = try DataDirectory(path: workshop.path, on: Machine.stepped)
            keys = try KeyRing(data)
            let reader = try JournalReader(data, keys: keys)
            let space = CellSpace(layouts: [Workshop.layout] + (try reader.layouts()))
            var counting = Counting(space: space, position: reader.base, watermark: .start)
            let replayed = try reader.replay(space: space, flushed: .start) { counting.replay($0, now: now) }
            counting.reach(replayed.last)
            believed = try BelievedTime(data)
            try keys.markClosed(windowsOverBy: now)
            try believed.raise(to: now)
            journal = try Journal(data, space: space, after: replayed, position: counting.position) { _ in }
            self.counting = counting
        }

        /// Every device's batch, with the same name each time; returns how many were counted, known again, and refused.
        mutating func post(now: UnixSeconds) throws -> [Int] {
            var (counted, repeated, refused) = (0, 0, 0)
            for device in 1...ClockAheadTests.devices {
                let window = Workshop.record(1).window
                let batch = BucketedBatch(
                    id: BatchID(high: device, low: 1), window: window,
                    events: [.init(refusal: nil, contributions: 0..<1)],
                    contributions: [
                        .init(
                            metric: 0, cell: CellIndex(0), periodStart: UnixSeconds(1_795_132_800), count: 1,
                            firstAmount: 0)
                    ], amounts: [5])
                do {
                    let key = try keys.key(of: window)
                    let identifier = KeyedIdentifier(
                        high: device &* 0x517C_C1B7_2722_0A95, low: device &* 0x9E37_79B9_7F4A_7C15)
                    switch counting.count(batch, identifier: identifier, now: now) {
                    case .counted(let record):
                        try journal.append(record, key: key)
                        counted += 1
                    case .repeated: repeated += 1
                    case .windowOver, .full, .withdrawn: refused += 1
                    }
                } catch JournalError.windowClosed {
                    refused += 1
                }
            }
            _ = journal.step()
            return [counted, repeated, refused]
        }

        /// Ends, and says how many devices the largest tracked cell has.
        mutating func end() -> Int64 {
            journal.stop()
            data.unlock()
            return counting.freeze()?.distinct.map(\.delta).max() ?? 0
        }
    }

    @Test(
        "a start whose clock is two years ahead, then set right: the same batches count nothing again"
    )
    func setRight() throws {
        for fault in [false, true] {
            try Fault.with(fault ? [.reopenReplayedWindows] : []) {
                let workshop = try Workshop()
                var first = try House(workshop, now: Self.now)
                #expect(try first.post(now: Self.now) == [20, 0, 0])
                #expect(try first.post(now: Self.now) == [0, 20, 0])
                #expect(first.end() == 20)

                var ahead = try House(workshop, now: Self.now + 730 * 86_400)
                // The clock is set right, and clients that had no answer send again.
                #expect(try ahead.post(now: Self.now) == (fault ? [20, 0, 0] : [0, 0, 20]))
                #expect(ahead.end() == (fault ? 40 : 20))

                var right = try House(workshop, now: Self.now)
                #expect(right.believed.lag(of: Self.now) == Int64(730 * 86_400))
                #expect(try right.post(now: Self.now) == (fault ? [0, 20, 0] : [0, 0, 20]))
                #expect(right.end() == 20 || fault)
            }
        }
    }

    @Test(
        "a closed window takes no batch while its key is there, and others get theirs"
    )
    func closing() throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        defer { data.unlock() }
        let keys = try KeyRing(data)
        let windows = (Int64(0)..<4).map { Workshop.record(1, window: $0).window }
        let made = try windows.map { try keys.key(of: $0) }
        #expect(try keys.markClosed(windowsOverBy: windows[1].over) == 2)
        for window in windows[...1] { #expect(throws: JournalError.windowClosed) { try keys.key(of: window) } }
        // What was counted in it can still be read and closed.
        #expect(try keys.existingKey(of: windows[0]).name == made[0].name)
        #expect(keys.key(named: made[1].name)?.window == windows[1])
        #expect(try keys.key(of: windows[2]).name == made[2].name)
        try keys.destroy(keysOf: Array(windows[...1]))
        #expect(keys.windows == Array(windows[2...]))
        #expect(keys.key(named: made[1].name) == nil)
        #expect(try KeyRing(data).windows == Array(windows[2...]))
    }
}
