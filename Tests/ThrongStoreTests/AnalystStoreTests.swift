import Foundation
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Analysts' questions are answered as the role throng_analyst")
struct AnalystStoreTests {
    private static let wording = "withheld: it stands for too few people"

    /// Two days of orders; on each, one platform's payments are too few.
    private func released(_ settings: ConnectionSettings) async throws {
        let layout = MetricLayout.sample()
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        var position: UInt64 = 0
        for start in [saturday, saturday + day] {
            for (cell, count, devices) in [(UInt32(0), Int64(50), Int64(25)), (3, 40, 30), (4, 3, 3), (6, 60, 40)] {
                let flush = Flush.of(
                    layout, after: position, through: position + 1, at: start, cell: cell, count: count,
                    devices: devices, margins: layout.trackedMargins)
                position += 1
                _ = try await counters.flush(flush, now: start)
            }
            _ = try await ReleaseStore(settings).release(
                layout.header(.day(start), groupings: [.total, Margin(keeping: [0]), layout.leaf]))
        }
    }

    @Test("the catalogue says what is released, in which columns, with which buckets in the plan's order")
    func catalogue() async throws {
        let settings = try await TestCluster.database()
        try await released(settings)
        let store = AnalystStore(settings)
        let metrics = try await store.metrics()
        let metric = try #require(metrics.first)
        #expect(metrics.count == 1 && metric.view == "shop_orders" && metric.dimensions == ["platform", "step"])
        #expect(metric.sizes == [3, 3] && metric.steps == nil)
        #expect(metric.spans == [.init(kind: .day, periods: 2, start: saturday, end: saturday + 2 * day)])
        let shape = try await store.shape(of: metric, kind: .day)
        #expect(shape.dimensions.map(\.name) == ["platform", "step"])
        #expect(shape.dimensions.map(\.buckets) == [["android", "ios", "other"], ["cart", "paid", "other"]])
        #expect(shape.measures.map(\.kind) == [.count, .sum("revenue"), .devices])
        #expect(shape.measures[1].comment.hasSuffix("Unit: EUR."))
        #expect(shape.margins.map(\.name) == ["(total)", "platform", "platform, step"])
        #expect(shape.releases.map(\.period) == [.day(saturday), .day(saturday + day)])
        #expect(shape.releases.allSatisfy { $0.threshold == 20 && $0.sampling == "1" })
        #expect(shape.releases.allSatisfy { $0.hasDevices })
        #expect(shape.margins.map(\.view) == ["total", "by_platform", "by_platform_step"].map { "shop_orders_\($0)" })
        #expect(shape.margins.allSatisfy { $0.isTold && shape.measures(of: $0) == shape.measures })
        #expect(shape.measures.map { $0.beside?.margin } == ["events_margin", "revenue_margin", "devices_margin"])
        #expect(shape.measures.map { $0.beside?.reason } == ["withheld", "withheld", "devices_withheld"])
        #expect(try await store.shape(of: metric, kind: .week).releases.isEmpty)
    }

    @Test(
        "the rows are those that the pasted query gives as throng_analyst, in the plan's order, withheld ones in their places"
    )
    func rows() async throws {
        let settings = try await TestCluster.database()
        try await released(settings)
        let store = AnalystStore(settings)
        let metric = try #require(try await store.metrics().first)
        let shape = try await store.shape(of: metric, kind: .day)
        for margin in shape.margins {
            for filters in [[], [AnalystQuestion.Filter(column: "platform", bucket: "ios")]] {
                guard filters.allSatisfy({ margin.columns.contains($0.column) }) else { continue }
                let question = AnalystQuestion(
                    margin: margin, measures: shape.measures, starts: saturday...saturday + day, filters: filters,
                    shape: shape)
                let rows = try await store.rows(of: question)
                #expect(try await store.count(of: question) == rows.count)
                let labels = shape.dimensions.filter { margin.columns.contains($0.name) }.map { column in
                    filters.first { $0.column == column.name }.map { [$0.bucket] } ?? column.buckets
                }
                let combined = labels.reduce([[]]) { all, next in all.flatMap { one in next.map { one + [$0] } } }
                #expect(rows.map(\.buckets) == combined + combined)
                let pasted = question.sql.replacing(";", with: "")
                let texts = try await Connection(settings.acting(as: .analyst)).texts(
                    """
                    select concat_ws(
                        '|', period, local_date, extract(epoch from period_start)::bigint, events, events_margin, revenue,
                        revenue_margin, devices, devices_margin, withheld, devices_withheld)
                    from (\(pasted)) as pasted
                    """)
                let found = rows.map { row in
                    func digits(_ units: Int128, _ places: Int) -> String {
                        let digits = String(units)
                        guard places > 0 else { return digits }
                        let padded = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
                        return "\(padded.dropLast(places)).\(padded.suffix(places))"
                    }
                    let numbers = row.numbers.compactMap(\.self).flatMap { number in
                        [number.units, number.within ?? -1].map { digits($0, number.places) }
                    }
                    let reasons = row.reasons.compactMap(\.self)
                    return ([row.period, "\(row.date)", "\(row.start)"] + numbers + reasons).joined(separator: "|")
                }
                #expect(found == texts)
                #expect(rows.allSatisfy { ($0.withheld == Self.wording) == ($0.numbers[0] == nil) })
            }
        }
    }

