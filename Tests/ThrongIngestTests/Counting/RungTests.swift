import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("Where releases choose the bound, counters tell what each bound would have counted")
struct RungTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let cells = 6

    /// A layout of two systems and three categories.
    private static func layout(bound: Int, chooses: Bool) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "android"], partitionsDevices: true, rule: "list"),
                .init(name: "category", labels: ["cake", "bread", "other"], partitionsDevices: false, rule: "list"),
            ],
            sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
            contributionBound: bound, choosesBound: chooses,
            groupings: [.total, Margin(bits: 1), Margin(bits: 2), Margin(bits: 3)], firstPeriods: [.day])
    }

    private typealias Sent = (batch: BucketedBatch, identifier: KeyedIdentifier)

    /// Batches of few and of many events, most of a device's kind, of two days.
    private static func batches(_ count: Int, seed: UInt64) -> [Sent] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let who = UInt64.random(in: 0..<7, using: &random)
            let events = Int.random(in: 1...9, using: &random)
            let contributions = (0..<events).map { place in
                let system = Int.random(in: 0..<20, using: &random) == 0 ? 1 - who % 2 : who % 2
                return BucketedBatch.Contribution(
                    metric: 0, cell: CellIndex(UInt32(system) * 3 + .random(in: 0..<3, using: &random)),
                    periodStart: UnixSeconds(1_795_132_800) - (Bool.random(using: &random) ? 86_400 : 0),
                    count: .random(in: 1...UInt32(who) + 1, using: &random), firstAmount: Int32(place),
                    firsts: FirstSet(bits: .random(in: 0..<16, using: &random)))
            }
            let batch = BucketedBatch(
                id: BatchID(high: random.next(), low: random.next()),
                window: WindowID(
                    app: "shop", purpose: "product", rotation: .standard,
                    number: WindowNumber(now.flooredQuotient(by: 900) + .random(in: 0...1, using: &random))),
                events: (0..<events).map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
                contributions: contributions, amounts: (0..<events).map { _ in .random(in: 0...10_000, using: &random) }
            )
            return (batch, KeyedIdentifier(high: who &* 0x9E37_79B9_7F4A_7C15 &+ 1, low: who &+ 5))
        }
    }

    private struct Place: Hashable {
        let period: UnixSeconds
        let cell: UInt32
        let measure: Int16
    }

    /// Counts all that was sent, with a stop and a replay after so many batches.
    private static func counted(_ sent: [Sent], _ layout: MetricLayout, stop: Int? = nil) throws -> Flush {
        let space = CellSpace(layouts: [layout])
        var counting = Counting(space: space, position: .start, watermark: .start)
        var records: [CountedBatch] = []
        for (place, one) in sent.enumerated() {
            if place == stop {
                counting = Counting(space: space, position: .start, watermark: .start)
                for record in records { counting.replay(record, now: now) }
                counting.reach(JournalPosition(UInt64(records.count)))
            }
            if case .counted(let record) = counting.count(one.batch, identifier: one.identifier, now: now) {
                records.append(record)
            }
        }
        #expect(records.count == sent.count)
        let flush = counting.freeze()
        return try #require(flush)
    }

    /// What a bound counts, worked out event by event. Unit: events and cents.
    private static func naive(_ sent: [Sent], bound: UInt32) -> [Place: Int64] {
        struct Sender: Hashable {
            let window: WindowID
            let identifier: KeyedIdentifier
        }
        var (used, systems): ([Sender: UInt32], [Sender: UInt32]) = ([:], [:])
        var sums: [Place: Int64] = [:]
        for (batch, identifier) in sent {
            let sender = Sender(window: batch.window, identifier: identifier)
            for (contribution, amount) in zip(batch.contributions, batch.amounts) {
                let system = contribution.cell.value / 3
                guard systems[sender, default: system] == system else { continue }
                systems[sender] = system
                for _ in 0..<contribution.count where used[sender, default: 0] < bound {
                    used[sender, default: 0] += 1
                    for (measure, value) in [(Int16(0), 1), (1, amount)] {
                        let place = Place(
                            period: contribution.periodStart, cell: contribution.cell.value, measure: measure)
                        sums[place, default: 0] += value
                    }
                }
            }
        }
        return sums.filter { $0.value != 0 }
    }

    @Test("the rungs up to a bound hold what an event-by-event count with that bound has, over a restart, too")
    func bounds() throws {
        for seed in UInt64(1)...6 {
            let sent = Self.batches(160, seed: seed)
            let layout = Self.layout(bound: Metric.firstBound, chooses: true)
            let rungs = try #require(layout.rungs)
            let flush = try Self.counted(sent, layout)
            #expect(flush.counters.contains { Int($0.cell.value) >= 3 * Self.cells }, "few send more than ten")
            #expect(try Self.counted(sent, layout, stop: 70).counters == flush.counters)
            for (rung, bound) in rungs.enumerated() {
                var sums: [Place: Int64] = [:]
                for delta in flush.counters where delta.measure.value <= 1 {
                    guard Int(delta.cell.value) / Self.cells <= rung else { continue }
                    let place = Place(
                        period: delta.periodStart, cell: delta.cell.value % UInt32(Self.cells),
                        measure: delta.measure.value)
                    sums[place, default: 0] += delta.delta
                }
                #expect(sums == Self.naive(sent, bound: UInt32(bound)), "seed \(seed), bound \(bound)")
            }
        }
    }

    @Test("what waited offline is sent in one window, and fills the rungs: each day may count up to a bound of its own")
    func offline() throws {
        let sent = [5, 15, 30, 150]
        let starts = sent.indices.map { UnixSeconds(1_795_132_800) - Int64(3 - $0) * 86_400 }
        let batch = BucketedBatch(
            id: BatchID(high: 1, low: 1), window: Self.batches(1, seed: 1)[0].batch.window,
            events: sent.indices.map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: sent.indices.map { day in
                BucketedBatch.Contribution(
                    metric: 0, cell: CellIndex(0), periodStart: starts[day], count: UInt32(sent[day]),
                    firstAmount: Int32(day))
            }, amounts: [0, 0, 0, 0])
        let layout = Self.layout(bound: Metric.firstBound, chooses: true)
        let flush = try Self.counted([(batch, KeyedIdentifier(high: 1, low: 1))], layout)
        var shares = 0.0
        for (day, bound) in [5, 20, 50, 200].enumerated() {
            let rung = try #require(layout.rungs?.firstIndex(of: bound))
            let within = flush.counters.filter {
                $0.measure == .count && $0.periodStart == starts[day] && Int($0.cell.value) / Self.cells <= rung
            }
            let events = within.reduce(0) { $0 + $1.delta }
            #expect(events == Int64(sent[day]))
            shares += Double(events * events) / Double(bound * bound)
        }
        #expect(abs(shares - Metric.boundShares) < 1e-9, "the most that is said of it")
    }

    @Test("all rungs together are what the highest bound counts: events, sums, firsts and identifiers")
    func whole() throws {
        let sent = Self.batches(160, seed: 11)
        let most = try #require(Metric.boundRungs.last)
        func sums(_ flush: Flush) -> [Place: Int64] {
            flush.counters.reduce(into: [:]) { sums, delta in
                let place = Place(
                    period: delta.periodStart, cell: delta.cell.value % UInt32(Self.cells), measure: delta.measure.value
                )
                sums[place, default: 0] += delta.delta
            }
        }
        let chosen = try Self.counted(sent, Self.layout(bound: Metric.firstBound, chooses: true))
        let fixed = try Self.counted(sent, Self.layout(bound: most, chooses: false))
        #expect(sums(chosen) == sums(fixed))
        #expect(chosen.distinct == fixed.distinct)
        #expect(chosen.distinct.allSatisfy { Int($0.cell.value) < Self.cells })
    }

    @Test("a preview says of an event what it adds, not to which rungs")
    func preview() throws {
        let space = CellSpace(layouts: [Self.layout(bound: Metric.firstBound, chooses: true)])
        var counting = Counting(space: space, position: .start, watermark: .start).forPreview()
        let contribution = BucketedBatch.Contribution(
            metric: 0, cell: CellIndex(2), periodStart: UnixSeconds(1_795_132_800), count: 30, firstAmount: 0)
        let batch = BucketedBatch(
            id: BatchID(high: 1, low: 1), window: Self.batches(1, seed: 1)[0].batch.window,
            events: [.init(refusal: nil, contributions: 0..<1)], contributions: [contribution], amounts: [50])
        let told = counting.preview(batch, now: Self.now)
        let additions = try #require(told?.first?.additions)
        #expect(additions.count == 1 && additions[0].count == 30 && additions[0].sums == [1500])
        #expect(space.layouts[0].buckets(of: additions[0].cell, in: space.layouts[0].leaf) == [0, 2])
    }

    @Test("what is taken back is taken from the rungs in which it was counted")
    func removal() throws {
        let sent = Self.batches(60, seed: 5)
        let space = CellSpace(layouts: [Self.layout(bound: Metric.firstBound, chooses: true)])
        var counting = Counting(space: space, position: .start, watermark: .start)
        let (window, gone) = (sent[0].batch.window, sent[0].identifier)
        var (theirs, kept): ([CountedBatch], [Sent]) = ([], [])
        for one in sent {
            let isTheirs = one.identifier == gone && one.batch.window == window
            if case .counted(let record) = counting.count(one.batch, identifier: one.identifier, now: Self.now),
                isTheirs
            {
                theirs.append(record)
            }
            if !isTheirs { kept.append(one) }
        }
        let first = counting.freeze()
        let flush = try #require(first)
        counting.applied(flush, closed: [])
        _ = counting.requestRemoval(of: gone, from: window, now: Self.now)
        _ = counting.remove([gone: theirs], from: window, largest: 1000)
        let second = counting.freeze()
        let removal = try #require(second)
        var left: [Place: Int64] = [:]
        for delta in flush.counters + removal.taken {
            let place = Place(period: delta.periodStart, cell: delta.cell.value, measure: delta.measure.value)
            left[place, default: 0] += delta.delta
        }
        let without = try Self.counted(kept, Self.layout(bound: Metric.firstBound, chooses: true)).counters
        let expected = without.map {
            (Place(period: $0.periodStart, cell: $0.cell.value, measure: $0.measure.value), $0.delta)
        }
        #expect(!removal.taken.isEmpty && left.filter { $0.value != 0 } == Dictionary(uniqueKeysWithValues: expected))
    }
}
