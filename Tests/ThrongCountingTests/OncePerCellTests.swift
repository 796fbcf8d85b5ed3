import Testing
import ThrongNoise
import ThrongPlan
import ThrongWire

@testable import ThrongCounting

@Suite("Where noise hides devices, an identifier counts once a cell, before its period is released")
struct OncePerCellTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let today = UnixSeconds(1_795_132_800)
    private static let ada = KeyedIdentifier(high: 0x1234_5678_9ABC_DEF0, low: 0x0FED_CBA9_8765_4321)

    private static func layout(
        cells: Int, noise: NoiseMechanism? = .laplace(epsilon: Rational(1))
    ) throws -> MetricLayout {
        MetricLayout(
            app: "shop", metric: "views", purpose: "product", rotation: .longest, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "category", labels: ["cake", "bread", "jam", "other"], partitionsDevices: false, rule: "l")
            ],
            sums: [], contributionBound: cells, groupings: [.total], noise: noise,
            noiseUnit: .device, cellsBound: cells)
    }

    private static func batch(_ name: UInt64, cells: [UInt32], count: UInt32 = 1) -> BucketedBatch {
        BucketedBatch(
            id: BatchID(high: 1, low: name),
            window: WindowID(
                app: "shop", purpose: "product", rotation: .longest,
                number: WindowNumber(now.flooredQuotient(by: 86_400))),
            events: cells.indices.map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: cells.map {
                .init(metric: 0, cell: CellIndex($0), periodStart: today, count: count, firstAmount: 0)
            },
            amounts: [])
    }

    private func refused(_ outcome: Counting.Outcome) throws -> [RefusalReason?] {
        guard case .counted(let record) = outcome else { throw Unexpected() }
        return record.answer.refused.map(\.reason)
    }
    private struct Unexpected: Error {}

    @Test("a second event in a cell adds nothing, a third cell neither, and an event that stands for many is one")
    func once() throws {
        var counting = Counting(
            space: CellSpace(layouts: [try Self.layout(cells: 2)]), position: .start, watermark: .start)
        func count(_ batch: BucketedBatch) throws -> [RefusalReason?] {
            try refused(counting.count(batch, identifier: Self.ada, now: Self.now) { _ in .epoch })
        }
        #expect(try count(Self.batch(1, cells: [0, 0, 0], count: 5)) == [.contributionBound, .contributionBound])
        #expect(try count(Self.batch(2, cells: [0, 1, 2])) == [.contributionBound, .contributionBound])
        #expect(counting.freeze()?.counters.map(\.delta) == [1, 1])
    }

    @Test("what comes for a released period is refused, not moved to the open one")
    func late() throws {
        let layout = try Self.layout(cells: 1)
        var counting = Counting(space: CellSpace(layouts: [layout]), position: .start, watermark: .start)
        counting.closed = [ClosedPeriod(layout: layout.id, periodStart: Self.today)]
        let outcome = counting.count(Self.batch(1, cells: [0]), identifier: Self.ada, now: Self.now) { _ in
            Self.today + 86_400
        }
        #expect(try refused(outcome) == [.tooOld])
        #expect(counting.freeze()?.counters.isEmpty != false)
    }

    @Test(
        "in a window that was taken over from a daemon that was lost nothing is added: that may have counted the identifier before"
    )
    func takenOver() throws {
        let space = CellSpace(layouts: [try Self.layout(cells: 1), try Self.layout(cells: 1, noise: nil)])
        var counting = Counting(space: space, position: .start, watermark: .start)
        func batch(_ window: (WindowID) -> WindowID) -> BucketedBatch {
            let own = Self.batch(1, cells: [0])
            let contributions = [own.contributions[0], own.contributions[0]].enumerated().map { metric, known in
                BucketedBatch.Contribution(
                    metric: Int32(metric), cell: known.cell, periodStart: known.periodStart, count: 1, firstAmount: 0)
            }
            return BucketedBatch(
                id: own.id, window: window(own.window), events: [.init(refusal: nil, contributions: 0..<2)],
                contributions: contributions, amounts: [])
        }
        let before = counting.count(batch { $0 }, identifier: Self.ada, now: Self.now) { _ in .epoch }
        let after = counting.count(batch { $0.taken(over: 3) }, identifier: Self.ada, now: Self.now) { _ in .epoch }
        #expect(try refused(before).isEmpty && refused(after).isEmpty)
        let frozen = counting.freeze()
        let flush = try #require(frozen)
        func counted(noisily: Bool) -> [Int64] {
            flush.counters.filter { (flush.layouts[$0.layout].noise != nil) == noisily }.map(\.delta)
        }
        #expect(counted(noisily: true) == [1], "once, whoever counts")
        #expect(counted(noisily: false) == [2], "what was acknowledged is counted")
    }
}
