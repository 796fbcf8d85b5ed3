import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Firsts that devices prove count once each, publish, and leave no tag behind")
struct ProvedFirstsTests {
    private static let shown = [Margin.total, Margin(keeping: [0])]
    private static let layout = MetricLayout(
        app: "shop", metric: "opened", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [.init(name: "os", labels: ["ios", "linux", "other"], partitionsDevices: true, rule: "list")],
        sums: [], contributionBound: 10, groupings: shown, provedPeriods: [.day, .week], floor: .attested)
    private static let week = PeriodCalendar.utc.period(.week, containing: saturday)

    private struct House {
        let settings: ConnectionSettings
        let counters: CounterStore
        let firsts: FirstStore
        let releases: ReleaseStore
        let admin: Connection

        init() async throws {
            settings = try await TestCluster.database()
            counters = CounterStore(settings)
            firsts = FirstStore(settings)
            releases = ReleaseStore(settings)
            admin = Connection(settings)
            try await counters.registerLayouts([layout])
            _ = try await counters.attach(daemon: .new)
        }

        /// Sixty events of a cell, by proved identifiers, three in each of twenty windows.
        func count(_ cells: Range<UInt32>, at start: UnixSeconds = saturday, after: UInt64 = 0) async throws {
            let measures = [MeasureIndex.count, layout.provedCount]
            let flush = Flush(
                after: JournalPosition(after), through: JournalPosition(after + 1), layouts: [layout],
                counters: cells.flatMap { cell in
                    measures.map {
                        CounterDelta(layout: 0, periodStart: start, measure: $0, cell: CellIndex(cell), delta: 60)
                    }
                },
                distinct: cells.flatMap { cell in
                    (0..<Int64(20)).map {
                        DistinctDelta(
                            layout: 0, periodStart: start, margin: layout.leaf, cell: CellIndex(cell),
                            window: WindowNumber(start.flooredQuotient(by: 900) + $0), delta: 3)
                    }
                })
            _ = try await counters.flush(flush, now: start)
        }

        /// Of the first cell's identifiers so many take back their event, the first of each window first.
        func takeBack(_ devices: Int64) async throws {
            let measures = [MeasureIndex.count, layout.provedCount]
            let flush = Flush(
                after: JournalPosition(1), through: JournalPosition(2), layouts: [layout],
                counters: [],
                taken: measures.filter { _ in devices > 0 }.map {
                    CounterDelta(layout: 0, periodStart: saturday, measure: $0, cell: CellIndex(0), delta: -devices)
                },
                distinct: (0..<Int64(20)).compactMap { window in
                    let delta = (devices + 19 - window) / 20
                    return delta == 0
                        ? nil
                        : DistinctDelta(
                            layout: 0, periodStart: saturday, margin: layout.leaf, cell: CellIndex(0),
                            window: WindowNumber(saturday.flooredQuotient(by: 900) + window), delta: -delta)
                })
            _ = try await counters.flush(flush, now: saturday)
        }

        func prove(
            _ devices: Range<Int>, cell: UInt32, _ period: Period = .day(saturday), of layout: MetricLayout = layout
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in devices {
                    let row = ProvedFirstRow(
                        layout: layout, kind: period.kind, start: period.start, margin: layout.leaf,
                        cell: CellIndex(cell), tag: FirstTag(hashing: Array("\(device)".utf8)))
                    group.addTask { try await firsts.keep(row) }
                }
                try await group.waitForAll()
            }
        }

        func release(_ scope: ReleaseScope) async throws -> Release {
            let header = layout.header(scope.period, groupings: shown)
            return try #require(try await releases.commit(scope) { try $0.drawn(header) }).release
        }

