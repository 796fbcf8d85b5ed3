import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("A checkpoint and the records behind it make the same state as all records")
struct CheckpointTests {
    @Test(
        "in random histories, at any size of parts, while counting goes on between two of them",
        arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func same(seed: UInt64) throws {
        var house = CheckpointHouse(seed: seed)
        house.run(steps: 1200)
        let checkpoint = try #require(house.checkpoint)
        #expect(checkpoint.parts.count > 100 && house.repeats > 0)
        #expect(checkpoint.through > checkpoint.from, "counting went on while it was made")
        for watermark in [nil, checkpoint.through, house.counting.flushed] {
            var whole = Counting(space: CheckpointHouse.space, position: .start, watermark: watermark)
            for record in house.journal { whole.replay(record, now: CheckpointHouse.now) }
            whole.reach(house.counting.position)
            // Ordinals of metrics are others in another process.
            var restored = Counting(space: CheckpointHouse.turned, position: .start, watermark: watermark)
            #expect(checkpoint.restore(into: &restored))
            for record in house.journal where record.position > checkpoint.from {
                restored.replay(CheckpointHouse.turned(record), now: CheckpointHouse.now)
            }
            restored.reach(house.counting.position)
            #expect(restored.position == whole.position)
            let (expected, found) = (WindowContents(of: whole), WindowContents(of: restored))
            #expect(expected.count > 300)
            for (name, slots) in expected.slots { #expect(found.slots[name] == slots, "\(name)") }
            #expect(found.slots.count == expected.slots.count)
            // Of all kinds there is something.
            #expect(Set(expected.slots.keys.map(\.kind)).count == WindowPart.Kind.allCases.count - 4)
            house.compareAnswers(&whole, &restored)
        }
        // And it is what was there all along.
        var restored = Counting(space: CheckpointHouse.space, position: .start, watermark: checkpoint.through)
        #expect(checkpoint.restore(into: &restored))
        for record in house.journal where record.position > checkpoint.from {
            restored.replay(record, now: CheckpointHouse.now)
        }
        restored.reach(house.counting.position)
        #expect(WindowContents(of: restored) == WindowContents(of: house.counting))
        house.goOn(&restored)
    }

    @Test(
        "what PostgreSQL lacks is flushed as after a whole replay, where the watermark is unknown",
        arguments: UInt64(77)...84)
    func unresolved(seed: UInt64) throws {
        var house = CheckpointHouse(seed: seed)
        house.run(steps: 900)
        let checkpoint = try #require(house.checkpoint)
        func flush(_ counting: inout Counting, _ records: [CountedRecord]) throws -> Flush {
            for record in records { counting.replay(record, now: CheckpointHouse.now) }
            counting.reach(house.counting.position)
            counting.resolve(watermark: checkpoint.through)
            let frozen = counting.freeze()
            return try #require(frozen)
        }
        var whole = Counting(space: CheckpointHouse.space, position: .start, watermark: nil)
        var restored = whole
        #expect(checkpoint.restore(into: &restored))
        let expected = try flush(&whole, house.journal)
        let found = try flush(&restored, house.journal.filter { $0.position > checkpoint.from })
        #expect(!expected.counters.isEmpty)
        #expect(found.counters.map { "\($0)" } == expected.counters.map { "\($0)" })
        #expect(found.taken.map { "\($0)" } == expected.taken.map { "\($0)" })
        #expect(found.distinct.map { "\($0)" } == expected.distinct.map { "\($0)" })
        #expect(found.coverage == expected.coverage)
    }

    @Test("a window that ends while it is made makes nothing of it, and one that is closed is not opened by it")
    func ending() throws {
        var house = CheckpointHouse(seed: 5)
        house.run(steps: 200)
        house.removeAll()
        let begun = house.counting.walk()
        var walk = try #require(begun)
        let window = try #require(walk.windows.first)
        guard case .part = house.counting.next(of: &walk) else { return _ = Issue.record("there are parts") }
        for closing in house.counting.takeClosings(now: window.over) {
            house.journal.append(.closing(closing))
        }
        guard case .windowEnded = house.counting.next(of: &walk) else { return _ = Issue.record("a window has ended") }
        _ = house.counting.closeWindows(now: window.over, among: [])
        // Its key is still there: PostgreSQL lacks something of it.
        let later = house.counting.walk()
        let closing = try #require(later).closing
        #expect(closing[window] != nil)
        var restored = Counting(space: CheckpointHouse.space, position: .start, watermark: house.counting.position)
        for (window, position) in closing { restored.restore(closing: window, at: position) }
        var random = SeededGenerator(seed: 1)
        let batch = CheckpointHouse.batch(&random, window: window, who: 1)
        let outcome = restored.count(batch, identifier: .init(high: 1, low: 1), now: window.over - 1)
        guard case .windowOver = outcome else { return _ = Issue.record("\(outcome)") }
    }

    @Test("of a window that is over nobody is known again", arguments: UInt64(6)...11)
    func over(seed: UInt64) throws {
        var house = CheckpointHouse(seed: seed)
        house.run(steps: 900)
        let checkpoint = try #require(house.checkpoint)
        let now = CheckpointHouse.now + 1800
        var whole = Counting(space: CheckpointHouse.space, position: .start, watermark: checkpoint.through)
        var restored = whole
        #expect(checkpoint.restore(into: &restored, now: now))
        for record in house.journal {
            whole.replay(record, now: now)
            if record.position > checkpoint.from { restored.replay(record, now: now) }
        }
        whole.reach(house.counting.position)
        restored.reach(house.counting.position)
        let contents = WindowContents(of: restored)
        #expect(contents == WindowContents(of: whole))
        #expect(Set(contents.slots.keys.filter { $0.kind == .pairs }.map(\.window.asOpened)).count < 3)
    }

    @Test("bytes that are no part are refused")
    func foreign() throws {
        var house = CheckpointHouse(seed: 8)
        house.run(steps: 400)
        let checkpoint = try #require(house.checkpoint)
        var refused = 0
        for part in checkpoint.parts {
            for cut in [0, 3, part.bytes.count - 1] where cut < part.bytes.count {
                var counting = Counting(space: CheckpointHouse.space, position: .start, watermark: .start)
                let isTaken = part.bytes.prefix(cut).withUnsafeBytes {
                    counting.restore($0, of: part.window, metrics: [0, 1, 2, 3, 4], now: CheckpointHouse.now)
                }
                if !isTaken { refused += 1 }
            }
        }
        // Bytes of refusals, and numbers whose last one is cut off, may be anything.
        #expect(refused > checkpoint.parts.count * 2)
    }
}
