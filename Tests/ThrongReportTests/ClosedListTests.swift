import Testing
import ThrongPlan
@_spi(Ledger) import ThrongRelease
import ThrongReport

@Suite("a bucket that nothing can land in is no row of a report, so that no withheld number stands for it")
struct ClosedListTests {
    /// - Parameters:
    ///   - events: that the metric counts.
    ///   - released: the events that were counted when it was released; nil is those of the plan.
    ///   - spread: the field of the histogram, beside a sum of `size`.
    private static func document(
        events: String, released: String? = nil, spread: String = "size"
    ) throws -> ReportDocument {
        func plan(_ events: String) throws -> Plan {
            try Plan(
                yaml: """
                    app: {name: notes, title: Notes, owner: Team, contact: a@example.com, audience: 100000}
                    purposes:
                      product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                    dimensions:
                      feature: {title: Feature, field: event, list: {Writing: [created, edited], Sharing: [shared]}}
                      kind: {title: Kind, of: feature, groups: {All: [Writing, Sharing]}}
                      hour: {title: Hour, time: hour}
                      store: {title: Store, field: store, list: [apple]}
                    metrics:
                      use: {title: Use, events: \(events), question: How much?, decision: That., owner: Team,
                        expires: 2027-10-31, purpose: product, dimensions: [feature, hour, store], period: day,
                        measures: {sums: {size: {field: size, from: 0, to: 9, decimals: 0, unit: KB}},
                        histogram: {name: sizes, field: FIELD, edges: [1, 5], unit: KB}}}
                    insights:
                      features: {title: Features, metric: use, kind: count, by: [feature]}
                      kinds: {title: Kinds, metric: use, kind: count, by: [kind]}
                      hours: {title: Hours, metric: use, kind: count, by: [hour]}
                      stores: {title: Stores, metric: use, kind: count, by: [store]}
                      sizes: {title: Sizes, metric: use, kind: distribution}
                    partners:
                      board: {title: Board, contact: b@example.com}
                    reports:
                      daily: {title: Day, partner: board, insights: [features, kinds, hours, stores, sizes], period: day}
                    """.replacing("FIELD", with: spread), file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        }
        let then = try plan(released ?? events)
        let metric = try #require(then.metrics.first)
        let period = try #require(PeriodCalendar.utc.period(labelled: "2026-11-19"))
        let release = try Release(
            decayed: ReleaseHeader(
                plan: then, metric: metric, layout: try then.layout(of: metric, rules: .system), period: period
            ).drawn(within: 28), dropped: [], cells: [])
        let plan = try plan(events)
        return ReportDocument(
            plan: plan, report: try #require(plan.reports.first), period: period, releases: [release])
    }

    private static func rows(_ document: ReportDocument) throws -> [[String]] {
        try document.answers.map { answer in
            let answered = try #require(answer.answered)
            #expect(answered.axes[0].labels == answered.table.rows.map { $0.buckets[0] })
            return answered.table.rows.map { $0.buckets[0].text }
        }
    }

    @Test("lists of every event, what is made of them, hours and bands of what is summed have no row for others")
    func closed() throws {
        let rows = try Self.rows(try Self.document(events: "[created, edited, shared]"))
        #expect(rows[0] == ["Writing", "Sharing"])
        #expect(rows[1] == ["All"])
        #expect(rows[2].count == 24 && rows[2].last == "23")
        #expect(rows[3] == ["apple", "other"])
        #expect(rows[4] == ["<1", "1-5", ">=5"], "an event without a number to sum is refused")
        let other = try Self.rows(try Self.document(events: "[created, edited, shared]", spread: "words"))
        #expect(other[4] == ["<1", "1-5", ">=5", "other"])
    }

    @Test("an event that the list does not have, now or when it was released, keeps the row")
    func open() throws {
        let now = try Self.rows(try Self.document(events: "[created, edited, shared, deleted]"))
        #expect(now[0] == ["Writing", "Sharing", "other"] && now[1] == ["All", "other"])
        let then = try Self.rows(
            try Self.document(events: "[created, edited, shared]", released: "[created, edited, shared, deleted]"))
        #expect(then[0].last == "other")
    }
}