        var tags: Int64 {
            get async throws { try await admin.integer("select count(*) from throng.proved_first") }
        }
    }

    private static func scope(_ start: UnixSeconds = saturday) -> ReleaseScope {
        ReleaseScope(OpenPeriod(layout: layout, period: .day(start)), rollups: [week])
    }

    @Test("a hundred devices that ask three times each, all at once, are a hundred; a release says so and forgets them")
    func once() async throws {
        let house = try await House()
        try await house.count(0..<2)
        for _ in 0..<3 { try await house.prove(0..<50, cell: 0) }
        // In whichever bucket of the partition a device is first, it stays.
        try await house.prove(0..<100, cell: 1)
        #expect(try await house.tags == 100)
        let release = try await house.release(Self.scope())
        #expect(release.cells.map { $0.reach?.devices } == [100, 50, 50])
        #expect(release.cells.map(\.count) == [120, 60, 60])
        #expect(try await house.tags == 0)
        // What comes after the release changes nothing.
        try await house.prove(200..<260, cell: 2)
        #expect(try await house.tags == 0)
        let read = try await house.releases.releases(
            app: "shop", metric: "opened", periodKind: .day, from: saturday, to: saturday + day)
        #expect(read == [release] && read.first?.digest == release.digest)
    }

    @Test("without a first nothing is published where windows have three devices")
    func none() async throws {
        let house = try await House()
        try await house.count(0..<2)
        #expect(try await house.release(Self.scope()).cells.isEmpty)
    }

    @Test("whoever takes back their events lifts nothing by a first that stays, and the number is that of who is left")
    func withdrawn() async throws {
        for (gone, reach) in [(Int64(0), Int64(60)), (30, 30), (45, nil)] as [(Int64, Int64?)] {
            let house = try await House()
            try await house.count(0..<1)
            try await house.prove(0..<60, cell: 0)
            try await house.takeBack(gone)
            #expect(try await house.tags == 60, "nobody knows whose they are")
            let release = try await house.release(Self.scope())
            // The total, and the one system.
            #expect(release.cells.map { $0.reach?.devices } == (reach.map { [$0, $0] } ?? []))
            #expect(release.cells.allSatisfy { $0.count == 60 - gone })
            #expect(try await house.tags == 0)
        }
    }

    @Test("a week is decided by firsts of its own")
    func week() async throws {
        let house = try await House()
        try await house.count(0..<1)
        try await house.prove(0..<50, cell: 0)
        try await house.prove(0..<55, cell: 0, Self.week)
        // Sunday's are of another period.
        try await house.count(0..<1, at: saturday + day, after: 1)
        try await house.prove(0..<40, cell: 0, .day(saturday + day))
        #expect(try await house.release(Self.scope()).cells.map { $0.reach?.devices } == [50, 50])
        #expect(try await house.release(Self.scope(saturday + day)).cells.map { $0.reach?.devices } == [40, 40])
        #expect(try await house.tags == 55)
        let rollup = try #require(try await house.releases.openRollups(app: "shop").first)
        let release = try await house.release(ReleaseScope(rollup))
        #expect(release.cells.map(\.count) == [120, 120])
        #expect(release.cells.map { $0.reach?.devices } == [55, 55])
        #expect(try await house.tags == 0)
    }

    @Test("a layout of which nothing was flushed yet keeps nobody, and says so; one of another app stays out of it")
    func unknown() async throws {
        let house = try await House()
        let other = MetricLayout.sample(app: "kiosk")
        await #expect(throws: StoreError.layoutUnknown(other.id)) { try await house.prove(0..<1, cell: 0, of: other) }
        try await house.prove(0..<7, cell: 0)
        #expect(try await house.tags == 7)
    }

    @Test("tags of what is over and will not be released go with age; those of what is open stay")
    func aged() async throws {
        let house = try await House()
        try await house.count(0..<1)
        try await house.prove(0..<3, cell: 0)
        let before = saturday - 70 * day
        try await house.prove(0..<5, cell: 0, .day(before))
        _ = try await RetentionStore(house.releases.connection).expire(plans: [], now: saturday + 45 * day)
        #expect(try await house.tags == 3)
    }

    @Test("an app that is deleted takes them along")
    func deleted() async throws {
        let house = try await House()
        try await house.count(0..<1)
        try await house.prove(0..<30, cell: 0)
        try await house.prove(0..<30, cell: 0, Self.week)
        _ = try await house.release(Self.scope())
        #expect(try await house.tags == 30)
        _ = try await AppStore(house.admin).delete("shop", copies: 0)
        #expect(try await house.tags == 0)
    }
}
