import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Promise 6: trouble with one app ends no other app's retention")
struct AppTroubleTests {
    private static let apps: [AppName] = ["kiosk", "shop"]
    private static let end = saturday + day

    /// A released Saturday of two apps, of which one has a promise that nobody can read.
    private struct Houses {
        let retention: RetentionStore
        let admin: Connection

        init() async throws {
            let settings = try await TestCluster.database()
            admin = Connection(settings)
            let store = ReleaseStore(settings)
            retention = RetentionStore(store.connection)
            let terms = ReleaseTerms(
                threshold: .standard, expiry: [DecayStep(after: .seconds(30 * day), action: .delete)])
            for app in AppTroubleTests.apps {
                let layout = MetricLayout.sample(app: app)
                let counters = CounterStore(settings)
                try await counters.registerLayouts([layout], terms: [layout: terms])
                _ = try await counters.attach(daemon: .new)
                _ = try await counters.flush(
                    .of(layout, after: 0, through: 1, count: 90, devices: 45, margins: layout.trackedMargins),
                    now: saturday)
                let header = layout.header(.day(saturday), groupings: [.total])
                _ = try await store.release(header)
            }
            try await admin.execute(
                """
                update throng.layout_promise set actions = '{melt}'
                where metric_id = (select metric_id from throng.metric_layout where app = 'kiosk')
                """)
        }

        func cells(of app: AppName) async throws -> Int64 {
            try await admin.integer(
                """
                select count(*) from throng.released_cell join throng.release using (release_id) where app = '\(app)'
                """)
        }
    }

    @Test("the other's numbers go, and which app was left is said, with why")
    func expire() async throws {
        let houses = try await Houses()
        let outcome = try await houses.retention.expire(plans: [], now: Self.end + 31 * day)
        #expect(try await houses.cells(of: "shop") == 0)
        #expect(try await houses.cells(of: "kiosk") > 0)
        #expect(outcome.troubles.map(\.app) == ["kiosk"] && outcome.cells > 0)
        #expect(outcome.troubles.allSatisfy { $0.reason.contains("layout_promise.select") })
        let copies = try await houses.retention.agedCopies([], now: Self.end + 31 * day)
        #expect(copies.troubles.map(\.app) == ["kiosk"])
    }

    @Test("what is overdue is told of the app that is left, too, by what is known without its promises")
    func outlook() async throws {
        let houses = try await Houses()
        let outlook = try await houses.retention.outlook([])
        #expect(outlook.troubles.map(\.app) == ["kiosk"])
        #expect(outlook.due.map(\.app) == ["shop", "kiosk"])
        #expect(outlook.due.map { ($0.at - Self.end) / day } == [30, 400])
        let plan = Plan.sample(decay: [DecayStep(after: .seconds(30 * day), action: .delete)], app: "kiosk")
        let known = try await houses.retention.outlook([plan]).due.first { $0.app == "kiosk" }
        #expect(known.map { ($0.at - Self.end) / day } == 30)
    }

    @Test("where PostgreSQL is away nothing is told of any app")
    func away() async throws {
        let houses = try await Houses()
        houses.retention.connection.close()
        await #expect(throws: PostgresError.self) { try await houses.retention.outlook([]) }
    }
}
