import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("A first adds one to its own counter, once an identifier and window")
struct FirstsTests {
    private static let now = UnixSeconds(1_795_176_000)
    /// Friday 2026-11-20, UTC.
    private static let friday = UnixSeconds(1_795_132_800)
    private static let day: Int64 = 86_400

    /// The total and os, by day (0, 1) and by week (2, 3); a sum lies between the count and these.
    private static func layout(bound: Int = 6) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "android", "other"], partitionsDevices: true, rule: "list"),
                .init(name: "page", labels: ["home", "other"], partitionsDevices: false, rule: "list"),
            ],
            sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 0, unit: "")],
            contributionBound: bound, groupings: [.total, Margin(bits: 1)], firstPeriods: [.day, .week])
    }

    private struct Event {
        var cell: UInt32 = 0
        var day: UnixSeconds = friday
        var count: UInt32 = 1
        var firsts: [Int]
    }

    private static func batch(
        _ events: [Event], window: Int64 = 0, id: UInt64 = .random(in: 0 ... .max), at now: UnixSeconds = now
    ) -> BucketedBatch {
        BucketedBatch(
            id: BatchID(high: id, low: 1),
            window: WindowID(
                app: "shop", purpose: "product", rotation: .standard,
                number: WindowNumber(now.flooredQuotient(by: 900) + window)),
            events: events.indices.map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: events.map { event in
                var firsts = FirstSet.none
                for place in event.firsts { firsts.insert(place) }
                return .init(
                    metric: 0, cell: CellIndex(event.cell), periodStart: event.day, count: event.count, firstAmount: 0,
                    firsts: firsts)
            },
            amounts: [5])
    }

    private static func counting(_ layout: MetricLayout = layout()) -> Counting {
        Counting(space: CellSpace(layouts: [layout]), position: .start, watermark: .start)
    }

    @discardableResult
    private static func count(
        _ events: [Event], by identifier: UInt64 = 1, window: Int64 = 0, in counting: inout Counting,
        at now: UnixSeconds = now
    ) throws -> CountedBatch {
        let outcome = counting.count(
            batch(events, window: window, at: now),
            identifier: KeyedIdentifier(high: identifier &* 77, low: identifier &+ 5), now: now)
        guard case .counted(let record) = outcome else { throw NotCounted() }
        return record
    }

    private struct NotCounted: Error {}

    /// By day, then leaf cell: the counters that are not 0, by measure.
    private static func counters(_ counting: inout Counting) -> [UnixSeconds: [UInt32: [Int16: Int64]]] {
        var found: [UnixSeconds: [UInt32: [Int16: Int64]]] = [:]
        for delta in counting.freeze()?.counters ?? [] {
            found[delta.periodStart, default: [:]][delta.cell.value, default: [:]][delta.measure.value] = delta.delta
        }
        return found
    }

    @Test("whatever its count is, an event is one first, after the sums among the counters of its leaf")
    func one() throws {
        var counting = Self.counting()
        try Self.count([Event(cell: 3, count: 4, firsts: [0, 1, 3])], in: &counting)
        #expect(Self.counters(&counting) == [Self.friday: [3: [0: 4, 1: 20, 2: 1, 3: 1, 5: 1]]])
    }

    @Test("the same first said again in a window counts once: in one batch, in another leaf, and in a later batch")
    func once() throws {
        var counting = Self.counting()
        // Leaves 0 and 1 are both ios.
        try Self.count([Event(firsts: [0, 1]), Event(firsts: [0]), Event(cell: 1, firsts: [1])], in: &counting)
        try Self.count([Event(cell: 1, firsts: [0, 1, 2])], in: &counting)
        #expect(
            Self.counters(&counting) == [
                Self.friday: [0: [0: 2, 1: 10, 2: 1, 3: 1], 1: [0: 2, 1: 10, 4: 1]]
            ])
    }

    @Test("another identifier, window, day or cell of the grouping has a first of its own")
    func others() throws {
        var counting = Self.counting()
        try Self.count([Event(firsts: [1])], by: 1, in: &counting)
        try Self.count([Event(firsts: [1])], by: 2, in: &counting)
        try Self.count([Event(firsts: [1])], by: 1, window: 1, in: &counting)
        try Self.count([Event(day: Self.friday - Self.day, firsts: [1])], by: 1, in: &counting)
        #expect(
            Self.counters(&counting) == [
                Self.friday: [0: [0: 3, 1: 15, 3: 3]], Self.friday - Self.day: [0: [0: 1, 1: 5, 3: 1]],
            ])
    }

    @Test("an event that is not counted is no first, and the first is still to come")
    func refusedEvents() throws {
        var counting = Self.counting(Self.layout(bound: 2))
        try Self.count([Event(count: 2, firsts: [])], by: 9, in: &counting)
        let record = try Self.count([Event(firsts: [0])], by: 9, in: &counting)
        #expect(record.answer.refused.map(\.reason) == [.contributionBound])
        try Self.count([Event(firsts: [0])], by: 9, window: 1, in: &counting)
        #expect(Self.counters(&counting)[Self.friday]?[0] == [0: 3, 1: 15, 2: 1])
    }

    @Test("as a whole or event by event, a batch comes to the same")
    func ways() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<50 {
            let events = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                Event(
                    cell: .random(in: 0..<2, using: &random),
                    day: Self.friday - .random(in: 0...1, using: &random) * 86_400,
                    firsts: (0..<4).filter { _ in Bool.random(using: &random) })
            }
            var whole = Self.counting(Self.layout(bound: 100))
            try Self.count(events, in: &whole)
            var single = Self.counting(Self.layout(bound: 100))
            for event in events { try Self.count([event], in: &single) }
            // Of two leaves in one cell of a grouping, the one whose event said it first has it.
            #expect(Self.counters(&whole) == Self.counters(&single))
        }
    }

    @Test("late for a day that was released, an event is a first of the week only, and of none where the week ended")
    func late() throws {
        let layout = Self.layout()
        for (open, kept) in [(Self.friday + Self.day, [2, 3]), (Self.friday + 3 * Self.day, [])] {
            var counting = Self.counting(layout)
            try Self.count([Event(firsts: [])], by: 4, in: &counting)
            let flush = counting.freeze()
            counting.applied(try #require(flush), closed: [ClosedPeriod(layout: layout.id, periodStart: Self.friday)])
            let record = try Self.count([Event(firsts: [0, 1, 2, 3])], by: 5, in: &counting, at: open + 3600)
            #expect(record.additions.map(\.periodStart) == [open])
            #expect(record.additions.map { Array($0.firsts) } == [kept])
        }
    }

    @Test("a replay counts firsts again and knows who said them")
    func replay() throws {
        var counting = Self.counting()
        let record = try Self.count([Event(firsts: [0, 2])], in: &counting)
        var restarted = Self.counting()
        restarted.replay(record, now: Self.now)
        restarted.reach(record.position)
        #expect(Self.counters(&restarted) == Self.counters(&counting))
        let again = try Self.count([Event(firsts: [0, 1, 2])], in: &restarted)
        #expect(again.additions.map { Array($0.firsts) } == [[1]])
    }
}
