import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Periods open by the clock, so that a release's existence tells nothing")
struct ReleaseCalendarTests {
    private let layout = MetricLayout.sample()

    private func house() async throws -> (CounterStore, ReleaseStore) {
        let settings = try await TestCluster.database()
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        return (counters, ReleaseStore(settings))
    }

    private func starts(_ store: ReleaseStore) async throws -> [Int64] {
        try await store.openPeriods(app: "shop").map { ($0.period.start - saturday) / day }
    }

    @Test("a metric that nobody uses has every period from the one in which the clock first met it")
    func unused() async throws {
        let (_, store) = try await house()
        let calendar = CalendarStore(store.connection)
        try await calendar.keepCalendar(of: layout, expires: .max, now: saturday + 3600)
        try await calendar.keepCalendar(of: layout, expires: .max, now: saturday + 3 * day)
        #expect(try await starts(store) == [0, 1, 2, 3])
        let layout = layout
        let decision = try await store.release(layout.header(.day(saturday + day), groupings: [.total]))
        #expect(decision?.release.cells == [])
    }

    @Test("a day between two that were counted opens as well, and what was released stays closed")
    func between() async throws {
        let (counters, store) = try await house()
        let calendar = CalendarStore(store.connection)
        let flush = Flush.of(layout, after: 0, through: 1, at: saturday - 2 * day, count: 50, devices: 25)
        _ = try await counters.flush(flush, now: saturday)
        let layout = layout
        _ = try await store.release(layout.header(.day(saturday - 2 * day), groupings: [.total]))
        for _ in 0..<2 { try await calendar.keepCalendar(of: layout, expires: .max, now: saturday) }
        #expect(try await starts(store) == [-1, 0])
    }

    @Test("no period opens once the metric has expired, none in the future, and none for an unknown layout")
    func bounds() async throws {
        let (_, store) = try await house()
        let calendar = CalendarStore(store.connection)
        try await calendar.keepCalendar(of: layout, expires: saturday + day, now: saturday)
        try await calendar.keepCalendar(of: layout, expires: saturday + day, now: saturday + 5 * day)
        #expect(try await starts(store) == [0])
        try await calendar.keepCalendar(of: .sample(app: "other"), expires: .max, now: saturday)
        #expect(try await store.openPeriods(app: "other").isEmpty)
    }
}
