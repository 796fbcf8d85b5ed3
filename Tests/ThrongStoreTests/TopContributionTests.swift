import TestCluster
import Testing
import ThrongCounting
import ThrongPlan
import ThrongRelease

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("The two largest contributions reach the release whole, once, and stay no longer")
struct TopContributionTests {
    private let layout = MetricLayout.sample()

    /// A flush of one counter and these pairs, for the layout's leaf.
    private func flush(
        _ step: UInt64, at start: UnixSeconds = saturday, _ pairs: [(cell: UInt32, window: Int64, pair: [Int64])],
        devices: [UInt32: Int64] = [:]
    ) -> Flush {
        let counted = Flush.of(layout, after: step - 1, through: step, at: start)
        return Flush(
            after: counted.after, through: counted.through, layouts: counted.layouts, counters: counted.counters,
            distinct: devices.sorted { $0.key < $1.key }.map {
                DistinctDelta(
                    layout: 0, periodStart: start, margin: layout.leaf, cell: CellIndex($0.key),
                    window: WindowNumber(7), delta: $0.value)
            },
            top: pairs.map {
                TopContribution(
                    layout: 0, periodStart: start, margin: layout.leaf, cell: CellIndex($0.cell), measure: .sum(0),
                    window: WindowNumber($0.window), largest: $0.pair[0], second: $0.pair[1])
            })
    }

    private func attached(_ settings: ConnectionSettings) async throws -> CounterStore {
        let store = CounterStore(settings)
        _ = try await store.attach(daemon: .new)
        return store
    }

    /// Releases a day and returns what it read of contributions, as "cell window: largest, second".
    private func released(_ settings: ConnectionSettings, at start: UnixSeconds = saturday) async throws -> [String] {
        let layout = layout
        let (pairs, report) = AsyncStream.makeStream(of: [StoredTop].self)
        _ = try await ReleaseStore(settings).release(layout, .day(start)) { cube in
            report.yield(cube.top)
            let header = layout.header(cube.period, groupings: [.total, layout.leaf])
            return try ReleaseCase(header: header, parts: [cube]).decide()
        }
        report.finish()
        var found: [StoredTop] = []
        for await some in pairs { found += some }
        #expect(found.allSatisfy { $0.margin == layout.leaf && $0.measure == .sum(0) })
        return found.map { "\($0.cell.value) \($0.window.value): \($0.largest), \($0.second)" }.sorted()
    }

    private func rows(_ settings: ConnectionSettings) async throws -> Int64 {
        try await Connection(settings).integer("select count(*) from throng.top_contribution")
    }

    @Test("a pair replaces the daemon's earlier one, never shrinks, and a repeated flush changes nothing")
    func replaced() async throws {
        let settings = try await TestCluster.database()
        let store = try await attached(settings)
        let first = flush(1, [(0, 7, [50, 10]), (0, 8, [5, 0]), (1, 7, [0, 0])])
        #expect(try await store.flush(first, now: saturday).topContributions == 3)
        #expect(try await store.flush(first, now: saturday).application == .alreadyApplied)
        _ = try await store.flush(flush(2, [(0, 7, [80, 50]), (0, 8, [3, 3])]), now: saturday)
        // A row that comes twice in one flush is one row.
        _ = try await store.flush(flush(3, [(1, 7, [1, 0]), (1, 7, [2, 1])]), now: saturday)
        #expect(try await rows(settings) == 3)
        #expect(try await released(settings) == ["0 7: 80, 50", "0 8: 5, 3", "1 7: 2, 1"])
    }

    @Test("several daemons' pairs are merged to the two largest of all; none is added to another")
    func daemons() async throws {
        let settings = try await TestCluster.database()
        let pairs: [[Int64]] = [[50, 10], [40, 40], [45, 0]]
        for pair in pairs {
            _ = try await attached(settings).flush(flush(1, [(0, 7, pair), (2, 7, [.max, .max])]), now: saturday)
        }
        #expect(try await rows(settings) == 6)
        #expect(try await released(settings) == ["0 7: 50, 45", "2 7: \(Int64.max), \(Int64.max)"])
    }

