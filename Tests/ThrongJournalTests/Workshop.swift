import Foundation
import Synchronization
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongJournal

/// A data directory of its own with a journal in it; goes away with its owner.
final class Workshop {
    let path: String
    static let now = UnixSeconds(1_795_176_000)
    static let layout = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [.init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list")],
        sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
        contributionBound: 6,
        groupings: [.total], firstPeriods: [.day])

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/throng-journal-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func record(_ position: UInt64, window: Int64 = 0) -> CountedBatch {
        CountedBatch(
            position: JournalPosition(position),
            window: WindowID(
                app: "shop", purpose: "product", rotation: .standard,
                number: WindowNumber(now.flooredQuotient(by: 900) + window)),
            batch: BatchID(high: position, low: 7),
            identifier: KeyedIdentifier(high: position &* 3, low: position &* 5),
            answer: BatchAnswer(accepted: 1, refused: [.init(index: 1, reason: .unknownEvent)]),
            additions: [
                .init(
                    metric: 0, cell: CellIndex(UInt32(position % 2)), periodStart: UnixSeconds(1_795_132_800), count: 2,
                    sums: [199],
                    // Every third batch is a first.
                    firsts: FirstSet(bits: position % 3 == 0 ? 1 : 0))
            ],
            appearances: [
                .init(
                    metric: 0, margin: 0, cell: CellIndex(UInt32(position % 2)), periodStart: UnixSeconds(1_795_132_800)
                )
            ])
    }

    /// Starts as a daemon does: replays, appends the next records, waits until they are on disk, stops.
    @discardableResult
    func run(
        append count: Int, options: Journal.Options = .init(), flushed: JournalPosition? = .start,
        waitingEvery step: UInt64 = 1, window: Int64 = 0
    ) async throws -> [CountedBatch] {
        let data = try DataDirectory(path: path)
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let space = CellSpace(layouts: [Self.layout] + (try reader.layouts()))
        var replayed: [CountedBatch] = []
        let result = try reader.replay(space: space, flushed: flushed) {
            if case .batch(let batch) = $0 { replayed.append(batch) }
        }
        for tail in result.torn { try tail.setAside() }
        let journal = try Journal(
            data, space: space, after: result, position: result.last, options: options
        ) { _ in }
        for place in 0..<UInt64(count) {
            let record = Self.record(result.last.value + 1 + place, window: window)
            try journal.append(record, key: keys.key(of: record.window))
            if place % step == 0 { try await journal.durable(record.position) }
        }
        try await journal.durable(JournalPosition(result.last.value + UInt64(count)))
        journal.stop()
        data.unlock()
        return replayed
    }

    var segments: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: path + "/journal").filter { $0.hasSuffix(".journal") }
                .sorted().map {
                    "\(path)/journal/\($0)"
                }
        }
    }
}
