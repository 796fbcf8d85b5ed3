import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("What is held in memory is bounded, and nothing ends where a number does")
struct BoundsTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let midnight = UnixSeconds(1_795_132_800)
    private static let minute = Rotation(seconds: 60)
    private static let layout = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: minute, period: .day, timeZone: "UTC",
        dimensions: [.init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list")],
        sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
        contributionBound: 3, groupings: [.total])
    private static let space = CellSpace(layouts: [layout])

    private static func window(at now: UnixSeconds) -> WindowID {
        WindowID(app: "shop", purpose: "product", rotation: minute, number: minute.window(at: now))
    }

    private static func batch(_ id: UInt64, cell: UInt32 = 0, refused: Int = 0, at now: UnixSeconds = now)
        -> BucketedBatch
    {
        BucketedBatch(
            id: BatchID(high: id, low: 1), window: window(at: now),
            events: [.init(refusal: nil, contributions: 0..<1)]
                + (0..<refused).map { _ in .init(refusal: .unknownEvent, contributions: 0..<0) },
            contributions: [
                .init(metric: 0, cell: CellIndex(cell), periodStart: midnight, count: 1, firstAmount: 0)
            ], amounts: [7])
    }

    private static func who(_ number: UInt64) -> KeyedIdentifier {
        KeyedIdentifier(high: number &* 0x517C_C1B7_2722_0A95 &+ 3, low: number &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Counts one device in each of so many windows, one after another, while PostgreSQL is away; then all of it is flushed.
    private static func devices(overWindows count: Int) -> [Int64: Int64] {
        var counting = Counting(space: space, position: .start, watermark: .start)
        for place in 0..<Int64(count) {
            let now = now + place * 60
            _ = counting.count(
                batch(UInt64(place), at: now), identifier: who(UInt64(place)), now: now)
            if place % 64 == 0 { _ = counting.closeWindows(now: now, among: []) }
        }
        var devices: [Int64: Int64] = [:]
        while let flush = counting.freeze() {
            for row in flush.distinct { devices[row.window.value, default: 0] += row.delta }
            counting.applied(flush, closed: [])
        }
        return devices
    }

    @Test("66,000 windows between two flushes are each counted")
    func manyWindows() {
        // Two tracked margins hold a device each.
        let margins = Int64(Self.layout.trackedMargins.count)
        let devices = Self.devices(overWindows: 66_000)
        #expect(devices.count == 66_000)
        #expect(devices.values.allSatisfy { $0 == margins })
        // With 16 bits the last of them would be counted in the first.
        let narrow = Fault.with([.numberBeyondBounds]) { Self.devices(overWindows: 66_000) }
        #expect(narrow.count == 65_536)
    }

    /// What flushes come to together.
    private struct Sum: Equatable {
        var counters: [CounterDelta: Int64] = [:]
        var distinct: [DistinctDelta: Int64] = [:]
        var coverage: [CoverageDelta: Int64] = [:]
        var flushes = 0
        var largest = 0

        mutating func add(_ flush: Flush) {
            for row in flush.counters {
                counters[
                    .init(
                        layout: row.layout, periodStart: row.periodStart, measure: row.measure, cell: row.cell, delta: 0
                    ),
                    default: 0] += row.delta
            }
            for row in flush.distinct {
                distinct[
                    .init(
                        layout: row.layout, periodStart: row.periodStart, margin: row.margin, cell: row.cell,
                        window: row.window, delta: 0), default: 0] += row.delta
            }
            for row in flush.coverage {
                coverage[.init(app: row.app, hour: row.hour, kind: row.kind, events: 0), default: 0] += row.events
            }
            flushes += 1
            largest = max(largest, flush.counters.count + flush.distinct.count)
        }

        func isSame(as other: Self) -> Bool {
            counters == other.counters && distinct == other.distinct && coverage == other.coverage
        }
    }

    private static func drain(_ counting: inout Counting, from watermark: JournalPosition) -> Sum {
        var sum = Sum()
        var watermark = watermark
        while let flush = counting.freeze() {
            #expect(flush.after == watermark)
            watermark = flush.through
            sum.add(flush)
            counting.applied(flush, closed: [])
        }
        #expect(watermark == counting.position)
        return sum
    }

    @Test(
        "what PostgreSQL lacks goes in several flushes that join, after a restart, too"
    )
    func split() {
        var records: [CountedBatch] = []
        func count(_ bounds: Counting.Bounds) -> Sum {
            var counting = Counting(space: Self.space, position: .start, watermark: .start, bounds: bounds)
            records = []
            for place in UInt64(0)..<600 {
                let now = Self.now + Int64(place) * 20
                let outcome = counting.count(
                    Self.batch(place, cell: UInt32(place % 2), refused: Int(place % 3), at: now),
                    identifier: Self.who(place % 50), now: now)
                if case .counted(let record) = outcome { records.append(record) }
            }
            return Self.drain(&counting, from: .start)
        }
        let whole = count(Counting.Bounds())
        #expect(whole.flushes == 1 && whole.largest > 300)
        let bounds = Counting.Bounds(flushCells: 30)
        let parts = count(bounds)
        #expect(parts.flushes > 10 && parts.largest < 60)
        #expect(parts.isSame(as: whole))

        for watermark in [JournalPosition?.some(.start), nil] {
            var counting = Counting(space: Self.space, position: .start, watermark: watermark, bounds: bounds)
            for record in records { counting.replay(.batch(record), now: Self.now) }
            counting.reach(JournalPosition(600))
            if watermark == nil { counting.resolve(watermark: .start) }
            let replayed = Self.drain(&counting, from: .start)
            #expect(replayed.flushes > 5)
            #expect(replayed.isSame(as: whole))
        }
    }

    @Test("a thousand refused events take some bytes, and a repeat is told the same of each")
    func refusals() {
        var counting = Counting(space: Self.space, position: .start, watermark: .start)
        var told: [BatchAnswer] = []
        for id in UInt64(0)..<100 {
            guard
                case .counted(let record) = counting.count(
                    Self.batch(id, refused: 999), identifier: Self.who(id), now: Self.now)
            else {
                Issue.record("it was not counted")
                return
            }
            told.append(record.answer)
        }
        #expect(counting.refusalBytes <= 100 * 12, "they took \(counting.refusalBytes) bytes")
        for id in UInt64(0)..<100 {
            guard
                case .repeated(let answer, _) = counting.count(
                    Self.batch(id, refused: 999), identifier: Self.who(id), now: Self.now)
            else {
                Issue.record("it was counted twice")
                return
            }
            #expect(answer == told[Int(id)] && answer.refused.count == 999)
        }
    }

    @Test(
        "beyond the budget for refusals a repeat is told how many they were, and counts nothing"
    )
    func refusalBudget() {
        let bounds = Counting.Bounds(refusalBytes: 40_000)
        var counting = Counting(space: Self.space, position: .start, watermark: .start, bounds: bounds)
        let plain = Self.batch(0)
        func batch(_ id: UInt64) -> BucketedBatch {
            BucketedBatch(
                id: BatchID(high: id, low: 1), window: plain.window,
                events: [plain.events[0]]
                    + (0..<998).map {
                        .init(refusal: $0 % 2 == 0 ? .unknownEvent : .unknownField, contributions: 0..<0)
                    },
                contributions: plain.contributions, amounts: plain.amounts)
        }
        var listed = 0
        for id in UInt64(0)..<200 {
            _ = counting.count(batch(id), identifier: Self.who(id), now: Self.now)
        }
        #expect(counting.refusalBytes <= 10_000)
        let position = counting.position
        for id in UInt64(0)..<200 {
            guard
                case .repeated(let answer, _) = counting.count(
                    batch(id), identifier: Self.who(id), now: Self.now)
            else {
                Issue.record("it was counted twice")
                return
            }
            #expect(answer.accepted == 1)
            if answer.unlisted == nil {
                #expect(answer.refused.count == 998)
                listed += 1
            } else {
                #expect(answer.refused.isEmpty && answer.unlisted == 998)
            }
        }
        #expect(listed >= 3 && listed < 10)
        #expect(counting.position == position)
    }

    @Test("once open windows take what they may, new batches are turned away and repeats are not, until windows end")
    func windows() {
        let bounds = Counting.Bounds(windowBytes: 100_000)
        var counting = Counting(space: Self.space, position: .start, watermark: .start, bounds: bounds)
        var counted: [UInt64] = []
        var turnedAway = 0
        for id in UInt64(0)..<5000 {
            switch counting.count(Self.batch(id), identifier: Self.who(id), now: Self.now)
            {
            case .counted: counted.append(id)
            case .full: turnedAway += 1
            default: Issue.record("it is neither a repeat nor over")
            }
        }
        #expect(counted.count >= 256 && turnedAway > 2500)
        let position = counting.position
        for id in counted {
            guard
                case .repeated = counting.count(
                    Self.batch(id), identifier: Self.who(id), now: Self.now)
            else {
                Issue.record("a repeat was not known again")
                return
            }
        }
        #expect(counting.position == position && counting.isFull)
        let later = Self.now + 180
        _ = counting.closeWindows(now: later, among: [])
        guard
            case .counted = counting.count(
                Self.batch(1, at: later), identifier: Self.who(1), now: later)
        else {
            Issue.record("there is room again")
            return
        }
        #expect(!counting.isFull && counting.nextEnd == Self.window(at: later).over)
    }

    @Test("who is known in a full window is counted on, as far as a sixteenth more goes; who is new is not")
    func knownIdentifiers() {
        let bound = 1 << 20
        var counting = Counting(
            space: Self.space, position: .start, watermark: .start, bounds: Counting.Bounds(windowBytes: bound))
        func isCounted(_ id: UInt64, _ who: UInt64) -> Bool {
            let outcome = counting.count(
                Self.batch(id), identifier: Self.who(who), now: Self.now)
            if case .counted = outcome { return true } else { return false }
        }
        var devices: UInt64 = 0
        while devices < 50_000, isCounted(devices, devices) { devices += 1 }
        #expect(counting.isFull && devices < 50_000)
        var known = 0
        for id in UInt64(100_000)..<120_000 {
            if isCounted(id, id % devices) { known += 1 }
            #expect(!isCounted(id + 100_000, id))
        }
        #expect((256..<4000).contains(known))
        counting.measure()
        #expect(counting.windowBytes < bound / 16 * 17 + 256 * 256)
    }

    @Test("packed refusals come back as they were, and other bytes are no refusals")
    func packing() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var refused: [BatchAnswer.Refusal] = []
            var index = 0
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                index += Bool.random(using: &random) ? 1 : .random(in: 1...300, using: &random)
                let reasons: [RefusalReason] = [.unknownEvent, .tooOld]
                refused.append(.init(index: index, reason: reasons.randomElement(using: &random) ?? .tooOld))
            }
            let packed = PackedRefusals(refused)
            #expect(packed.refusals == refused)
            var changed = packed.bytes
            if let place = changed.indices.randomElement(using: &random) {
                changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                // Whatever it says, it ends.
                _ = PackedRefusals(bytes: changed).refusals?.count
            }
        }
        #expect(PackedRefusals(bytes: [0, 0, 1]).refusals == nil)
        #expect(PackedRefusals(bytes: [0, 1, 77]).refusals == nil)
        #expect(PackedRefusals(bytes: [0x80]).refusals == nil)
        #expect(PackedRefusals(bytes: [0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1]).refusals == nil)
    }
}
