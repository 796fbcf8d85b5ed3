import Synchronization
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongWire

@testable import ThrongStore

@Suite("Labels: PostgreSQL decides which value has which slot, once for all daemons")
struct LabelStoreTests {
    private static func learn(
        _ label: BucketLabel, _ store: LabelStore, most: Int = 5, app: AppName = "shop"
    ) async throws -> Int? {
        try await store.learn(label, of: "query", app: app, most: most)
    }

    private static func labels(_ store: LabelStore) async throws -> [LearnedLabel] {
        let found = Mutex<[LearnedLabel]>([])
        try await store.read(app: "shop") { labels, _ in found.withLock { $0 = labels } }
        return found.withLock { $0 }
    }

    @Test("eight daemons that learn the same labels at once agree on their slots, and each slot has one label")
    func agreement() async throws {
        let settings = try await TestCluster.database()
        let words: [BucketLabel] = ["pie", "tart", "cake", "apple pie", "Käsekuchen"]
        let slots = try await withThrowingTaskGroup(of: [BucketLabel: Int?].self) { group in
            for number in 0..<8 {
                group.addTask {
                    let store = LabelStore(settings)
                    var slots: [BucketLabel: Int?] = [:]
                    for word in words.shuffled() { slots[word] = try await Self.learn(word, store) }
                    #expect(slots.count == words.count, "daemon \(number)")
                    return slots
                }
            }
            return try await group.reduce(into: [[BucketLabel: Int?]]()) { $0.append($1) }
        }
        #expect(Set(slots).count == 1)
        #expect(Set(slots[0].values.compactMap { $0 }) == Set(0..<5))
        #expect(try await Self.labels(LabelStore(settings)).count == 5)
    }

    @Test("where every slot has a label, another gets none; the same one in another app does")
    func full() async throws {
        let store = LabelStore(try await TestCluster.database())
        #expect(try await Self.learn("pie", store, most: 2) != nil)
        #expect(try await Self.learn("tart", store, most: 2) != nil)
        #expect(try await Self.learn("cake", store, most: 2) == nil)
        #expect(try await Self.learn("pie", store, most: 2) != nil)
        #expect(try await Self.learn("cake", store, most: 2, app: "mall") != nil)
        #expect(try await Self.labels(store).map(\.label.text).sorted() == ["pie", "tart"])
    }

    @Test("a lost label comes back to its slot, unless another has it by now")
    func restore() async throws {
        let settings = try await TestCluster.database()
        let store = LabelStore(settings)
        let slot = try #require(try await Self.learn("pie", store))
        try await Connection(settings).execute("delete from throng.revealed_label")
        let lost = LearnedLabel(dimension: "query", slot: slot, label: "pie", isRetired: false)
        try await store.read(app: "shop") { labels, restore in
            let others = [
                LearnedLabel(dimension: "query", slot: slot, label: "tart", isRetired: false),
                LearnedLabel(dimension: "query", slot: slot + 1, label: "pie", isRetired: false),
            ]
            // The second time it is there.
            let restored = try ([lost, lost] + others).map(restore)
            #expect(labels.isEmpty)
            #expect(restored == [true, true, false, false])
        }
        #expect(try await Self.labels(store) == [lost])
        // And one that is learned anew begins to look where it was.
        try await Connection(settings).execute("delete from throng.revealed_label")
        #expect(try await Self.learn("pie", store) == slot)
    }