    @Test("random pairs of three daemons, flushed in random portions, read back as the oracle's two largest")
    func oracle() async throws {
        let settings = try await TestCluster.database()
        var random = SystemRandomNumberGenerator()
        var oracle: [String: [Int64]] = [:]
        for _ in 0..<3 {
            let store = try await attached(settings)
            var known: [String: [Int64]] = [:]
            for step in 1...4 {
                var pairs: [String: (cell: UInt32, window: Int64, pair: [Int64])] = [:]
                for _ in 0..<200 {
                    let cell = UInt32.random(in: 0..<9, using: &random)
                    let window = Int64.random(in: 0..<20, using: &random)
                    let before = known["\(cell) \(window)", default: [0, 0]]
                    let more = (before + [.random(in: 0...1000, using: &random)]).sorted(by: >)
                    known["\(cell) \(window)"] = Array(more.prefix(2))
                    pairs["\(cell) \(window)"] = (cell, window, Array(more.prefix(2)))
                }
                _ = try await store.flush(flush(UInt64(step), Array(pairs.values)), now: saturday)
            }
            for (place, pair) in known { oracle[place, default: []] += pair }
        }
        let expected = oracle.map { place, all in
            let sorted = all.sorted(by: >)
            return "\(place): \(sorted[0]), \(sorted[1])"
        }
        #expect(try await released(settings) == expected.sorted())
    }

    @Test("the release deletes its period's pairs and no others; late ones follow their sums into the open period")
    func late() async throws {
        let settings = try await TestCluster.database()
        let store = try await attached(settings)
        _ = try await store.flush(flush(1, [(0, 7, [50, 10])]), now: saturday)
        _ = try await store.flush(flush(2, at: saturday + day, [(0, 7, [20, 15])]), now: saturday + day)
        #expect(try await released(settings) == ["0 7: 50, 10"])
        #expect(try await rows(settings) == 1)
        // Nobody knows whether the late contributor is among the open period's: the pairs are added, to be safe.
        _ = try await store.flush(flush(3, [(0, 7, [60, 10])]), now: saturday + day)
        _ = try await store.flush(flush(4, [(0, 7, [61, 10])]), now: saturday + day)
        #expect(try await released(settings, at: saturday + day) == ["0 7: 81, 25"])
        #expect(try await rows(settings) == 0)
    }

    @Test("where somebody is taken out, a pair of nothing goes with the last device that it is of, and not before")
    func ofNothing() async throws {
        let settings = try await TestCluster.database()
        let store = try await attached(settings)
        // Devices that add nothing are known to: without their pair the release would take them to have added anything.
        _ = try await store.flush(flush(1, [(0, 7, [0, 0]), (1, 7, [0, 0])], devices: [0: 2, 1: 1]), now: saturday)
        _ = try await store.flush(flush(2, [], devices: [0: -1, 1: -1]), now: saturday)
        #expect(try await rows(settings) == 1)
        #expect(try await released(settings) == ["0 7: 0, 0"])
    }

    @Test("pairs of a period that nobody releases go when the period is given up, not before")
    func abandoned() async throws {
        let settings = try await TestCluster.database()
        _ = try await attached(settings).flush(flush(1, [(0, 7, [50, 10])]), now: saturday)
        let store = RetentionStore(.reporting(settings))
        _ = try await store.expire(plans: [.sample(decay: [])], now: saturday + 300 * day)
        #expect(try await rows(settings) == 1)
        _ = try await store.expire(plans: [.sample(decay: [])], now: saturday + 402 * day)
        #expect(try await rows(settings) == 0)
    }

    @Test("the daemon's role can't delete pairs, the reporter's can't write them, an analyst sees none")
    func roles() async throws {
        let settings = try await TestCluster.database()
        let denied: [(DatabaseRole, String)] = [
            (.ingest, "delete from throng.top_contribution"),
            (.reporter, "update throng.top_contribution set largest = 0"),
            (.reporter, "insert into throng.top_contribution default values"),
            (.analyst, "select * from throng.top_contribution"),
        ]
        for (role, sql) in denied {
            do {
                try await Connection(settings.acting(as: role)).execute(sql)
                Issue.record("allowed: \(sql)")
            } catch let error as PostgresError {
                #expect(error.sqlState == SQLState("42501"), "\(sql): \(error)")
            }
        }
    }
}
