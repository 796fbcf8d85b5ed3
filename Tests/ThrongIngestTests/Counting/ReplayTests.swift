import Crypto
import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("A replay counts again what was counted, and remembers what was known")
struct ReplayTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let layout = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [
            .init(name: "os", labels: ["ios", "android", "other"], partitionsDevices: true, rule: "list"),
            .init(name: "category", labels: ["cake", "bread", "other"], partitionsDevices: false, rule: "list"),
        ],
        sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
        contributionBound: 6,
        groupings: [.total, Margin(bits: 1), Margin(bits: 2), Margin(bits: 3)], firstPeriods: [.day])

    private static func batch(_ random: inout some RandomNumberGenerator, events: Int) -> BucketedBatch {
        let contributions = (0..<events).map { place in
            BucketedBatch.Contribution(
                metric: 0,
                cell: CellIndex(.random(in: 0..<9, using: &random)),
                periodStart: UnixSeconds(1_795_132_800) - (Bool.random(using: &random) ? 86_400 : 0),
                count: .random(in: 1...3, using: &random),
                firstAmount: Int32(place),
                firsts: FirstSet(bits: .random(in: 0..<16, using: &random)))
        }
        return BucketedBatch(
            id: BatchID(high: random.next(), low: random.next()),
            window: WindowID(
                app: "shop", purpose: "product", rotation: .standard,
                number: WindowNumber(now.flooredQuotient(by: 900) + .random(in: -1...1, using: &random))),
            events: (0..<events).map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: contributions,
            amounts: (0..<events).map { _ in .random(in: 0...10_000, using: &random) })
    }

    @Test("a window that was over stays over when the clock is set back: its batches would count twice")
    func clockSetBack() {
        var random = SeededGenerator(seed: 3)
        var counting = Counting(space: CellSpace(layouts: [Self.layout]), position: .start, watermark: .start)
        let batch = Self.batch(&random, events: 2)
        let identifier = KeyedIdentifier(high: 1, low: 2)
        func isOver(_ outcome: Counting.Outcome) -> Bool { if case .windowOver = outcome { true } else { false } }
        #expect(!isOver(counting.count(batch, identifier: identifier, now: Self.now)))
        // PostgreSQL does not have it yet, so its key stays; but nobody knows any more whom it counted.
        #expect(counting.closeWindows(now: Self.now + 3600, among: [batch.window]) == [])
        #expect(isOver(counting.count(batch, identifier: identifier, now: Self.now)))
    }

    @Test(
        "counting half, replaying it and counting on equals counting all, at any watermark", arguments: [0, 7, 25, 50])
    func halves(watermark: Int) throws {
        var random = SeededGenerator(seed: 7)
        let space = CellSpace(layouts: [Self.layout])
        let identifiers = (0..<8).map {
            KeyedIdentifier(high: UInt64($0) &* 0x9E37_79B9 &+ 1, low: random.next() &+ UInt64($0))
        }
        let batches = (0..<100).map { _ in
            (Self.batch(&random, events: .random(in: 1...5, using: &random)), identifiers.randomElement(using: &random))
        }
        var whole = Counting(space: space, position: .start, watermark: .start)
        var records: [CountedBatch] = []
        var sums: [String: Int64] = [:]
        for (place, (batch, identifier)) in batches.enumerated() {
            let outcome = whole.count(batch, identifier: try #require(identifier), now: Self.now)
            guard case .counted(let record) = outcome else { continue }
            records.append(record)
            if place + 1 == watermark, let flush = whole.freeze() {
                Self.add(flush, to: &sums)
                whole.applied(flush, closed: [])
            }
        }
        var restarted = Counting(space: space, position: .start, watermark: nil)
        for record in records.prefix(50) { restarted.replay(record, now: Self.now) }
        restarted.resolve(watermark: JournalPosition(UInt64(watermark)))
        for (place, (batch, identifier)) in batches.enumerated() {
            let outcome = restarted.count(batch, identifier: try #require(identifier), now: Self.now)
            switch outcome {
            case .repeated(let answer, let position):
                #expect(place < 50)
                #expect(answer == records[place].answer)
                #expect(position == records[place].position)
            case .counted(let record):
                #expect(place >= 50)
                #expect(record.answer == records[place].answer)
                #expect(record.additions == records[place].additions)
                #expect(record.appearances == records[place].appearances)
            case .full, .windowOver, .withdrawn:
                Issue.record("no window is over")
            }
        }
        var restartedSums = watermark == 0 ? [:] : sums
        let rest = restarted.freeze()
        Self.add(try #require(rest), to: &restartedSums)
        let remainder = whole.freeze()
        Self.add(try #require(remainder), to: &sums)
        #expect(restartedSums == sums)
        #expect(restarted.openPairs == whole.openPairs)
    }

    @Test("a window that is over takes no batch, and its key may go once PostgreSQL has all of it")
    func windowOver() throws {
        var random = SeededGenerator(seed: 1)
        var counting = Counting(space: CellSpace(layouts: [Self.layout]), position: .start, watermark: .start)
        let batch = Self.batch(&random, events: 1)
        _ = counting.count(batch, identifier: KeyedIdentifier(high: 1, low: 2), now: Self.now)
        let over = batch.window.over
        let early = counting.closeWindows(now: over - 1, among: [batch.window])
        #expect(early.isEmpty)
        let unflushed = counting.closeWindows(now: over, among: [batch.window])
        #expect(unflushed.isEmpty)
        #expect(counting.openPairs == 0)
        let flush = counting.freeze()
        counting.applied(try #require(flush), closed: [])
        let settled = counting.closeWindows(now: over, among: [batch.window])
        #expect(settled == [batch.window])
        let late = counting.count(batch, identifier: KeyedIdentifier(high: 1, low: 2), now: over)
        if case .windowOver = late { return }
        Issue.record("the batch was counted although its window is over")
    }

    @Test("counters saturate instead of overflowing, and say so")
    func saturation() throws {
        var pending = PendingDeltas()
        pending.add(.max, toCounter: 0, periodStart: .epoch)
        pending.add(1, toCounter: 0, periodStart: .epoch)
        #expect(pending.saturations == 1)
        #expect(pending.counterDeltas(in: CellSpace(layouts: [Self.layout])).map(\.delta) == [.max])
    }

    private static func add(_ flush: Flush, to sums: inout [String: Int64]) {
        for delta in flush.counters {
            sums["c \(delta.periodStart) \(delta.measure.value) \(delta.cell.value)", default: 0] += delta.delta
        }
        for delta in flush.distinct {
            let key = "d \(delta.periodStart) \(delta.margin.bits) \(delta.cell.value) \(delta.window.value)"
            sums[key, default: 0] += delta.delta
        }
        for delta in flush.coverage {
            sums["a \(delta.app) \(delta.hour) \(delta.kind.name)", default: 0] += delta.events
        }
    }
}