    @Test("what an evaluator makes of a label is kept with its key, replaced by what is learned later, and restored")
    func evaluated() async throws {
        let settings = try await TestCluster.database()
        let store = LabelStore(settings)
        func made(_ byte: UInt8) throws -> EvaluatedLabel {
            EvaluatedLabel(
                evaluator: EvaluatorKey(point: [2] + Array(repeating: byte, count: 32)),
                output: try #require(EvaluatedOutput(bytes: Array(repeating: byte, count: 32))))
        }
        // As it was learned before there was an evaluator.
        let slot = try #require(try await Self.learn("pie", store))
        #expect(try await Self.labels(store).map(\.evaluated) == [nil])
        for byte in [1, 2] as [UInt8] {
            let again = try await store.learn("pie", of: "query", app: "shop", most: 5, evaluated: try made(byte))
            #expect(again == slot)
            #expect(try await Self.labels(store).map(\.evaluated) == [try made(byte)])
        }
        let lost = try await Self.labels(store)
        try await Connection(settings).execute("delete from throng.revealed_label")
        try await store.read(app: "shop") { _, restore in
            let restored = try lost.map(restore)
            #expect(restored == [true])
        }
        #expect(try await Self.labels(store) == lost)
        // Without an evaluator what is known stays.
        #expect(try await Self.learn("pie", store) == slot)
        #expect(try await Self.labels(store) == lost)
    }

    private static let plan = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: RETENTION days}
        dimensions:
          query: {title: Query, field: query, revealed: {most: 5}}
        metrics:
          searches: {title: S, events: [search], dimensions: [query], purpose: product, question: What?,
            decision: That., owner: Team, expires: 2027-10-31, period: day}
        """

    private static func plan(retention: Int) throws -> Plan {
        try Plan(
            yaml: plan.replacing("RETENTION", with: "\(retention)"), file: "plan.yaml",
            today: CalendarDate(daysSince1970: 20_777))
    }

    @Test("a label of which nothing is published as long as numbers are kept is retired, and goes a hundred days later")
    func retirement() async throws {
        let settings = try await TestCluster.database()
        let store = LabelStore(settings)
        let retention = RetentionStore(.reporting(settings))
        let connection = Connection(settings)
        let plan = try Self.plan(retention: 200)
        let slot = try await Self.learn("pie", store)
        let learned = try await connection.integer(
            "select extract(epoch from learned_at)::bigint from throng.revealed_label")
        func expire(after days: Int64) async throws -> [Bool] {
            _ = try await retention.expire(plans: [plan], now: UnixSeconds(learned + days * day))
            return try await Self.labels(store).map(\.isRetired)
        }
        #expect(try await expire(after: 199) == [false])
        try await connection.execute("update throng.revealed_label set published_at = learned_at + interval '50 days'")
        #expect(try await expire(after: 249) == [false])
        #expect(try await expire(after: 251) == [true])
        #expect(try await expire(after: 350) == [true])
        // Learned once more it is counted under again, in the slot that it still has.
        #expect(try await Self.learn("pie", store) == slot)
        #expect(try await Self.labels(store).map(\.isRetired) == [false])
        try await connection.execute(
            "update throng.revealed_label set learned_at = to_timestamp(\(learned)), published_at = null")
        #expect(try await expire(after: 251) == [true])
        #expect(try await expire(after: 352) == [])
    }

    @Test("a retired label stays as long as something that was counted under it is to be released")
    func openPeriods() async throws {
        let settings = try await TestCluster.database()
        let store = LabelStore(settings)
        let retention = RetentionStore(.reporting(settings))
        let plan = try Self.plan(retention: 200)
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        _ = try await Self.learn("pie", store)
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        _ = try await counters.flush(.of(layout, after: 0, through: 1), now: saturday + 3600)
        let connection = Connection(settings)
        try await connection.execute(
            """
            update throng.revealed_label
            set learned_at = to_timestamp(\(saturday)), retired_at = to_timestamp(\(saturday))
            """)
        _ = try await retention.expire(plans: [plan], now: saturday + 150 * day)
        #expect(try await Self.labels(store).map(\.isRetired) == [true])
        try await connection.execute("delete from throng.open_period")
        _ = try await retention.expire(plans: [plan], now: saturday + 150 * day)
        #expect(try await Self.labels(store).isEmpty)
    }

    @Test("the daemon's role learns through the function only, the reporter's can't learn, analysts see nothing")
    func roles() async throws {
        let settings = try await TestCluster.database()
        _ = try await Self.learn("pie", LabelStore(settings))
        let denied = SQLState("42501")
        func expectDenied(_ role: DatabaseRole, _ sql: String) async throws {
            do {
                try await Connection(settings.acting(as: role)).execute(sql)
                Issue.record("allowed: \(sql)")
            } catch let error as PostgresError {
                #expect(error.sqlState == denied, "\(sql): \(error)")
            }
        }
        let insert = "insert into throng.revealed_label (app, dimension, slot, label) values ('shop', 'query', 4, 'x')"
        for role in [DatabaseRole.ingest, .reporter, .analyst] { try await expectDenied(role, insert) }
        try await expectDenied(.ingest, "update throng.revealed_label set label = 'x'")
        try await expectDenied(.ingest, "delete from throng.revealed_label")
        try await expectDenied(.reporter, "update throng.revealed_label set label = 'x'")
        try await expectDenied(.reporter, "select throng.learn_label('shop', 'query', 5, 'x')")
        try await expectDenied(.analyst, "select * from throng.revealed_label")
        try await expectDenied(.analyst, "select throng.learn_label('shop', 'query', 5, 'x')")
    }
}