    @Test("rows in a measure's order have those without a number last, in the plan's order")
    func order() async throws {
        let settings = try await TestCluster.database()
        try await released(settings)
        let store = AnalystStore(settings)
        let metric = try #require(try await store.metrics().first)
        let shape = try await store.shape(of: metric, kind: .day)
        let margin = try #require(shape.margins.last)
        let question = AnalystQuestion(
            margin: margin, measures: shape.measures, starts: saturday...saturday, filters: [], shape: shape,
            order: shape.count)
        let rows = try await store.rows(of: question)
        let told = rows.prefix { $0.withheld == nil }
        #expect(told.map(\.buckets) == [["other", "cart"], ["android", "cart"], ["ios", "cart"]])
        let plain = AnalystQuestion(
            margin: margin, measures: shape.measures, starts: saturday...saturday, filters: [], shape: shape)
        let withheld = try await store.rows(of: plain).filter { $0.withheld != nil }
        #expect(Array(rows.dropFirst(told.count)) == withheld && withheld.count == 6)
    }

    @Test("numbers of any size and sign are read as PostgreSQL writes them")
    func numerics() async throws {
        let texts = [
            "0", "0.00", "1", "-1", "10000", "12345678.90", "-0.05", "100000000", "0.000001",
            "99999999999999999999.999999",
            "10000.0001", "-123456789012345678901234.5", "20000000000000000",
        ]
        let connection = Connection(try await TestCluster.emptyDatabase())
        for text in texts {
            let number = try await connection.run { session in
                try session.query("test.numeric", "select '\(text)'::numeric").read { try $0.numeric() }.first ?? nil
            }
            let digits = text.filter { $0 != "." && $0 != "-" }
            #expect(number?.units == Int128(text.hasPrefix("-") ? "-\(digits)" : digits), "\(text)")
            #expect(number?.places == text.split(separator: ".").dropFirst().first?.count ?? 0)
        }
        for text in ["NaN", "Infinity", "1e60"] {
            let number = try await connection.run { session in
                try session.query("test.numeric", "select '\(text)'::numeric").read { try $0.numeric() }.first ?? nil
            }
            #expect(number == nil, "\(text)")
        }
    }

    @Test("a question can't write, can't read counters, and ends after its time", .timeLimit(.minutes(40)))
    func confined() async throws {
        let settings = try await TestCluster.database()
        try await released(settings)
        let store = AnalystStore(settings)
        #expect(try await store.metrics().count == 1)
        try await Connection(settings).execute("revoke select on analyst.metrics from throng_analyst")
        await #expect { _ = try await store.metrics() } throws: { error in
            (error as? PostgresError)?.sqlState == SQLState("42501")
        }
        try await Connection(settings).execute("grant select on analyst.metrics to throng_analyst")
        let blocker = Connection(
            ConnectionSettings(connectionString: settings.connectionString, statementTimeoutSeconds: 7200))
        let isLocked = AsyncStream<Void>.makeStream()
        let waits = "select count(*) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))"
        // Looked at from a thread of its own: a test may have to wait for its turn.
        async let waited: Duration = blocker.run { session in
            try session.transaction {
                try session.query("test.lock", "lock table throng.release")
                isLocked.continuation.finish()
                while try session.query("test.waits", waits).integer(0, 0) == 0 { usleep(10_000) }
                let began = ContinuousClock.now
                while try session.query("test.waits", waits).integer(0, 0) > 0 { usleep(10_000) }
                return ContinuousClock.now - began
            }
        }
        for await _ in isLocked.stream {}
        await #expect { _ = try await store.metrics() } throws: { error in
            (error as? PostgresError)?.sqlState == SQLState("57014")
        }
        // Other connections wait for five minutes.
        #expect(try await waited < .seconds(AnalystStore.seconds + 100))
        #expect(try await store.metrics().count == 1)
    }
}
