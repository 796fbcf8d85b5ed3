import Foundation
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongReport
import ThrongServer
import ThrongStore
import ThrongSystem

@testable import ThrongSchedule

/// A database with counters as daemons leave them, and the schedulers that release and report from it.
///
/// The test run's PostgreSQL serves sixty connections, and a shop holds two: suites of many shops are serialized.
struct CountedShop {
    /// 2026-11-16 00:00 UTC, a Monday.
    static let monday = UnixSeconds(1_794_787_200)

    let plan: Plan
    let settings: ConnectionSettings
    let store: ReleaseStore
    private let counterStore: CounterStore
    let releases: ReleaseScheduler
    let explainer: ReleaseExplainer

    /// What was counted in one leaf cell on one day. Each device is in one cell.
    struct Counted {
        var events: Int64
        var devices: Int64
        /// Unit: 10^-decimals of the sum's unit.
        var sum: Int64 = 0
        /// The rung of the bound, where releases choose it.
        var rung: UInt32 = 0
    }

    init(_ yaml: String, secret: TieSecret? = nil) async throws { try await self.init(Self.plan(yaml), secret: secret) }

    /// - Parameter secret: what noise is drawn from; without one there is none, and numbers are what was counted.
    init(_ plan: Plan, secret: TieSecret? = nil) async throws {
        self.plan = plan
        settings = try await TestCluster.database()
        store = ReleaseStore(settings)
        counterStore = CounterStore(settings)
        releases = secret.map { [store] in ReleaseScheduler(store: store, rules: .system, secret: $0) } ?? .exact(store)
        explainer = ReleaseExplainer(store: store)
    }

    static func plan(_ yaml: String) throws -> Plan {
        try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// The first second of a day, 0 being the Monday.
    static func start(_ day: Int) -> UnixSeconds { monday + Int64(day) * 86_400 }

    /// A day as people write it: "2026-11-16" is day 0.
    static func period(_ day: Int) -> Period { Period(kind: .day, start: start(day), end: start(day + 1)) }

    static let week = Period(kind: .week, start: monday, end: monday + 7 * 86_400)

    /// Adds to the counters of a day, as a daemon of its own.
    ///
    /// - Parameters:
    ///   - cells: by the labels of a leaf cell, in the plan's order, with blanks between them.
    ///   - other: the plan of the daemon; the shop's where there is none.
    ///   - hour: of the day.
    func count(
        _ metric: MetricName, day: Int, hour: Int = 0, _ cells: [String: Counted], under other: Plan? = nil
    ) async throws {
        let plan = other ?? plan
        let counted = try #require(plan.metric(metric))
        let layout = try plan.layout(of: counted, rules: .system)
        let admin = Connection(settings)
        defer { admin.close() }
        // Metrics of which a test counts nothing have no periods.
        let known = Set(try await admin.texts("select metric from throng.metric_layout"))
        try await self.start(plan) { known.contains($0.text) || $0 == metric }
        let start = Self.start(day) + Int64(hour) * 3600
        let window = layout.rotation.window(at: start)
        var counters: [CounterDelta] = []
        var devices: [Margin: [CellIndex: Int64]] = [:]
        for (labels, counted) in cells {
            let leaf = try Self.cell(labels, layout)
            let cell = CellIndex(leaf.value + counted.rung * UInt32(layout.size(of: layout.leaf)))
            counters.append(
                CounterDelta(layout: 0, periodStart: start, measure: .count, cell: cell, delta: counted.events))
            if !layout.sums.isEmpty {
                counters.append(
                    CounterDelta(layout: 0, periodStart: start, measure: .sum(0), cell: cell, delta: counted.sum))
            }
            for margin in layout.trackedMargins {
                let tracked = layout.projection(from: layout.leaf, to: margin)(cell)
                devices[margin, default: [:]][tracked, default: 0] += counted.devices
            }
        }
        let distinct = devices.flatMap { margin, cells in
            cells.map {
                DistinctDelta(
                    layout: 0, periodStart: start, margin: margin, cell: $0.key, window: window, delta: $0.value)
            }
        }
        let begin = try await counterStore.attach(daemon: DaemonID(UUID()))
        let flush = Flush(
            after: begin, through: begin.next, layouts: [layout], counters: counters, distinct: distinct)
        _ = try await counterStore.flush(flush, now: start + 3600)
    }

    /// Starts a daemon with a plan at a time of its own choice.
    func start(_ plan: Plan, at instant: UnixSeconds) async throws {
        let admin = Connection(settings)
        defer { admin.close() }
        let now = try await admin.integer("select floor(extract(epoch from clock_timestamp()))::bigint")
        try await start(plan)
        for table in ["layout_terms", "layout_promise"] {
            // A layout's first ones do not say since when where it took a minute to come to them.
            for (column, isUnsaid) in [("since", "since is null and place = 1"), ("until", "false")] {
                try await admin.execute(
                    """
                    update throng.\(table) set \(column) = to_timestamp(\(instant.value))
                    where \(column) >= to_timestamp(\(now)) or \(isUnsaid)
                    """)
            }
        }
    }

    /// Starts a daemon with a plan: its layouts are registered, with what it asks of their releases.
    func start(_ plan: Plan, with isCounted: (MetricName) -> Bool = { _ in true }) async throws {
        var terms: [MetricLayout: ReleaseTerms] = [:]
        for metric in plan.metrics where isCounted(metric.name) {
            terms[try plan.layout(of: metric, rules: .system)] = plan.releaseTerms(of: metric)
        }
        try await counterStore.registerLayouts(terms.keys.sorted { $0.metric < $1.metric }, terms: terms)
    }

    static func cell(_ labels: String, _ layout: MetricLayout) throws -> CellIndex {
        let buckets = try zip(layout.dimensions, labels.split(separator: " ")).map { dimension, label in
            try #require(dimension.labels.firstIndex(of: BucketLabel(String(label))))
        }
        return layout.cell(buckets: buckets, in: layout.leaf)
    }
}

extension ReleaseScheduler {
    /// One that draws no noise: its numbers are what was counted.
    static func exact(_ store: ReleaseStore) -> ReleaseScheduler {
        var scheduler = ReleaseScheduler(store: store, rules: .system)
        scheduler.draw = { release, secret in try Fault.with([.noiseOff]) { try release.decide(secret: secret) } }
        return scheduler
    }
}
