import Crypto
import Testing
import ThrongNoise
import ThrongPlan
import ThrongWire

@testable import ThrongCounting

@Suite("One identifier touches a bounded number of cells of a noisy metric")
struct CellsBoundTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let today = UnixSeconds(1_795_132_800)

    private static func layout(noise: NoiseMechanism?) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "category", labels: ["cake", "bread", "jam", "other"], partitionsDevices: false, rule: "l")
            ],
            sums: [], contributionBound: 10, groupings: [.total], noise: noise, cellsBound: 2)
    }

    /// A batch of one event a cell.
    private static func batch(
        _ name: UInt64, cells: [UInt32], at start: UnixSeconds = today, later: Int64 = 0
    )
        -> BucketedBatch
    {
        BucketedBatch(
            id: BatchID(high: 1, low: name),
            window: WindowID(
                app: "shop", purpose: "product", rotation: .standard,
                number: WindowNumber((now + later).flooredQuotient(by: 900))),
            events: cells.indices.map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: cells.map {
                .init(metric: 0, cell: CellIndex($0), periodStart: start, count: 1, firstAmount: 0)
            },
            amounts: [])
    }

    private static let ada = KeyedIdentifier(high: 0x1234_5678_9ABC_DEF0, low: 0x0FED_CBA9_8765_4321)
    private static let bob = KeyedIdentifier(high: 0x2234_5678_9ABC_DEF0, low: 0x0FED_CBA9_8765_4321)

    private static func counting() throws -> Counting {
        let noise = NoiseMechanism.laplace(epsilon: try Rational(1, over: 2))
        return Counting(space: CellSpace(layouts: [layout(noise: noise)]), position: .start, watermark: .start)
    }

    private func refused(_ outcome: Counting.Outcome) throws -> [RefusalReason?] {
        guard case .counted(let record) = outcome else { throw Unexpected() }
        return record.answer.refused.map(\.reason)
    }
    private struct Unexpected: Error {}

    @Test("the third cell is refused, the first two go on counting, and another identifier has its own two")
    func third() throws {
        var counting = try Self.counting()
        func count(_ batch: BucketedBatch, _ who: KeyedIdentifier, now: UnixSeconds = Self.now) throws
            -> [RefusalReason?]
        {
            try refused(counting.count(batch, identifier: who, now: now) { _ in .epoch })
        }
        #expect(try count(Self.batch(1, cells: [0, 1, 2, 0, 1]), Self.ada) == [.cellsBound])
        #expect(try count(Self.batch(2, cells: [3, 1]), Self.ada) == [.cellsBound])
        #expect(try count(Self.batch(3, cells: [3, 2]), Self.bob) == [])
        // The same cell of another day is another cell of another release.
        #expect(try count(Self.batch(4, cells: [0], at: Self.today - 86_400), Self.ada) == [.cellsBound])
        let later = Self.now + 900
        #expect(try count(Self.batch(5, cells: [2, 3], later: 900), Self.ada, now: later) == [])
        #expect(counting.freeze()?.counters.map(\.delta) == [2, 3, 2, 2])
    }

    @Test("a replay remembers which cells were touched")
    func replay() throws {
        var first = try Self.counting()
        var second = try Self.counting()
        guard
            case .counted(let record) = first.count(
                Self.batch(1, cells: [0, 1]), identifier: Self.ada, now: Self.now, openPeriod: { _ in .epoch })
        else { throw Unexpected() }
        second.replay(record, now: Self.now)
        let next = second.count(
            Self.batch(2, cells: [1, 2]), identifier: Self.ada, now: Self.now, openPeriod: { _ in .epoch })
        #expect(try refused(next) == [.cellsBound])
    }

    @Test("a metric without noise has no such bound")
    func exact() throws {
        var counting = Counting(
            space: CellSpace(layouts: [Self.layout(noise: nil)]), position: .start, watermark: .start)
        let all = counting.count(
            Self.batch(1, cells: [0, 1, 2, 3]), identifier: Self.ada, now: Self.now, openPeriod: { _ in .epoch })
        #expect(try refused(all) == [])
    }
}
