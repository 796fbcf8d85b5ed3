import Testing
import ThrongChance
import ThrongPlan
import ThrongWire

@testable import ThrongCounting

@Suite("The two largest contributions of each cell and window are those of a brute-force count")
struct TopContributionTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let midnight = UnixSeconds(1_795_132_800)
    /// Two sums, one of them with negative values, and margins with and without the second dimension.
    private static let layout = MetricLayout(
        app: "shop", metric: "orders", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [
            .init(name: "os", labels: ["ios", "android"], partitionsDevices: true, rule: "list"),
            .init(name: "category", labels: ["cake", "bread", "other"], partitionsDevices: false, rule: "list"),
        ],
        sums: [
            SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 0, unit: "EUR"),
            SumMeasure(name: "change", field: "change", lowest: -5.5, highest: 10, decimals: 1, unit: ""),
        ],
        contributionBound: 40,
        groupings: [.total, Margin(bits: 2), Margin(bits: 3)])
    private static let plain = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: layout.dimensions, sums: [], contributionBound: 40, groupings: [.total])
    private static let space = CellSpace(layouts: [plain, layout])

    private struct Place: Hashable {
        let periodStart: UnixSeconds
        let margin: Margin
        let cell: CellIndex
        let measure: MeasureIndex
        let window: WindowNumber
    }

    private struct Contributor: Hashable {
        let place: Place
        let identifier: KeyedIdentifier
    }

    /// The two largest as somebody counts them who knows everything.
    private static func expected(_ records: [CountedBatch]) -> [Place: [Int64]] {
        var contributions: [Contributor: Int64] = [:]
        for record in records {
            for addition in record.additions where addition.metric == 1 {
                for margin in layout.trackedMargins {
                    for (place, sum) in addition.sums.enumerated() {
                        let contributor = Contributor(
                            place: Place(
                                periodStart: addition.periodStart,
                                margin: margin,
                                cell: layout.project(addition.cell, from: layout.leaf, to: margin),
                                measure: .sum(place),
                                window: record.window.number),
                            identifier: record.identifier)
                        contributions[contributor, default: 0] += place == 0 ? sum : sum + 55 * addition.count
                    }
                }
            }
        }
        return Dictionary(grouping: contributions, by: \.key.place).mapValues { crowd in
            Array((crowd.map(\.value).sorted(by: >) + [0]).prefix(2))
        }
    }

    /// PostgreSQL, as far as these pairs go.
    private struct Table {
        var pairs: [Place: [Int64]] = [:]
        var watermark = JournalPosition.start

        mutating func apply(_ flush: Flush) {
            #expect(flush.after == watermark)
            watermark = flush.through
            for row in flush.top {
                #expect(row.layout == 1)
                let place = Place(
                    periodStart: row.periodStart, margin: row.margin, cell: row.cell, measure: row.measure,
                    window: row.window)
                let known = pairs[place, default: [0, 0]]
                pairs[place] = [max(known[0], row.largest), max(known[1], row.second)]
            }
        }
    }

    private static func batch(
        _ random: inout SeededGenerator, windows: ClosedRange<Int64>, cell: Range<UInt32>
    ) -> BucketedBatch {
        let events = Int.random(in: 1...4, using: &random)
        var amounts: [Int64] = []
        let contributions = (0..<events).map { _ in
            let first = Int32(amounts.count)
            amounts += [.random(in: 0...100, using: &random), .random(in: -55...100, using: &random)]
            return BucketedBatch.Contribution(
                metric: Int.random(in: 0..<8, using: &random) == 0 ? 0 : 1,
                cell: CellIndex(.random(in: cell, using: &random)),
                periodStart: midnight - (Int.random(in: 0..<4, using: &random) == 0 ? 86_400 : 0),
                count: .random(in: 1...3, using: &random),
                firstAmount: first)
        }
        return BucketedBatch(
            id: BatchID(high: random.next(), low: random.next()),
            window: WindowID(
                app: "shop", purpose: "product", rotation: .standard,
                number: WindowNumber(now.flooredQuotient(by: 900) + .random(in: windows, using: &random))),
            events: (0..<events).map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: contributions,
            amounts: amounts)
    }

    @Test("over random batches, flushes, lost replies, crashes and an hour of windows", arguments: 0..<40)
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        var counting = Counting(space: Self.space, position: .start, watermark: .start)
        var journal: [CountedBatch] = []
        var table = Table()
        var now = Self.now
        for _ in 0..<300 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0...2:
                if let flush = counting.freeze() {
                    table.apply(flush)
                    // Sometimes the process ends before it learns of the commit.
                    if Bool.random(using: &random) {
                        counting.applied(flush, closed: [])
                    } else {
                        counting = Self.restarted(journal, table.watermark, now, &random)
                    }
                }
            case 3: counting = Self.restarted(journal, table.watermark, now, &random)
            case 4:
                now += 300
                _ = counting.closeWindows(now: now, among: [])
            default:
                // An identifier is in one part of the devices: its number says in which.
                let who = UInt64.random(in: 0..<6, using: &random)
                let shift = (now - Self.now) / 900
                let batch = Self.batch(
                    &random, windows: (shift - 1)...(shift + 1), cell: who % 2 == 0 ? 0..<3 : 3..<6)
                let identifier = KeyedIdentifier(
                    high: who &* 0x517C_C1B7_2722_0A95 &+ 3, low: UInt64(batch.window.number.value) &* 0x9E37_79B9)
                let outcome = counting.count(batch, identifier: identifier, now: now) { _ in .epoch }
                if case .counted(let record) = outcome { journal.append(record) }
            }
        }
        while let flush = counting.freeze() {
            table.apply(flush)
            counting.applied(flush, closed: [])
        }
        #expect(table.watermark.value == UInt64(journal.count))
        #expect(table.pairs == Self.expected(journal))
        #expect(table.pairs.count > 50)
    }

    /// What a new process knows after replaying the journal; sometimes it learns the watermark only afterwards.
    private static func restarted(
        _ journal: [CountedBatch], _ watermark: JournalPosition, _ now: UnixSeconds, _ random: inout SeededGenerator
    ) -> Counting {
        let isKnown = Bool.random(using: &random)
        var counting = Counting(space: space, position: .start, watermark: isKnown ? watermark : nil)
        for record in journal { counting.replay(record, now: now) }
        if !isKnown { counting.resolve(watermark: watermark) }
        return counting
    }

    @Test("only pairs that changed are flushed again, and what no event touched never is")
    func changedOnly() throws {
        var counting = Counting(space: Self.space, position: .start, watermark: .start)
        func post(_ who: UInt64, _ amount: Int64) throws -> [[Int64]] {
            let batch = BucketedBatch(
                id: .random(),
                window: WindowID(
                    app: "shop", purpose: "product", rotation: .standard,
                    number: WindowNumber(Self.now.flooredQuotient(by: 900))),
                events: [.init(refusal: nil, contributions: 0..<1)],
                contributions: [
                    .init(metric: 1, cell: CellIndex(0), periodStart: Self.midnight, count: 1, firstAmount: 0)
                ],
                amounts: [amount, -55])
            _ = counting.count(batch, identifier: KeyedIdentifier(high: who, low: 9), now: Self.now) { _ in .epoch }
            let frozen = counting.freeze()
            let flush = try #require(frozen)
            counting.applied(flush, closed: [])
            return flush.top.filter { $0.margin == Self.layout.leaf && $0.measure == .sum(0) }
                .map { [$0.largest, $0.second] }
        }
        #expect(try post(1, 0) == [[0, 0]])
        #expect(try post(1, 30) == [[30, 0]])
        #expect(try post(2, 20) == [[30, 20]])
        #expect(try post(3, 20) == [])
        #expect(try post(3, 0) == [])
        #expect(try post(3, 1) == [[30, 21]])
        #expect(try post(2, 11) == [[31, 30]])
        #expect(try post(1, 1) == [[31, 31]])
        #expect(try post(4, 5) == [])
    }

    @Test(
        "what PostgreSQL turns out to have is not flushed again: its period may have been released since",
        arguments: [1, 2])
    func alreadyThere(behind: UInt64) throws {
        var records: [CountedBatch] = []
        func count(_ start: UnixSeconds, by who: UInt64, in counting: inout Counting) {
            let batch = BucketedBatch(
                id: BatchID(high: 1, low: who),
                window: WindowID(
                    app: "shop", purpose: "product", rotation: .standard,
                    number: WindowNumber(Self.now.flooredQuotient(by: 900))),
                events: [.init(refusal: nil, contributions: 0..<1)],
                contributions: [.init(metric: 1, cell: CellIndex(0), periodStart: start, count: 1, firstAmount: 0)],
                amounts: [50, 1])
            let identifier = KeyedIdentifier(high: who, low: 9)
            let outcome = counting.count(batch, identifier: identifier, now: Self.now) { _ in .epoch }
            if case .counted(let record) = outcome { records.append(record) }
        }
        var first = Counting(space: Self.space, position: .start, watermark: .start)
        count(Self.midnight - 86_400, by: 1, in: &first)
        count(Self.midnight, by: 2, in: &first)
        var later = Counting(space: Self.space, position: .start, watermark: nil)
        for record in records { later.replay(record, now: Self.now) }
        later.resolve(watermark: JournalPosition(behind))
        count(Self.midnight, by: 3, in: &later)
        var flushed: Set<UnixSeconds> = []
        while let flush = later.freeze() {
            flushed.formUnion(flush.top.map(\.periodStart))
            later.applied(flush, closed: [])
        }
        #expect(flushed == [Self.midnight])
    }

    @Test("what is known of contributions goes with the window, and a metric without sums keeps none")
    func bounded() throws {
        var random = SeededGenerator(seed: 3)
        var counting = Counting(space: Self.space, position: .start, watermark: .start)
        var journal: [CountedBatch] = []
        for step in 0..<60 {
            let shift = Int64(step)
            let batch = Self.batch(&random, windows: shift...shift, cell: 0..<3)
            let outcome = counting.count(
                batch, identifier: KeyedIdentifier(high: 5, low: UInt64(step)), now: Self.now + shift * 900
            ) { _ in .epoch }
            if case .counted(let record) = outcome { journal.append(record) }
        }
        let end = Self.now + 60 * 900
        // A replay of sixty windows remembers no more of them at once than counting does.
        var replayed = Counting(space: Self.space, position: .start, watermark: .start)
        for record in journal {
            replayed.replay(record, now: end)
            #expect(replayed.windows.count <= 3)
        }
        _ = counting.closeWindows(now: end + 900, among: [])
        _ = replayed.closeWindows(now: end + 900, among: [])
        #expect(counting.openPairs == 0)
        #expect(replayed.openPairs == 0)
        let rows = (counting.freeze()?.top.count, replayed.freeze()?.top.count)
        #expect(rows.0 == rows.1)
        #expect(rows.0 ?? 0 > 60)

        var plain = Counting(space: CellSpace(layouts: [Self.plain]), position: .start, watermark: .start)
        let batch = BucketedBatch(
            id: .random(), window: journal[0].window, events: [.init(refusal: nil, contributions: 0..<1)],
            contributions: [
                .init(metric: 0, cell: CellIndex(0), periodStart: Self.midnight, count: 1, firstAmount: 0)
            ], amounts: [])
        _ = plain.count(batch, identifier: KeyedIdentifier(high: 1, low: 1), now: Self.now) { _ in .epoch }
        #expect(plain.openPairs == Self.plain.trackedMargins.count)
        let flush = plain.freeze()
        #expect(flush?.top.isEmpty == true)
    }

    @Test("a pair of nothing is told of each who adds nothing, as it may have gone with somebody who withdrew")
    func nothing() {
        var totals = ContributionTotals()
        #expect(totals.add(0, by: 1, toSum: 3, periodStart: Self.midnight) == TwoLargest())
        totals.take(1)
        #expect(totals.add(0, by: 2, toSum: 3, periodStart: Self.midnight) == TwoLargest())
        // Of one that is something it is known already.
        #expect(totals.add(7, by: 2, toSum: 3, periodStart: Self.midnight) == TwoLargest(7, 0))
        #expect(totals.add(0, by: 4, toSum: 3, periodStart: Self.midnight) == nil)
    }

    @Test("a contribution saturates instead of overflowing")
    func saturation() {
        var totals = ContributionTotals()
        #expect(totals.add(.max - 1, by: 1, toSum: 0, periodStart: .epoch) == .some(TwoLargest(.max - 1, 0)))
        #expect(totals.add(5, by: 1, toSum: 0, periodStart: .epoch) == .some(TwoLargest(.max, 0)))
        #expect(totals.add(5, by: 1, toSum: 0, periodStart: .epoch) == nil)
        #expect(totals.add(.max, by: 2, toSum: 0, periodStart: .epoch) == .some(TwoLargest(.max, .max)))
    }
}

extension TwoLargest {
    init(_ largest: Int64, _ second: Int64) {
        self.init()
        _ = replace(0, with: largest)
        _ = replace(0, with: second)
    }
}
