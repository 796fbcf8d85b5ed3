import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("A house with nothing in each place where there may be nothing is read")
struct BareHouseTests {
    enum House: String, CaseIterable {
        /// No daemon was ever there.
        case empty
        /// A metric without dimensions, sums and reports of an app that nobody receives anything of; nothing was counted.
        case uncounted
        /// The same, counted and released.
        case released
        /// The same, and age took all of it.
        case gone
    }

    private struct RolledBack: Error {}

    private static let layout = MetricLayout(
        app: "shop", metric: "orders", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [], sums: [], contributionBound: 10, groupings: [.total])

    private static func settings(_ house: House) async throws -> ConnectionSettings {
        let settings = try await TestCluster.database()
        guard house != .empty else { return settings }
        let counters = CounterStore(settings)
        let terms = ReleaseTerms(
            threshold: .standard, expiry: [DecayStep(after: .seconds(30 * day), action: .delete)])
        try await counters.registerLayouts([layout], terms: [layout: terms])
        guard house != .uncounted else { return settings }
        _ = try await counters.attach(daemon: .new)
        _ = try await counters.flush(
            .of(layout, after: 0, through: 1, count: 90, devices: 45, margins: layout.trackedMargins), now: saturday)
        let store = ReleaseStore(settings)
        let header = layout.header(.day(saturday), groupings: [.total])
        _ = try await store.release(header)
        guard house != .released else { return settings }
        let outcome = try await RetentionStore(store.connection).expire(plans: [], now: saturday + 500 * day)
        #expect(outcome.cells == 1 && outcome.troubles.isEmpty)
        return settings
    }

    private static func read(_ query: any SampleQuery, _ session: Session) throws {
        do {
            try session.transaction {
                try query.read(session)
                throw RolledBack()
            }
        } catch is RolledBack {
            // What it did is of no interest.
        } catch PostgresError.statementFailed {
            // Its parameters are of nobody: what it would have answered is not read.
        } catch {
            Issue.record("\(query.statement.name): \(error)")
        }
    }

    @Test("every query's answer can be read: none has a null where its type reads a value", arguments: House.allCases)
    func rows(house: House) async throws {
        let connection = Connection(try await Self.settings(house))
        let queries = try QueryParameterTests.all().filter { !($0 is Statement) }
        #expect(queries.count > 80)
        try await connection.run { session in
            for query in queries { try Self.read(query, session) }
        }
    }

    @Test("what age takes, has taken and holds is told", arguments: House.allCases)
    func age(house: House) async throws {
        let settings = try await Self.settings(house)
        let retention = RetentionStore(ReleaseStore(settings).connection)
        let outlook = try await retention.outlook([])
        #expect(outlook.due.count == (house == .released ? 1 : 0) && outlook.troubles.isEmpty)
        let standing = try await retention.standing([])
        #expect(standing.promises.map(\.metric) == (house == .empty ? [] : ["orders"]))
        #expect(try await retention.agedCopies([], now: saturday + 900 * day).copies.isEmpty)
        #expect(try await retention.expire(plans: [], now: saturday + 900 * day).troubles.isEmpty)
        #expect(try await AppStore(Connection(settings)).apps().map(\.name) == (house == .empty ? [] : ["shop"]))
    }

    @Test("a null that no answer may have is named, with its query and column")
    func named() async throws {
        let connection = Connection(try await Self.settings(.uncounted))
        try await connection.execute("alter table throng.metric_layout alter column metric drop not null")
        try await connection.execute("alter table throng.metric_layout disable trigger user")
        try await connection.execute("update throng.metric_layout set metric = null")
        let null = PostgresError.unexpectedNull(query: "layout_promise.select", column: 3, name: "metric")
        await #expect(throws: null) { try await connection.run { try $0.run(Query.selectPromises(app: nil)) } }
        #expect("\(null)".contains("column 3 (metric)"))
    }
}
