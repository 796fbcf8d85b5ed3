import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

/// A daemon's counting with its journal, which writes checkpoints while it counts; chance decides what happens.
struct CheckpointHouse {
    static let now = UnixSeconds(1_795_176_000)
    static let today = UnixSeconds(1_795_132_800)
    private static let os = MetricLayout.DimensionLayout(
        name: "os", labels: ["ios", "android", "other"], partitionsDevices: true, rule: "list")
    private static let page = MetricLayout.DimensionLayout(
        name: "page", labels: ["home", "cart", "other"], partitionsDevices: false, rule: "list")
    private static let sums = [
        SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 0, unit: ""),
        SumMeasure(name: "gain", field: "gain", lowest: -50, highest: 50, decimals: 0, unit: ""),
    ]

    private static func layout(
        _ name: MetricName, _ dimensions: [MetricLayout.DimensionLayout], sums: [SumMeasure] = [], bound: Int = 12,
        firsts: [PeriodKind] = [], within: WindowLayout? = nil, floor: FloorKind = .any
    ) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: name, purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: dimensions, sums: sums, contributionBound: bound,
            groupings: dimensions.count > 1 ? [.total, Margin(bits: 2)] : [.total],
            firstPeriods: firsts, within: within, floor: floor)
    }

    /// Sums and firsts; one grouping; how often; proved devices, with sums; nothing special.
    private static let layouts = [
        layout("views", [os, page], sums: sums, firsts: [.day, .week]),
        layout("pages", [page]),
        layout(
            "often", [os, .init(name: "times", labels: ["1", "2-3", ">=4"], partitionsDevices: true, rule: "made")],
            bound: 1, within: .frequency(bands: [1, 2, 4])),
        layout("proved", [os, page], sums: sums, firsts: [.day], floor: .attested),
        layout("plain", [os]),
    ]
    static let space = CellSpace(layouts: layouts)
    /// The same layouts in another order.
    static let turned = CellSpace(layouts: layouts.reversed())
    private static func turned(_ metric: Int) -> Int { layouts.count - 1 - metric }

    struct Part {
        let window: WindowID
        let bytes: [UInt8]
    }

    struct Checkpoint {
        let from: JournalPosition
        let through: JournalPosition
        let parts: [Part]

        /// Whether all parts were taken.
        func restore(into counting: inout Counting, now: UnixSeconds = CheckpointHouse.now) -> Bool {
            let metrics = CheckpointHouse.space.ids.map { counting.space.ordinal(of: $0) }
            return parts.allSatisfy { part in
                part.bytes.withUnsafeBytes { counting.restore($0, of: part.window, metrics: metrics, now: now) }
            }
        }
    }

    var counting = Counting(space: space, position: .start, watermark: .start)
    var journal: [CountedRecord] = []
    private(set) var checkpoint: Checkpoint?
    private(set) var repeats = 0
    private var random: SeededGenerator
    private var walk: WindowWalk?
    private var parts: [Part] = []
    private var sent: [(batch: BucketedBatch, who: KeyedIdentifier, answer: BatchAnswer)] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Goes on until there is a checkpoint, with so many records behind it.
    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        while counting.position.value < (checkpoint?.through.value ?? .max - 40) + 40 { step() }
    }

    mutating func step() {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<26: post()
        case 26..<28: again()
        case 28: withdraw()
        case 29: ask()
        case 30: flush()
        case 31: remove()
        default: write()
        }
    }

    /// One of several that are open; some of them were taken over from a daemon that was lost, once or again.
    private static func window(_ random: inout SeededGenerator) -> WindowID {
        let number = WindowNumber(now.flooredQuotient(by: 900) + .random(in: -1...1, using: &random))
        let epoch: Int64 = [0, 0, 0, 3, 7].randomElement(using: &random) ?? 0
        return WindowID(
            app: "shop", purpose: "product", rotation: .standard,
            number: epoch == 0 ? number : number.taken(over: epoch))
    }

    private static func identifier(_ who: UInt64, _ window: WindowID) -> KeyedIdentifier {
        KeyedIdentifier(
            high: who &* 0x517C_C1B7_2722_0A95 &+ 3, low: UInt64(window.number.value) &* 0x9E37_79B9 &+ who)
    }

    static func batch(_ random: inout SeededGenerator, window: WindowID, who: UInt64) -> BucketedBatch {
        let events = Int.random(in: 1...5, using: &random)
        var amounts: [Int64] = []
        var marks: [BucketedBatch.Mark] = []
        var contributions: [BucketedBatch.Contribution] = []
        var listed: [BucketedBatch.Event] = []
        for place in 0..<events {
            let kinds: [Int32] = [0, 0, 1, 2, 3, 4]
            let metric: Int32 = kinds.randomElement(using: &random) ?? 0
            let start = today - (Int.random(in: 0..<5, using: &random) == 0 ? 86_400 : 0)
            let system: UInt32 = who % 9 == 0 ? .random(in: 0..<3, using: &random) : UInt32(who % 3)
            let first = Int32(contributions.count)
            if metric == 2 {
                marks.append(
                    BucketedBatch.Mark(
                        event: Int32(place), metric: 2, cell: CellIndex(system * 3), periodStart: start, steps: 0,
                        count: UInt32.random(in: 1...3, using: &random)))
            } else {
                let firstAmount = Int32(amounts.count)
                let isRich = metric == 0 || metric == 3
                if isRich { amounts += [.random(in: 0...100, using: &random), .random(in: -50...50, using: &random)] }
                let page = UInt32.random(in: 0..<3, using: &random)
                contributions.append(
                    BucketedBatch.Contribution(
                        metric: metric, cell: CellIndex(isRich ? system * 3 + page : metric == 1 ? page : system),
                        periodStart: start, count: UInt32.random(in: 1...3, using: &random), firstAmount: firstAmount,
                        firsts: isRich ? FirstSet(bits: UInt64.random(in: 0..<4, using: &random)) : .none))
            }
            let isRefused = Int.random(in: 0..<6, using: &random) == 0
            listed.append(
                .init(refusal: isRefused ? .unknownEvent : nil, contributions: first..<Int32(contributions.count)))
        }
        return BucketedBatch(
            id: BatchID(high: random.next(), low: random.next()), window: window, events: listed,
            contributions: contributions, amounts: amounts, marks: marks)
    }

    private mutating func post() {
        let window = Self.window(&random)
        let who = UInt64.random(in: 0..<60, using: &random)
        let batch = Self.batch(&random, window: window, who: who)
        let identifier = Self.identifier(who, window)
        let hasProof = who % 3 != 0 && Int.random(in: 0..<3, using: &random) == 0
        let outcome = counting.count(
            batch, identifier: identifier, hasProof: hasProof, liftsFloors: who % 5 != 0, now: Self.now)
        guard case .counted(let record) = outcome else { return }
        journal.append(.batch(record))
        sent.append((batch, identifier, record.answer))
    }

    /// A batch comes again.
    private mutating func again() {
        guard let known = sent.randomElement(using: &random) else { return }
        let outcome = counting.count(known.batch, identifier: known.who, now: Self.now)
        guard case .repeated(let answer, _) = outcome else { return _ = Issue.record("\(outcome)") }
        #expect(answer.accepted == known.answer.accepted)
        repeats += 1
    }

    private mutating func withdraw() {
        let window = Self.window(&random)
        let identifier = Self.identifier(.random(in: 0..<60, using: &random), window)
        if let record = counting.withdraw(identifier, from: window, now: Self.now) {
            journal.append(.withdrawal(record))
        }
    }

    private mutating func ask() {
        let window = Self.window(&random)
        let identifier = Self.identifier(.random(in: 0..<60, using: &random), window)
        if case .noted(let request) = counting.requestRemoval(of: identifier, from: window, now: Self.now) {
            journal.append(.removalRequest(request))
        }
    }

    private mutating func flush() {
        if let flush = counting.freeze() { counting.applied(flush, closed: []) }
    }

    /// Takes out everybody who asked for it.
    mutating func removeAll() {
        flush()
        while counting.dueRemovals() != nil {
            remove()
            flush()
        }
    }

    /// Takes out whoever is due; others go on counting meanwhile.
    private mutating func remove() {
        guard let (window, due) = counting.dueRemovals(most: 2) else { return }
        var found: [KeyedIdentifier: [CountedBatch]] = due.mapValues { _ in [] }
        for case .batch(let batch) in journal where batch.window == window {
            found[batch.identifier]?.append(batch)
        }
        for _ in 0..<3 {
            post()
            write()
        }
        for record in counting.remove(found, from: window, largest: 3) {
            journal.append(.removal(record))
        }
    }

    /// Begins a checkpoint, writes a part of one, or ends it.
    private mutating func write() {
        guard var walk = walk ?? counting.walk(partBytes: [1, 100, 300].randomElement(using: &random) ?? 1) else {
            return
        }
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            switch counting.next(of: &walk) {
            case .part(let part): parts.append(Part(window: part.window, bytes: part.bytes))
            case .end(let through):
                checkpoint = Checkpoint(from: walk.from, through: through, parts: parts)
                parts = []
                return self.walk = nil
            case .windowEnded: return _ = Issue.record("no window is over")
            }
        }
        self.walk = walk
    }

    /// The same record with the ordinals of ``turned``.
    static func turned(_ record: CountedRecord) -> CountedRecord {
        func turn(_ addition: CountedBatch.Addition) -> CountedBatch.Addition {
            .init(
                metric: turned(addition.metric), cell: addition.cell, periodStart: addition.periodStart,
                count: addition.count, sums: addition.sums, firsts: addition.firsts, isLate: addition.isLate,
                isProved: addition.isProved)
        }
        func turn(_ one: CountedBatch.Appearance) -> CountedBatch.Appearance {
            .init(metric: turned(one.metric), margin: one.margin, cell: one.cell, periodStart: one.periodStart)
        }
        switch record {
        case .batch(let batch):
            return .batch(
                CountedBatch(
                    position: batch.position, window: batch.window, batch: batch.batch, identifier: batch.identifier,
                    answer: batch.answer, additions: batch.additions.map(turn),
                    appearances: batch.appearances.map(turn),
                    advances: batch.advances.map {
                        .init(
                            metric: turned($0.metric), cell: $0.cell, periodStart: $0.periodStart,
                            progress: $0.progress)
                    }, isProved: batch.isProved))
        case .removal(let removal):
            return .removal(
                Removal(
                    position: removal.position, window: removal.window, identifier: removal.identifier,
                    additions: removal.additions.map(turn), appearances: removal.appearances.map(turn),
                    outcomes: removal.outcomes, hasMore: removal.hasMore))
        case .closing, .withdrawal, .removalRequest: return record
        }
    }

    /// Every batch gets the same answer again from both.
    func compareAnswers(_ one: inout Counting, _ other: inout Counting) {
        for (batch, who, _) in sent {
            func answer(_ counting: inout Counting) -> String {
                "\(counting.count(batch, identifier: who, now: Self.now))"
            }
            let expected = answer(&one)
            #expect(expected.hasPrefix("repeated"))
            #expect(answer(&other) == expected)
        }
        #expect(one.refusalBytes == other.refusalBytes)
    }

    /// What is counted from here on is counted alike.
    mutating func goOn(_ other: inout Counting) {
        for _ in 0..<300 {
            let window = Self.window(&random)
            let who = UInt64.random(in: 0..<60, using: &random)
            let batch = Self.batch(&random, window: window, who: who)
            func count(_ counting: inout Counting) -> String {
                "\(counting.count(batch, identifier: Self.identifier(who, window), now: Self.now))"
            }
            #expect(count(&counting) == count(&other))
        }
    }
}
