import Testing
import ThrongPlan

@Suite("A plan check says what an edit means for periods under way")
struct PlanChangesTests {
    private static func plan(
        name: String = "views", threshold: Int = 20, events: String = "[view]", extra: String = ""
    ) throws -> Plan {
        try Plan(
            yaml: """
                app:
                  {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours,
                  threshold: \(threshold)}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                dimensions:
                  os: {title: System, field: os, list: [ios, android], partitions: devices}
                metrics:
                  \(name):
                    {title: Views, events: \(events), dimensions: [os], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, period: day \(extra)}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    private static func changes(from former: Plan, to plan: Plan) throws -> [String] {
        try plan.changes(from: former, rules: .system)
    }

    @Test("of the same plan, nothing")
    func same() throws { #expect(try Self.changes(from: Self.plan(), to: Self.plan()) == []) }

    @Test("what asks for less comes with a later period, and what asks for more at once")
    func terms() throws {
        let less = try Self.changes(from: Self.plan(), to: Self.plan(threshold: 8))
        #expect(less.count == 1 && less[0].contains("k = 8 holds from the first period that begins an hour or more"))
        let more = try Self.changes(from: Self.plan(), to: Self.plan(threshold: 35, extra: ", sensitive: [os]"))
        #expect(more.count == 2 && more.allSatisfy { $0.contains("at once, also for periods that wait") })
    }

    @Test("other events tie the period under way to what either plan ties it to, and another bound starts new counters")
    func counted() throws {
        let events = try Self.changes(from: Self.plan(), to: Self.plan(events: "[click]"))
        #expect(events.count == 1 && events[0].contains("tied to the metrics that either plan ties it to"))
        let bound = try Self.changes(from: Self.plan(), to: Self.plan(extra: ", contribution_bound: 5"))
        #expect(bound.count == 1 && bound[0].contains("new counters"))
    }

    @Test("a new name of the same events is told from a new metric")
    func renamed() throws {
        let renamed = try Self.changes(from: Self.plan(), to: Self.plan(name: "visits"))
        #expect(renamed.count == 2 && renamed[0].contains("counts what 'views' counted"))
        let other = try Self.changes(from: Self.plan(), to: Self.plan(name: "visits", events: "[visit]"))
        #expect(other.count == 1 && other[0].contains("'views' is gone"))
    }
}
