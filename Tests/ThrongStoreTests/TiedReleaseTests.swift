import Foundation
import Synchronization
import TestCluster
import Testing
import ThrongCounting
import ThrongRelease

@testable import ThrongPlan
@testable import ThrongPostgres
@testable import ThrongStore

@Suite("Metrics that count the same events are released one after the other, each against the others", .serialized)
struct TiedReleaseTests {
    let orders = MetricLayout.sample()
    let sales = MetricLayout.sample(metric: "sales", steps: ["bought", "other"])
    private let ties = EventTies(.tied)

    /// Counts 40 devices in one cell of each layout.
    private func counted(_ layouts: [MetricLayout], _ settings: ConnectionSettings) async throws {
        let store = CounterStore(settings)
        try await store.registerLayouts(layouts)
        _ = try await store.attach(daemon: .new)
        for (place, layout) in layouts.enumerated() {
            let flush = Flush.of(
                layout, after: UInt64(place), through: UInt64(place + 1), count: 90, devices: 40,
                margins: layout.trackedMargins)
            _ = try await store.flush(flush, now: saturday + 3600)
        }
        store.close()
    }

    private func release(
        _ layout: MetricLayout, _ settings: ConnectionSettings, seen: Seen, meeting: Meeting? = nil
    ) async throws -> ReleaseDecision? {
        let store = ReleaseStore(settings)
        defer { store.close() }
        let period = PeriodCalendar.utc.period(layout.period, containing: saturday)
        return try await store.release(layout, period, ties: ties) { cube, tied in
            seen.note(layout.metric, tied)
            meeting?.arrive()
            return try ReleaseCase(
                header: layout.header(cube.period, groupings: [.total, layout.leaf]), parts: [cube], tied: tied
            ).decide()
        }
    }

    @Test("the second one sees what the first published and counted; then the distinct counts of both go")
    func sequence() async throws {
        let settings = try await TestCluster.database()
        try await counted([orders, sales], settings)
        let admin = Connection(settings)
        let seen = Seen()
        let first = try #require(try await release(orders, settings, seen: seen)).release
        #expect(seen[orders.metric].map { $0.map(\.releases) } == [[[]]], "the other is counted, and not published yet")
        let kept = "select count(*) from throng.distinct_count as d join throng.metric_layout using (metric_id)"
        #expect(try await admin.integer("\(kept) where metric = 'orders'") > 0)
        _ = try #require(try await release(sales, settings, seen: seen))
        let tied = try #require(seen[sales.metric].last?.first)
        #expect(tied.layout == orders && tied.releases == [first] && tied.isWhole)
        #expect(tied.parts.first?.counters.map(\.value) == [90])
        #expect(tied.parts.first?.distinct.isEmpty == false && tied.parts.first?.top.isEmpty == false)
        for table in ["distinct_count", "top_contribution", "kept_period"] {
            #expect(try await admin.integer("select count(*) from throng.\(table)") == 0, "\(table)")
        }
    }

    @Test("of two processes that decide at the same time, the later one decides again, against the other's release")
    func atOnce() async throws {
        let settings = try await TestCluster.database()
        try await counted([orders, sales], settings)
        let (seen, meeting) = (Seen(), Meeting())
        async let first = release(orders, settings, seen: seen, meeting: meeting)
        async let second = release(sales, settings, seen: seen, meeting: meeting)
        let made = try await [first, second]
        #expect(made.allSatisfy { $0 != nil })
        let last = [orders, sales].map { seen[$0.metric].last?.flatMap(\.releases).count ?? -1 }.sorted()
        #expect(last == [0, 1])
        #expect([orders, sales].map { seen[$0.metric].count }.sorted() == [1, 2])
    }

    @Test("an hour's counters and distinct counts stay while the day of a tied metric is open, and no longer")
    func partitions() async throws {
        let settings = try await TestCluster.database()
        let hourly = MetricLayout.sample(period: .hour)
        try await counted([hourly, sales], settings)
        let seen = Seen()
        _ = try #require(try await release(hourly, settings, seen: seen))
        let retention = RetentionStore(.reporting(settings))
        let far = saturday + 100 * day
        func isHour(_ name: String) -> Bool { name.hasSuffix("_h_20261121") }
        let early = try await retention.dropPartitions(
            countersBefore: far, distinctBefore: far, abandonedBefore: .epoch)
        #expect(!early.contains(where: isHour))
        _ = try #require(try await release(sales, settings, seen: seen))
        #expect(seen[sales.metric].last?.first?.releases.count == 1)
        let gone = try await retention.dropPartitions(countersBefore: far, distinctBefore: far, abandonedBefore: .epoch)
        #expect(gone.filter(isHour).count == 2)
    }

    @Test("what waits for a metric that is never released goes with the abandoned")
    func abandoned() async throws {
        let settings = try await TestCluster.database()
        try await counted([orders, sales], settings)
        _ = try #require(try await release(orders, settings, seen: Seen()))
        let retention = RetentionStore(.reporting(settings))
        let far = saturday + 100 * day
        let gone = try await retention.dropPartitions(countersBefore: far, distinctBefore: far, abandonedBefore: far)
        #expect(gone.filter { $0.hasSuffix("_d_20261121") }.count == 2)
        #expect(try await Connection(settings).integer("select count(*) from throng.top_contribution") == 0)
        #expect(try await Connection(settings).integer("select count(*) from throng.kept_period") == 0)
    }

    /// What each metric was decided against, by attempt.
    final class Seen: Sendable {
        private let all = Mutex<[MetricName: [[TiedMetric]]]>([:])
        func note(_ metric: MetricName, _ tied: [TiedMetric]) { all.withLock { $0[metric, default: []].append(tied) } }
        subscript(metric: MetricName) -> [[TiedMetric]] { all.withLock { $0[metric] ?? [] } }
    }

    /// Two deciders wait for each other before they go on, once.
    final class Meeting: Sendable {
        private let present = Mutex(0)
        func arrive() {
            present.withLock { $0 += 1 }
            // Each decides on a thread of its own, which may block.
            for _ in 0..<60_000 where present.withLock({ $0 }) < 2 { Thread.sleep(forTimeInterval: 0.01) }
        }
    }
}

extension Plan {
    /// The sample's plan with a second metric of the same events.
    fileprivate static var tied: Plan {
        let plan = Plan.sample(decay: [])
        let metrics = plan.metrics.flatMap { metric in
            [metric.name, "sales"].map { name in
                Metric(
                    name: name, title: metric.title, events: metric.events, question: metric.question,
                    decision: metric.decision, owner: metric.owner, expires: metric.expires, purpose: metric.purpose,
                    dimensions: [], period: .day, sums: [], histogram: nil, reach: true, contributionBound: 10,
                    sampling: 1, threshold: .standard, margins: [], decay: [])
            }
        }
        return Plan(
            app: plan.app, purposes: plan.purposes, dimensions: [], metrics: metrics, insights: [], reports: [],
            partners: [], version: plan.version)
    }
}
