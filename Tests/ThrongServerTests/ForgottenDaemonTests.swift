import Foundation
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongSchedule
import ThrongStore

/// Two daemons count for one app. One gets another plan, and the other is forgotten and goes on by the former one, which is what
/// it tells people.
@Suite("Promise 5: what is released while daemons count by two plans is safe under both", .serialized)
struct ForgottenDaemonTests {
    private static func plan(_ threshold: Int, title: String = "Shop") throws -> Plan {
        try CountedShop.plan(
            """
            app:
              {title: \(title), name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours,
              threshold: \(threshold)}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
            dimensions:
              country: {title: Country, field: country, list: [AT, DE], partitions: devices}
            metrics:
              all:
                {title: All, events: [click], dimensions: [country], question: What?, decision: That., owner: Team,
                expires: 2027-10-31, purpose: product, period: day}
            """)
    }

    /// A database whose plans were in force long before its first day.
    private struct House {
        let shop: CountedShop
        let edited = DaemonID(UUID())
        let forgotten = DaemonID(UUID())

        init(_ plan: Plan) async throws {
            shop = try await CountedShop(plan)
        }

        /// A daemon starts with a plan, as it does where it attaches.
        @discardableResult
        func start(_ plan: Plan, _ daemon: DaemonID) async throws -> PlanStanding {
            var terms: [MetricLayout: ReleaseTerms] = [:]
            for metric in plan.metrics {
                terms[try plan.layout(of: metric, rules: .system)] = plan.releaseTerms(of: metric)
            }
            let claim = PlanClaim(daemon: daemon, plans: [plan.app.name: plan.version])
            let found = try await CounterStore(shop.settings).register(Array(terms.keys), terms: terms, by: claim)
            return try #require(found.standings.first)
        }

        /// Puts all that was asked so far so many hours before the first day.
        func wait(hours: Int64) async throws {
            let admin = Connection(shop.settings)
            defer { admin.close() }
            let instant = "to_timestamp(\((CountedShop.start(0) - hours * 3600).value))"
            for table in ["layout_terms", "layout_promise"] {
                // A layout's first ones do not say since when where it took a minute to come to them.
                for (column, isUnsaid) in [("since", "since is null and place = 1"), ("until", "false")] {
                    try await admin.execute(
                        """
                        update throng.\(table) set \(column) = \(instant)
                        where \(column) > \(instant) or \(isUnsaid)
                        """)
                }
            }
        }

        /// Counts a day of few devices in AT and many in DE.
        func count() async throws {
            let plan = shop.plan
            let layout = try plan.layout(of: try #require(plan.metric("all")), rules: .system)
            let counters = CounterStore(shop.settings)
            let window = layout.rotation.window(at: CountedShop.start(0))
            let cells = try [CountedShop.cell("AT", layout): Int64(8), CountedShop.cell("DE", layout): 90]
            let begin = try await counters.attach(daemon: DaemonID(UUID()))
            let flush = Flush(
                after: begin, through: begin.next, layouts: [layout],
                counters: cells.map {
                    CounterDelta(
                        layout: 0, periodStart: CountedShop.start(0), measure: .count, cell: $0.key, delta: $0.value)
                },
                distinct: layout.trackedMargins.flatMap { margin in
                    Dictionary(
                        cells.map { (layout.projection(from: layout.leaf, to: margin)($0.key), $0.value) },
                        uniquingKeysWith: +
                    ).map {
                        DistinctDelta(
                            layout: 0, periodStart: CountedShop.start(0), margin: margin, cell: $0.key, window: window,
                            delta: $0.value)
                    }
                })
            _ = try await counters.flush(flush, now: CountedShop.start(0) + 3600)
        }

        /// Whether what few devices did is released by a plan.
        func releasesFew(by plan: Plan) async throws -> Bool {
            _ = try await shop.releases.releaseDue(of: plan, now: CountedShop.start(1) + 3 * 3600)
            let day = CountedShop.period(0)
            let releases = try await shop.store.releases(
                app: "shop", metric: "all", periodKind: .day, from: day.start, to: day.end)
            let release = try #require(releases.first)
            #expect(!release.cells.isEmpty, "what many did is released")
            return release.cells.contains { $0.margin == release.header.layout.leaf && $0.count == 8 }
        }
    }

    @Test("k that is lowered holds as it was while a forgotten daemon counts, however long ago the edit was")
    func lowered() async throws {
        let (former, edited) = (try Self.plan(20), try Self.plan(8))
        let house = try await House(former)
        for daemon in [house.edited, house.forgotten] { try await house.start(former, daemon) }
        #expect(try await house.start(edited, house.edited).isInForce)
        #expect(try await !house.start(former, house.forgotten).isInForce)
        try await house.wait(hours: 48)
        try await house.count()
        #expect(try await !house.releasesFew(by: edited))
    }

    @Test("it is lowered once the forgotten daemon has gone over")
    func wentOver() async throws {
        let (former, edited) = (try Self.plan(20), try Self.plan(8))
        let house = try await House(former)
        for daemon in [house.edited, house.forgotten] { try await house.start(former, daemon) }
        for daemon in [house.edited, house.forgotten] { #expect(try await house.start(edited, daemon).isInForce) }
        try await house.wait(hours: 48)
        try await house.count()
        #expect(try await house.releasesFew(by: edited))
    }

    @Test("k that is raised holds for what a forgotten daemon counts, too, which releases nothing itself")
    func raised() async throws {
        let (former, edited) = (try Self.plan(8), try Self.plan(20))
        let house = try await House(former)
        for daemon in [house.edited, house.forgotten] { try await house.start(former, daemon) }
        try await house.start(edited, house.edited)
        try await house.wait(hours: 48)
        try await house.count()
        #expect(try await !house.releasesFew(by: edited))
    }

    @Test("nor does a release by hand by the former plan go below what the one in force asks")
    func byHand() async throws {
        let (former, edited) = (try Self.plan(8), try Self.plan(20))
        let house = try await House(former)
        for daemon in [house.edited, house.forgotten] { try await house.start(former, daemon) }
        try await house.start(edited, house.edited)
        try await house.wait(hours: 48)
        try await house.count()
        #expect(try await !house.releasesFew(by: former))
    }
}
