import TestCluster
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport

@testable import ThrongStore

@Suite("Analysts' views have the rows that reports have, and say of which splits nothing is published")
struct ShownRowTests {
    private static let period = PeriodCalendar.utc.period(labelled: "2026-11-19")

    private static func plan(events: String, spread: String = "size") throws -> Plan {
        try Plan(
            yaml: """
                app: {name: notes, title: Notes, owner: Team, contact: a@example.com, audience: 100000}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                dimensions:
                  feature: {title: Feature, field: event, list: {Writing: [created, edited], Sharing: [shared]}}
                  kind: {title: Kind, of: feature, groups: {All: [Writing, Sharing]}}
                  half: {title: Half, of: feature, groups: {Part: [Writing]}}
                  hour: {title: Hour, time: hour}
                  store: {title: Store, field: store, list: [apple]}
                metrics:
                  use: {title: Use, events: \(events), question: How much?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, dimensions: [feature, hour, store], period: day,
                    margins: [[feature], [kind], [half], [hour], [store], [feature, store], [sizes], [kind, sizes]],
                    measures: {sums: {size: {field: size, from: 0, to: 9, decimals: 0, unit: KB}},
                    histogram: {name: sizes, field: \(spread), edges: [1, 5], unit: KB}}}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// A release of a plan's metric as the database has it: of all cells, those that are named are published.
    private static func release(
        _ plan: Plan, _ owner: Connection, publishing cells: [(margin: Margin, cell: CellIndex)] = []
    ) async throws -> ReleaseHeader {
        let metric = try #require(plan.metrics.first)
        let header = ReleaseHeader(
            plan: plan, metric: metric, layout: try plan.layout(of: metric, rules: .system),
            period: try #require(period))
        let layout = String(decoding: header.layout.json, as: UTF8.self)
        let shown = cells.map {
            "((select release_id from made), \($0.margin.bits), \($0.cell.value), '{}', 30, '{0}', 3, '{0}')"
        }
        try await owner.execute(
            """
            with made as (
                insert into throng.release
                    (metric_id, app, metric, period_kind, period_start, period_end, threshold, plan, header, digest)
                select metric_id, app, metric, 1, to_timestamp(\(header.period.start)),
                    to_timestamp(\(header.period.end)), 20, 'ab',
                    $header$\(String(decoding: header.json, as: UTF8.self))$header$, sha256('')
                from throng.metric_layout where layout::text = $layout$\(layout)$layout$
                returning release_id
            )
            insert into throng.released_cell (release_id, margin, cell, buckets, count, sums, count_margin, sum_margins)
            \(shown.isEmpty ? "select release_id, 0, 0, '{}', 90, '{0}', 3, '{0}' from made" : "values \(shown.joined(separator: ", "))")
            """)
        return header
    }

    /// What the rows of each margin are split into, as reports would have it.
    private static func rows(_ header: ReleaseHeader, without closed: Set<Int>) -> [String] {
        let layout = header.layout
        return header.groupings.flatMap { margin -> [String] in
            let kept = layout.dimensions.indices.filter(margin.keeps)
            return (0..<UInt32(layout.size(of: margin))).compactMap { cell in
                let buckets = layout.buckets(of: CellIndex(cell), in: margin)
                let isClosed = zip(kept, buckets).contains { place, bucket in
                    closed.contains(place) && bucket == layout.dimensions[place].labels.count - 1
                }
                if isClosed { return nil }
                return zip(kept, buckets).map { "\(layout.dimensions[$0].name)=\(layout.dimensions[$0].labels[$1])" }
                    .joined(separator: " ")
            }
        }
    }

    private static func rows(_ connection: Connection, _ header: ReleaseHeader) async throws -> [String] {
        let columns = header.layout.dimensions.map(\.name)
        let named = columns.map { "case when \($0) <> '(all)' then '\($0)=' || \($0) end" }.joined(separator: ", ")
        return try await connection.texts("select concat_ws(' ', \(named)) from analyst.notes_use")
    }

    private static let every = "[created, edited, shared]"

    @Test(
        "an other that nothing can land in is no row, and no bucket of the catalogue",
        arguments: [
            (every, "size", ["feature", "kind", "hour", "sizes"]),
            (every, "words", ["feature", "kind", "hour"]),
            ("[created, edited, shared, deleted]", "size", ["hour", "sizes"]),
        ])
    func closed(events: String, spread: String, expected: [String]) async throws {
        let settings = try await TestCluster.database()
        let owner = Connection(settings)
        let plan = try Self.plan(events: events, spread: spread)
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        try await CounterStore(settings).registerLayouts([layout], terms: [layout: plan.releaseTerms(of: metric)])
        let header = try await Self.release(plan, owner)
        let closed = plan.closedDimensions(of: header)
        #expect(closed.map { layout.dimensions[$0].name.text }.sorted() == expected.sorted())
        let analyst = Connection(settings.acting(as: .analyst))
        #expect(try await Self.rows(analyst, header) == Self.rows(header, without: closed))
        let others = "select dimension from analyst.buckets where bucket = 'other' order by 1"
        let open = layout.dimensions.map(\.name.text).filter { !expected.contains($0) }
        #expect(try await analyst.texts(others) == open.sorted())
    }

    @Test("where plans gave a layout several fields, or nobody kept them, rows stay; a published number always has one")
    func open() async throws {
        let settings = try await TestCluster.database()
        let owner = Connection(settings)
        let plan = try Self.plan(events: Self.every)
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        let other = try Self.plan(events: Self.every, spread: "words")
        #expect(try other.layout(of: try #require(other.metrics.first), rules: .system) == layout)
        let counters = CounterStore(settings)
        for edited in [plan, other] {
            let metric = try #require(edited.metrics.first)
            try await counters.registerLayouts([layout], terms: [layout: edited.releaseTerms(of: metric)])
        }
        let hours = Margin(keeping: [1])
        let last = CellIndex(UInt32(layout.size(of: hours) - 1))
        let header = try await Self.release(plan, owner, publishing: [(hours, last)])
        let analyst = Connection(settings.acting(as: .analyst))
        let places = Dictionary(uniqueKeysWithValues: layout.dimensions.enumerated().map { ($1.name.text, $0) })
        let closed = Set(["feature", "kind", "hour"].compactMap { places[$0] })
        let expected = Self.rows(header, without: closed) + ["hour=other"]
        #expect(try await Self.rows(analyst, header).sorted() == expected.sorted())
        // Where nobody kept them only the time is known to have no other.
        try await owner.execute(
            """
            update throng.layout_terms set origins = null;
            """)
        try await owner.execute("select throng.forget_shown(release_id, '*') from throng.release")
        try await owner.execute("select throng.describe_release(release_id) from throng.release")
        let times = Self.rows(header, without: [try #require(places["hour"])]) + ["hour=other"]
        #expect(try await Self.rows(analyst, header).sorted() == times.sorted())
    }

    @Test("a split of which nothing is published is left out of its period; the total is not a split")
    func leftOut() async throws {
        let settings = try await TestCluster.database()
        let owner = Connection(settings)
        let plan = try Self.plan(events: Self.every)
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        try await CounterStore(settings).registerLayouts([layout])
        let feature = Margin(keeping: [0])
        let header = try await Self.release(plan, owner, publishing: [(feature, CellIndex(1))])
        let analyst = Connection(settings.acting(as: .analyst))
        let found = try await analyst.texts(
            "select concat_ws(' ', view_name, period_kind, period_start::date, margin) from analyst.left_out")
        let missing = header.groupings.filter { $0 != feature && $0 != .total }.map { margin in
            let names = layout.dimensions.indices.filter(margin.keeps).map { layout.dimensions[$0].name.text }
            return "notes_use day 2026-11-19 \(names.joined(separator: ", "))"
        }
        #expect(found.sorted() == missing.sorted())
        #expect(missing.count == 7)
    }
}
