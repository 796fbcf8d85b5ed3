import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("Identifiers are counted once, when their window is over, by what all of their events came to")
struct WindowTests {
    static let now = UnixSeconds(1_795_176_000)
    static let midnight = UnixSeconds(1_795_132_800)
    static let window = Rotation.standard.window(at: now)
    private static let os = MetricLayout.DimensionLayout(
        name: "os", labels: ["ios", "android", "other"], partitionsDevices: true, rule: "list")
    private static func layout(
        _ name: MetricName, _ made: DimensionName, _ labels: [BucketLabel], _ within: WindowLayout
    ) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: name, purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [os, .init(name: made, labels: labels, partitionsDevices: true, rule: "made")], sums: [],
            contributionBound: 1, groupings: [.total], within: within)
    }
    private static let plain = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [os], sums: [], contributionBound: 3, groupings: [.total])
    private static let frequency = layout("often", "times", ["1", "2-3", ">=4"], .frequency(bands: [1, 2, 4]))
    private static let funnel = layout("way", "step", ["cart", "address", "paid"], .funnel(steps: 3))
    static let space = CellSpace(layouts: [plain, frequency, funnel])

    /// An event as the test knows it: what it is to the funnel, where its sender is, how often it happened.
    struct Sent {
        let steps: UInt16
        let os: UInt32
        let periodStart: UnixSeconds
        let count: UInt32
    }

    struct Post {
        let batch: BucketedBatch
        let identifier: KeyedIdentifier
        let events: [Sent]

        var mark: [BucketedBatch.Mark] { batch.marks }
    }

    /// - Parameter isFussy: whether the plain metric's bound and the events' systems keep it from being added at once.
    static func post(_ events: [Sent], by who: UInt64, window: WindowNumber, id: BatchID) -> Post {
        var marks: [BucketedBatch.Mark] = []
        for (place, event) in events.enumerated() {
            let cell = CellIndex(event.os * 3)
            func mark(_ metric: Int32, _ steps: UInt16) {
                marks.append(
                    .init(
                        event: Int32(place), metric: metric, cell: cell, periodStart: event.periodStart, steps: steps,
                        count: event.count))
            }
            mark(1, 0)
            if event.steps != 0 { mark(2, event.steps) }
        }
        let batch = BucketedBatch(
            id: id,
            window: WindowID(app: "shop", purpose: "product", rotation: .standard, number: window),
            events: events.indices.map { .init(refusal: nil, contributions: Int32($0)..<Int32($0 + 1)) },
            contributions: events.map {
                .init(
                    metric: 0, cell: CellIndex($0.os), periodStart: $0.periodStart, count: $0.count, firstAmount: 0)
            },
            amounts: [], marks: marks)
        return Post(
            batch: batch,
            identifier: KeyedIdentifier(
                high: who &* 0x517C_C1B7_2722_0A95 &+ 3, low: UInt64(window.value) &* 0x9E37_79B9),
            events: events)
    }

    struct Place: Hashable {
        let metric: Int
        let periodStart: UnixSeconds
        let cell: UInt32
    }

    struct Crowd: Hashable {
        let place: Place
        let window: Int64
    }

    /// What everything comes to, as somebody counts it who sees each identifier's events in one row.
    static func expected(_ posts: [Post]) -> (counts: [Place: Int64], devices: [Crowd: Int64]) {
        var counts: [Place: Int64] = [:]
        var devices: [Crowd: Int64] = [:]
        let rows = Dictionary(grouping: posts) { [UInt64($0.batch.window.number.value), $0.identifier.high] }
        for row in rows.values {
            let window = row[0].batch.window.number.value
            let events = row.flatMap(\.events)
            func count(_ metric: Int, _ first: Sent, _ bucket: UInt32) {
                let place = Place(metric: metric, periodStart: first.periodStart, cell: first.os * 3 + bucket)
                counts[place, default: 0] += 1
                devices[Crowd(place: place, window: window), default: 0] += 1
            }
            let times = events.reduce(0) { $0 + $1.count }
            if let first = events.first { count(1, first, times >= 4 ? 2 : times >= 2 ? 1 : 0) }
            // Every event again as often as it happened.
            var taken: [Sent] = []
            for event in events {
                for _ in 0..<event.count where taken.count < 3 && event.steps & (1 << UInt16(taken.count)) != 0 {
                    taken.append(event)
                }
            }
            if let first = taken.first { count(2, first, UInt32(taken.count - 1)) }
        }
        return (counts, devices)
    }

    /// PostgreSQL, as far as metrics that count identifiers go.
    struct Table {
        var counts: [Place: Int64] = [:]
        var devices: [Crowd: Int64] = [:]
        var watermark = JournalPosition.start

        mutating func apply(_ flush: Flush) {
            #expect(flush.after == watermark)
            watermark = flush.through
            for row in flush.counters where row.layout > 0 {
                counts[Place(metric: row.layout, periodStart: row.periodStart, cell: row.cell.value), default: 0] +=
                    row.delta
            }
            for row in flush.distinct where row.layout > 0 {
                let place = Place(metric: row.layout, periodStart: row.periodStart, cell: row.cell.value)
                devices[Crowd(place: place, window: row.window.value), default: 0] += row.delta
            }
        }
    }

    /// A daemon with its disk, as far as counting goes.
    struct House {
        var counting = Counting(
            space: WindowTests.space, position: .start, watermark: .start, bounds: House.bounds)
        /// So that flushes are split.
        static let bounds = Counting.Bounds(flushCells: 12)
        var journal: [CountedRecord] = []
        /// What was posted, by position.
        var posts: [JournalPosition: Post] = [:]
        var withdrawals: [JournalPosition: Withdrawal] = [:]
        var withdrawn = 0
        /// Additions of a closing's record: any part of a closing may be the last that a crash leaves.
        var partSize = 1
        var table = Table()
        var destroyed: Set<WindowID> = []
        var now = WindowTests.now
        var isResolved = true
        var closings = 0

        var windows: Set<WindowID> { Set(journal.map(\.window)) }

        mutating func take(_ post: Post) {
            let outcome = counting.count(post.batch, identifier: post.identifier, now: now)
            guard case .counted(let record) = outcome else { return }
            #expect(!destroyed.contains(record.window))
            journal.append(.batch(record))
            posts[record.position] = post
        }

        /// What a request with an opt-out signal does.
        mutating func withdraw(_ post: Post) {
            guard let record = counting.withdraw(post.identifier, from: post.batch.window, now: now) else { return }
            journal.append(.withdrawal(record))
            withdrawals[record.position] = record
            withdrawn += 1
        }

        /// What is counted of identifiers that have not withdrawn since.
        var standing: [Post] {
            posts.sorted { $0.key < $1.key }.filter { position, post in
                !withdrawals.values.contains {
                    $0.position > position && $0.identifier == post.identifier && $0.window == post.batch.window
                }
            }.map(\.value)
        }

        /// What the daemon does once a second.
        mutating func tidy() {
            for ended in counting.takeEnded(now: now) {
                for closing in counting.close(ended.tallied(), largest: partSize, now: now) {
                    journal.append(.closing(closing))
                    closings += closing.hasMore ? 0 : 1
                }
            }
            destroyed.formUnion(counting.closeWindows(now: now, among: windows.subtracting(destroyed).sorted()))
        }

        mutating func flush(isLearned: Bool) -> Bool {
            if !isResolved {
                counting.resolve(watermark: table.watermark)
                isResolved = true
            }
            guard let flush = counting.freeze() else { return true }
            table.apply(flush)
            if isLearned { counting.applied(flush, closed: []) }
            return isLearned
        }

        /// A crash that takes records with it which were not on disk, and so not flushed; then a start.
        mutating func restart(losing lost: Int, knowsWatermark: Bool) {
            let kept = max(Int(table.watermark.value), journal.count - lost)
            for record in journal[kept...] {
                posts[record.position] = nil
                withdrawals[record.position] = nil
            }
            journal.removeLast(journal.count - kept)
            isResolved = knowsWatermark
            counting = Counting(
                space: WindowTests.space, position: .start, watermark: knowsWatermark ? table.watermark : nil,
                bounds: House.bounds)
            for record in journal where !destroyed.contains(record.window) { counting.replay(record, now: now) }
            counting.reach(JournalPosition(UInt64(journal.count)))
        }
    }

    @Test(
        "over random batches, repeats, flushes, lost replies, crashes at every record and windows that end",
        arguments: 0..<60)
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 11)
        var house = House()
        var repeated: Post?
        for _ in 0..<400 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0...2:
                if !house.flush(isLearned: Bool.random(using: &random)) {
                    house.restart(losing: 0, knowsWatermark: Bool.random(using: &random))
                }
            case 3...4:
                house.restart(losing: .random(in: 0...3, using: &random), knowsWatermark: Bool.random(using: &random))
            case 5: house.now += 300
            case 6...8: house.tidy()
            case 9: if let repeated { house.take(repeated) }
            case 10...11: if let last = house.posts.values.randomElement(using: &random) { house.withdraw(last) }
            default:
                let shift = (house.now - Self.now) / 900
                let os = UInt32.random(in: 0..<3, using: &random)
                let events = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    Sent(
                        steps: [0, 1, 2, 4, 5, 7].randomElement(using: &random) ?? 0, os: os,
                        periodStart: Self.midnight - (Int.random(in: 0..<4, using: &random) == 0 ? 86_400 : 0),
                        count: Int.random(in: 0..<5, using: &random) == 0 ? 2 : 1)
                }
                let post = Self.post(
                    events, by: .random(in: 0..<8, using: &random),
                    window: WindowNumber(Self.window.value + shift + .random(in: -1...1, using: &random)),
                    id: BatchID(high: random.next(), low: random.next()))
                house.take(post)
                if Bool.random(using: &random) { repeated = post }
            }
        }
        house.now += 3 * 900
        house.tidy()
        while house.table.watermark.value < UInt64(house.journal.count) { _ = house.flush(isLearned: true) }
        house.tidy()
        let (counts, devices) = Self.expected(house.standing)
        #expect(house.table.counts == counts)
        #expect(house.table.devices == devices)
        #expect(counts.count > 8 && house.closings > 1 && house.withdrawn > 1)
        // Nothing is left that is about anybody.
        #expect(house.destroyed == house.windows)
        #expect(house.counting.openPairs == 0)
    }

    @Test("a window's key stays until its closing is in PostgreSQL, and the window takes no batch from then on")
    func closing() throws {
        var house = House()
        house.partSize = WindowClosing.largest
        func post(_ id: UInt64) -> Post {
            Self.post(
                [Sent(steps: 1, os: 0, periodStart: Self.midnight, count: 1)], by: 1, window: Self.window,
                id: BatchID(high: id, low: 1))
        }
        house.take(post(1))
        _ = house.flush(isLearned: true)
        house.now += 1800
        house.tidy()
        #expect(house.closings == 1 && house.destroyed.isEmpty)
        #expect(house.table.counts.isEmpty)
        _ = house.flush(isLearned: true)
        house.tidy()
        #expect(house.destroyed.count == 1)
        #expect(house.table.counts.values.sorted() == [1, 1])
        // A clock that was set back opens nothing again, not even after a start.
        house.destroyed = []
        house.restart(losing: 0, knowsWatermark: true)
        house.now += -1800
        house.take(post(2))
        #expect(house.journal.count == 2)
    }

    @Test("what ended while another process counted on is not counted again by a copy of its journal")
    func copied() throws {
        var house = House()
        house.take(
            Self.post(
                [Sent(steps: 1, os: 0, periodStart: Self.midnight, count: 1)], by: 1, window: Self.window,
                id: BatchID(high: 1, low: 1)))
        var copy = Counting(space: Self.space, position: .start, watermark: JournalPosition(5))
        for record in house.journal { copy.replay(record, now: Self.now + 1800) }
        copy.reach(JournalPosition(1))
        let forgotten = copy.forgetEnded(now: Self.now + 1800)
        #expect(forgotten.map(\.number) == [Self.window])
        #expect(copy.takeClosings(now: Self.now + 1800).isEmpty)
        #expect(copy.position == JournalPosition(5))
    }

    @Test("a flush says until when it closes windows: made at once, after a replay, or once PostgreSQL is back")
    func closedUntil() throws {
        var house = House()
        house.take(
            Self.post(
                [Sent(steps: 1, os: 0, periodStart: Self.midnight, count: 1)], by: 1, window: Self.window,
                id: BatchID(high: 1, low: 1)))
        let open = house.counting.freeze(), first = try #require(open)
        #expect(first.closedUntil == nil)
        house.counting.applied(first, closed: [])
        let over = try #require(house.journal.first).window.over
        for closing in house.counting.takeClosings(now: over + 7200) {
            house.journal.append(.closing(closing))
        }
        // The window's end, not the clock that closed it.
        #expect(house.counting.freeze()?.closedUntil == over)
        for watermark in [JournalPosition(1), nil] {
            var later = Counting(space: Self.space, position: .start, watermark: watermark)
            for record in house.journal { later.replay(record, now: over) }
            later.resolve(watermark: JournalPosition(1))
            #expect(later.freeze()?.closedUntil == over)
        }
    }

    @Test("an identifier of a period that was released counts in the one that is open")
    func late() throws {
        var house = House()
        house.take(
            Self.post(
                [Sent(steps: 1, os: 2, periodStart: Self.midnight - 86_400, count: 1)], by: 1, window: Self.window,
                id: BatchID(high: 1, low: 1)))
        let frozen = house.counting.freeze()
        let flush = try #require(frozen)
        let closed = Set(Self.space.ids.map { ClosedPeriod(layout: $0, periodStart: Self.midnight - 86_400) })
        house.counting.applied(flush, closed: closed)
        let closings = house.counting.takeClosings(now: Self.now + 1800)
        #expect(closings.count == 1)
        #expect(closings.first?.additions.map(\.periodStart) == [Self.midnight, Self.midnight])
        #expect(closings.first?.additions.map(\.cell.value) == [6, 6])
    }

    @Test("a preview says where an identifier would count by then, and that a later step alone counts nothing")
    func preview() throws {
        let events = [4, 1, 2].map { Sent(steps: $0, os: 1, periodStart: Self.midnight, count: 1) }
        let post = Self.post(
            events, by: 1, window: Self.window, id: BatchID(high: 1, low: 1))
        var trial = Counting(space: Self.space, position: .start, watermark: .start).forPreview()
        let preview = trial.preview(post.batch, now: Self.now)
        let answer = try #require(preview)
        let ways = answer.map { $0.additions.filter { $0.metric == 2 }.map(\.cell.value) }
        #expect(ways == [[], [3], [4]])
        #expect(answer.map { $0.additions.filter { $0.metric == 1 }.map(\.cell.value) } == [[3], [4], [4]])
        #expect(answer.map { $0.refused == nil } == [true, true, true])
    }

    @Test("an event that only such metrics count is accepted, also where a batch goes event by event")
    func accepted() throws {
        // The second event is in a period that is closed, so that nothing is added at once.
        let marks = [
            BucketedBatch.Mark(
                event: 0, metric: 2, cell: CellIndex(0), periodStart: Self.midnight, steps: 1, count: 1)
        ]
        for isClosed in [false, true] {
            var counting = Counting(space: Self.space, position: .start, watermark: .start)
            if isClosed {
                counting.lateness.released = [ClosedPeriod(layout: Self.space.ids[0], periodStart: Self.midnight)]
            }
            let batch = BucketedBatch(
                id: BatchID(high: 5, low: 5),
                window: WindowID(
                    app: "shop", purpose: "product", rotation: .standard, number: Self.window),
                events: [
                    .init(refusal: nil, contributions: 0..<0), .init(refusal: nil, contributions: 0..<1),
                    .init(refusal: .unknownField, contributions: 1..<1),
                ],
                contributions: [
                    .init(metric: 0, cell: CellIndex(0), periodStart: Self.midnight, count: 1, firstAmount: 0)
                ],
                amounts: [], marks: marks)
            let outcome = counting.count(batch, identifier: KeyedIdentifier(high: 1, low: 1), now: Self.now)
            guard case .counted(let record) = outcome else {
                Issue.record("it was not counted")
                return
            }
            #expect(record.answer.accepted == 2)
            #expect(record.answer.refused == [.init(index: 2, reason: .unknownField)])
            #expect(record.advances.count == 1)
        }
    }
}
