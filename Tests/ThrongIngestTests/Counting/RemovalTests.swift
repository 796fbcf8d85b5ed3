import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("Promise 6: who withdraws leaves nothing in what was not released")
struct RemovalTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let today = UnixSeconds(1_795_132_800)
    private static let day: Int64 = 86_400

    /// Sums below 0 and above, firsts by day and week, a margin; a metric without any of these; the first one's where only proved
    /// devices count; and one of which they prove firsts, of which counting knows nothing.
    private static let space = CellSpace(layouts: [
        MetricLayout(
            app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "android", "other"], partitionsDevices: false, rule: "list"),
                .init(name: "page", labels: ["home", "other"], partitionsDevices: false, rule: "list"),
            ],
            sums: [
                SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 0, unit: ""),
                SumMeasure(name: "gain", field: "gain", lowest: -50, highest: 50, decimals: 0, unit: ""),
            ],
            contributionBound: 40, groupings: [.total, Margin(bits: 1)], firstPeriods: [.day, .week]),
        MetricLayout(
            app: "shop", metric: "visits", purpose: "product", rotation: .standard, period: .hour, timeZone: "UTC",
            dimensions: [.init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list")], sums: [],
            contributionBound: 30, groupings: [.total]),
        MetricLayout(
            app: "shop", metric: "proved", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "android", "other"], partitionsDevices: false, rule: "list"),
                .init(name: "page", labels: ["home", "other"], partitionsDevices: false, rule: "list"),
            ],
            sums: [
                SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 0, unit: ""),
                SumMeasure(name: "gain", field: "gain", lowest: -50, highest: 50, decimals: 0, unit: ""),
            ],
            contributionBound: 40, groupings: [.total, Margin(bits: 1)], firstPeriods: [.day, .week], floor: .attested),
        MetricLayout(
            app: "shop", metric: "found", purpose: "product", rotation: .standard, period: .hour, timeZone: "UTC",
            dimensions: [.init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list")], sums: [],
            contributionBound: 30, groupings: [.total], provedPeriods: [.hour, .day], floor: .attested),
    ])

    /// What PostgreSQL has: rows that are 0 are none.
    private struct Table: Equatable {
        var counters: [CounterKey: Int64] = [:]
        var distinct: [DistinctKey: Int64] = [:]
        var coverage: [CoverageKey: Int64] = [:]
        var watermark = JournalPosition.start

        struct CounterKey: Hashable {
            let layout: Int, start: UnixSeconds, measure: Int16, cell: UInt32
        }
        struct DistinctKey: Hashable {
            let layout: Int, start: UnixSeconds, margin: UInt32, cell: UInt32, window: Int64
        }
        struct CoverageKey: Hashable {
            let hour: UnixSeconds, kind: UInt8
        }

        mutating func apply(_ flush: Flush, closed: Set<ClosedPeriod> = []) {
            guard flush.after == watermark else { return }
            watermark = flush.through
            func isOpen(_ layout: Int, _ start: UnixSeconds) -> Bool {
                !closed.contains(ClosedPeriod(layout: flush.layouts[layout].id, periodStart: start))
            }
            for delta in flush.counters + flush.taken where isOpen(delta.layout, delta.periodStart) {
                counters[
                    .init(
                        layout: delta.layout, start: delta.periodStart, measure: delta.measure.value,
                        cell: delta.cell.value), default: 0] += delta.delta
            }
            for delta in flush.distinct where isOpen(delta.layout, delta.periodStart) {
                distinct[
                    .init(
                        layout: delta.layout, start: delta.periodStart, margin: delta.margin.bits,
                        cell: delta.cell.value, window: delta.window.value), default: 0] += delta.delta
            }
            for delta in flush.coverage {
                coverage[.init(hour: delta.hour, kind: delta.kind.code), default: 0] += delta.events
            }
        }

        /// Without rows of nothing, and without periods of a layout.
        func settled(without closed: Set<ClosedPeriod>) -> Table {
            func isOpen(_ layout: Int, _ start: UnixSeconds) -> Bool {
                !closed.contains(ClosedPeriod(layout: RemovalTests.space.ids[layout], periodStart: start))
            }
            return Table(
                counters: counters.filter { $1 != 0 && isOpen($0.layout, $0.start) },
                distinct: distinct.filter { $1 != 0 && isOpen($0.layout, $0.start) },
                coverage: closed.isEmpty ? coverage.filter { $1 != 0 } : [:])
        }
    }

    private struct Member: Hashable {
        let who: UInt64
        let window: WindowID

        var identifier: KeyedIdentifier {
            KeyedIdentifier(
                high: who &* 0x517C_C1B7_2722_0A95 &+ 3, low: UInt64(window.number.value) &* 0x9E37_79B9 &+ who)
        }
    }

    private static func batch(_ random: inout SeededGenerator, window: WindowID, who: UInt64) -> BucketedBatch {
        let events = Int.random(in: 1...6, using: &random)
        var amounts: [Int64] = []
        let contributions = (0..<events).map { _ in
            let metric = Int32.random(in: 0...3, using: &random)
            let isRich = metric % 2 == 0
            let first = Int32(amounts.count)
            if isRich { amounts += [.random(in: 0...100, using: &random), .random(in: -50...50, using: &random)] }
            var firsts = FirstSet.none
            for place in 0..<4 where isRich && Bool.random(using: &random) { firsts.insert(place) }
            let start =
                isRich
                ? today - (Int.random(in: 0..<4, using: &random) == 0 ? day : 0)
                : UnixSeconds(now.flooredQuotient(by: 3600) * 3600) - Int64.random(in: 0...2, using: &random) * 3600
            return BucketedBatch.Contribution(
                metric: metric,
                cell: CellIndex(isRich ? .random(in: 0..<6, using: &random) : UInt32(who % 2)),
                periodStart: start, count: .random(in: 1...3, using: &random), firstAmount: first, firsts: firsts)
        }
        return BucketedBatch(
            id: BatchID(high: random.next(), low: random.next()), window: window,
            events: (0..<events).map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: contributions, amounts: amounts)
    }

    /// A daemon with its journal and its PostgreSQL.
    private struct World {
        var counting = Counting(space: RemovalTests.space, position: .start, watermark: .start)
        var journal: [CountedRecord] = []
        var table = Table()
        var closed: Set<ClosedPeriod> = []
        var asked: Set<Member> = []
        var random: SeededGenerator

        mutating func post() {
            let window = WindowID(
                app: "shop", purpose: "product", rotation: .standard,
                number: WindowNumber(RemovalTests.now.flooredQuotient(by: 900) + .random(in: -1...1, using: &random)))
            let member = Member(who: .random(in: 0..<7, using: &random), window: window)
            let batch = RemovalTests.batch(&random, window: window, who: member.who)
            // Some prove themselves at once, some later, some never.
            let hasProof = member.who % 3 != 0 && Int.random(in: 0..<3, using: &random) == 0
            let outcome = counting.count(
                batch, identifier: member.identifier, hasProof: hasProof, now: RemovalTests.now)
            switch outcome {
            case .counted(let record):
                #expect(!asked.contains(member))
                journal.append(.batch(record))
            case .withdrawn: #expect(asked.contains(member))
            default: Issue.record("\(outcome)")
            }
        }

        mutating func ask() {
            let records = journal.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
            guard let batch = records.randomElement(using: &random) else { return }
            let known = (0..<7).map { Member(who: $0, window: batch.window) }
            guard let member = known.first(where: { $0.identifier == batch.identifier }) else { return }
            switch counting.requestRemoval(of: member.identifier, from: member.window, now: RemovalTests.now) {
            case .noted(let request): journal.append(.removalRequest(request))
            case .repeated: #expect(asked.contains(member))
            default: Issue.record("a window that is open takes requests")
            }
            asked.insert(member)
        }

        /// Takes out whoever is due; others go on counting meanwhile.
        mutating func remove() {
            guard let (window, due) = counting.dueRemovals(most: .random(in: 1...3, using: &random)) else { return }
            var found: [KeyedIdentifier: [CountedBatch]] = due.mapValues { _ in [] }
            for case .batch(let batch) in journal where batch.window == window {
                found[batch.identifier]?.append(batch)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) { post() }
            let largest = Int.random(in: 1...20, using: &random)
            journal += counting.remove(found, from: window, largest: largest).map { .removal($0) }
        }

        mutating func flush(isHeard: Bool = true, closing period: ClosedPeriod? = nil) {
            guard let flush = counting.freeze() else { return }
            table.apply(flush, closed: closed)
            if let period { closed.insert(period) }
            if isHeard { counting.applied(flush, closed: closed) } else { restart() }
        }

        /// Ends the process, somewhere in what it wrote last; another one replays the rest.
        mutating func restart() {
            let written = journal.filter { $0.position > table.watermark }.count
            let lost = closed.isEmpty ? Int.random(in: 0...min(written, 4), using: &random) : 0
            for case .removalRequest(let request) in journal.suffix(lost) {
                // It was never acknowledged.
                asked = asked.filter { $0.identifier != request.identifier }
            }
            journal.removeLast(lost)
            let isKnown = Bool.random(using: &random)
            counting = Counting(space: RemovalTests.space, position: .start, watermark: isKnown ? table.watermark : nil)
            for record in journal { counting.replay(record, now: RemovalTests.now) }
            counting.reach(journal.last?.position ?? .start)
            if !isKnown { counting.resolve(watermark: table.watermark) }
            flushKnown()
        }

        private mutating func flushKnown() {
            guard !closed.isEmpty, let flush = counting.freeze() else { return }
            table.apply(flush, closed: closed)
            counting.applied(flush, closed: closed)
        }

        /// Of a world in which nobody was who withdrew.
        var twin: Table {
            var counting = Counting(space: RemovalTests.space, position: .start, watermark: .start)
            let gone = Set(asked.map(\.identifier))
            for case .batch(let batch) in journal where !gone.contains(batch.identifier) {
                counting.replay(batch, now: RemovalTests.now)
            }
            var table = Table()
            while let flush = counting.freeze() {
                table.apply(flush)
                counting.applied(flush, closed: [])
            }
            return table
        }
    }

    @Test(
        "twin worlds with and without them are equal, whatever is flushed, lost, killed and released",
        arguments: 0..<200)
    func twins(seed: UInt64) {
        var world = World(random: SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 5))
        let hasReleases = seed % 3 == 0
        let hour = UnixSeconds(Self.now.flooredQuotient(by: 3600) * 3600)
        for step in 0..<160 {
            switch Int.random(in: 0..<40, using: &world.random) {
            case 0...3: world.flush()
            case 4: world.flush(isHeard: hasReleases)
            case 5: if !hasReleases { world.restart() }
            case 6...9: world.ask()
            case 10...14: world.remove()
            case 15 where hasReleases && step > 60:
                world.flush(
                    closing: Bool.random(using: &world.random)
                        ? ClosedPeriod(layout: Self.space.ids[0], periodStart: Self.today - Self.day)
                        : ClosedPeriod(layout: Self.space.ids[1], periodStart: hour - 7200))
            default: world.post()
            }
        }
        for _ in 0..<60 {
            world.flush()
            world.remove()
        }
        world.flush()
        #expect(world.counting.dueRemovals() == nil)
        #expect(world.asked.count > 2)
        let (found, expected) = (world.table.settled(without: world.closed), world.twin.settled(without: world.closed))
        #expect(found.counters == expected.counters)
        #expect(found.distinct == expected.distinct)
        #expect(found.coverage == expected.coverage)
    }
}
