import Testing

@testable import ThrongPlan

@Suite("Promise 5: a change of the plan says what numbers tell together with those of the same events")
struct PlanDiffTiesTests {
    private static func plan(
        _ metrics: String..., ages: String = "bands: [10, 20]", years: String = "bands: [10, 20]"
    ) throws -> Plan {
        try Plan(
            yaml: """
                app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 300 days}
                dimensions:
                  os: {title: System, field: os, list: [ios, android], partitions: devices}
                  age: {title: Age, field: age, \(ages), partitions: devices}
                  years: {title: Years, field: age, \(years), partitions: devices}
                metrics:
                \(metrics.joined(separator: "\n"))
                """, file: "plan.yaml", today: SamplePlan.today)
    }

    private static func metric(_ name: String, _ events: String, by dimensions: String = "[os]", _ more: String = "")
        -> String
    {
        """
          \(name):
            {title: It, events: \(events), dimensions: \(dimensions), question: What?, decision: That., owner: Team,
            expires: 2027-06-30, purpose: product, period: day\(more)}
        """
    }

    private static func changes(_ old: Plan, _ new: Plan, _ kind: PlanChange.Kind? = nil) throws -> [String] {
        try PlanDiff(from: old, to: new, rules: .system).changes.filter { kind == nil || $0.kind == kind }
            .map { "\($0.subject): \($0.meaning)" }
    }

    private static let views = metric("views", "[view]")

    @Test("a new metric of the same events is named with what gives way; one of other events is not")
    func new() throws {
        let ties = try Self.changes(
            Self.plan(Self.views), Self.plan(Self.views, Self.metric("looks", "[view]", by: "[age]")), .ties)
        #expect(
            ties == [
                """
                the same events: metrics 'views' and 'looks' count the same events of the same clients: whichever is \
                released later withholds what would tell the others' withheld numbers
                """
            ])
        #expect(
            try Self.changes(Self.plan(Self.views), Self.plan(Self.views, Self.metric("taps", "[tap]")), .ties) == [])
    }

    @Test("ties that were there before are no news, also where another metric goes")
    func known() throws {
        let (looks, visits) = (Self.metric("looks", "[view]", by: "[age]"), Self.metric("visits", "[view, tap]"))
        let all = try Self.plan(Self.views, looks, visits)
        #expect(try Self.changes(all, Self.plan(Self.views, looks), .ties) == [])
        #expect(try Self.changes(all, Self.plan(Self.views, visits), .ties) == [])
        #expect(
            try Self.changes(Self.plan(Self.views, visits), all, .ties).count == 2, "with its twin, and with the whole")
    }

    @Test("edges that cut one field in two ways tell pieces that neither has")
    func pieces() throws {
        let metrics = [Self.metric("views", "[view]", by: "[age]"), Self.metric("looks", "[view]", by: "[years]")]
        let ties = try Self.changes(
            Self.plan(metrics[0], metrics[1]), Self.plan(metrics[0], metrics[1], years: "bands: [10, 25]"), .ties)
        #expect(
            ties.contains {
                $0.contains(
                    """
                    ('age' and 'years' split 'age' in two ways, and the piece that neither has follows from both: '>=20' of 'age' \
                    within '10-25' of 'years')
                    """)
            }, "\(ties)")
    }

    @Test("k, protection and sensitive dimensions that a tied metric asks for are said of whom they hold")
    func strictness() throws {
        let looks = Self.metric("looks", "[view]", by: "[os]", ", threshold: 50, protection: 30, sensitive: [os]")
        let (alone, both) = (try Self.plan(Self.views), try Self.plan(Self.views, looks))
        let because = ", because 'looks' counts some of the same events and asks for it"
        let stricter = try Self.changes(alone, both, .tightens)
        #expect(
            stricter == [
                "metric 'views': a number stands for 50 devices instead of 20, \(PlanComparison.whenHeld(isMore: true))\(because)",
                "metric 'views': estimates stay 30 % away instead of 10 %, \(PlanComparison.whenHeld(isMore: true))\(because)",
                "metric 'views': 'os' is sensitive, \(PlanComparison.whenHeld(isMore: true))\(because)",
            ])
        let looser = try Self.changes(both, alone, .widens)
        #expect(looser.count == 3)
        #expect(
            looser.first
                == "metric 'views': a number stands for 20 devices instead of 50, \(PlanComparison.whenHeld(isMore: false))"
        )
        let raised = try Self.plan(Self.metric("views", "[view]", by: "[os]", ", threshold: 30"), looks)
        #expect(try Self.changes(both, raised, .tightens) == [], "50 it was, and 50 it is")
    }

    @Test("the parts of a period that is split are held against what a metric counts all through it")
    func parts() throws {
        let visits = Self.metric("visits", "[view, tap]")
        let (before, after) = (
            try Self.plan(Self.views, visits), try Self.plan(Self.metric("views", "[view]", by: "[os, age]"), visits)
        )
        #expect(
            try Self.changes(before, after, .ties) == [
                """
                metric 'views': its two parts of the period under way and what 'visits' counts in all of it tell more together \
                than each alone: they are decided together, with the strictest terms of both plans
                """
            ])
        #expect(
            try Self.changes(Self.plan(Self.views), Self.plan(Self.metric("views", "[view]", by: "[age]")), .ties) == []
        )
    }
}
