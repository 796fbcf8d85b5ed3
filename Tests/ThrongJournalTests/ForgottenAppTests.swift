import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongJournal

@Suite("An app that is forgotten can't be read in the data directory, and every other app can")
struct ForgottenAppTests {
    private static let other = MetricLayout(
        app: "kiosk", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: Workshop.layout.dimensions, sums: Workshop.layout.sums, contributionBound: 6,
        groupings: [.total], firstPeriods: [.day])

    private func window(_ app: AppName) -> WindowID {
        let window = Workshop.record(1).window
        return WindowID(app: app, purpose: window.purpose, rotation: window.rotation, number: window.number)
    }

    /// A record of one of the two apps, by turns.
    private func record(_ position: UInt64) -> CountedBatch {
        let record = Workshop.record(position)
        let metric = Int(position % 2)
        return CountedBatch(
            position: record.position, window: window(metric == 0 ? "shop" : "kiosk"), batch: record.batch,
            identifier: record.identifier, answer: record.answer,
            additions: record.additions.map {
                .init(
                    metric: metric, cell: $0.cell, periodStart: $0.periodStart, count: $0.count, sums: $0.sums,
                    firsts: $0.firsts)
            },
            appearances: record.appearances.map {
                .init(metric: metric, margin: $0.margin, cell: $0.cell, periodStart: $0.periodStart)
            })
    }

    /// A journal with six records of two apps in one segment.
    private func workshop() async throws -> Workshop {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        defer { data.unlock() }
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout, Self.other])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let journal = try Journal(data, space: space, after: replayed, position: .start) { _ in }
        for position in UInt64(1)...6 {
            let record = record(position)
            try journal.append(record, key: keys.key(of: record.window))
        }
        try await journal.durable(JournalPosition(6))
        journal.stop()
        let kept = try KeptFlushes(data)
        try kept.keep(
            Flush(
                after: .start, through: JournalPosition(6), layouts: space.layouts, counters: [], distinct: []),
            now: Workshop.now)
        return workshop
    }

    /// The apps of records that can be read.
    private func readable(_ workshop: Workshop) throws -> [AppName] {
        let data = try DataDirectory(path: workshop.path)
        defer { data.unlock() }
        let reader = try JournalReader(data, keys: try KeyRing(data))
        var apps: [AppName] = []
        let space = CellSpace(layouts: try reader.layouts())
        let replayed = try reader.replay(space: space, flushed: JournalPosition(6)) { apps.append($0.window.app) }
        #expect(replayed.last == JournalPosition(6))
        return apps
    }

    private func files(_ workshop: Workshop, with text: String) throws -> [String] {
        let paths = try #require(FileManager.default.enumerator(atPath: workshop.path))
        return paths.compactMap { $0 as? String }.filter { path in
            FileManager.default.contents(atPath: workshop.path + "/" + path)?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test("its records, keys, layouts and kept flushes go, also of a segment that others need; theirs are read on")
    func forgotten() async throws {
        let workshop = try await workshop()
        #expect(try readable(workshop) == ["kiosk", "shop", "kiosk", "shop", "kiosk", "shop"])
        #expect(try !files(workshop, with: "shop").isEmpty)
        for time in 1...2 {
            let data = try DataDirectory(path: workshop.path)
            defer { data.unlock() }
            #expect(try data.journalEnd(watermark: JournalPosition(6)) == JournalPosition(6))
            let forgotten = try data.forget("shop")
            #expect((forgotten.windows, forgotten.layouts) == (time == 1 ? (1, 1) : (0, 0)))
            #expect((forgotten.flushedBytes > 0) == (time == 1))
        }
        #expect(try readable(workshop) == ["kiosk", "kiosk", "kiosk"])
        #expect(try files(workshop, with: "shop").isEmpty)
        #expect(try !files(workshop, with: "kiosk").isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.path + "/flushed").isEmpty)
    }

    @Test("a new app of its name begins with the window under way; another's ended windows stay ended")
    func anew() async throws {
        let workshop = try await workshop()
        let data = try DataDirectory(path: workshop.path)
        try KeyRing(data).destroy(keysOf: [window("kiosk")])
        _ = try data.forget("shop")
        let keys = try KeyRing(data)
        _ = try keys.key(of: window("shop"))
        #expect(throws: JournalError.windowClosed) { try keys.key(of: window("kiosk")) }
    }

    @Test("what PostgreSQL lacks is seen before anything goes")
    func unflushed() async throws {
        let workshop = try await workshop()
        let data = try DataDirectory(path: workshop.path)
        #expect(try data.journalEnd(watermark: JournalPosition(4)) == JournalPosition(6))
    }
}
