import Testing

@testable import ThrongPlan

@Suite("Metrics are tied by the events that they count")
struct EventTiesTests {
    private func counted(_ names: Set<EventName>?, _ consent: Bool = false) -> CountedEvents {
        CountedEvents(names: names, audience: .terms(needsConsent: consent, refusedBy: []))
    }

    @Test("same events, and a part of another's, tie; an overlap doesn't")
    func pairs() {
        #expect(counted(["a"]).isTied(to: counted(["a"])))
        #expect(counted(["a"]).isTied(to: counted(["a", "b"])))
        #expect(counted(["a", "b"]).isTied(to: counted(["b"])))
        #expect(
            !counted(["a", "b"]).isTied(to: counted(["b", "c"])) && counted(["a", "b"]).overlaps(counted(["b", "c"])))
        #expect(!counted(["a"]).isTied(to: counted(["b"])))
    }

    @Test("whoever consents is counted where nobody is asked, too; that does not make other events the same")
    func consent() {
        #expect(counted(["a"]).isTied(to: counted(["a"], true)))
        #expect(counted(["a", "b"]).isTied(to: counted(["a"], true)))
        #expect(!counted(["a"]).isTied(to: counted(["a", "b"], true)))
        let obeying = CountedEvents(
            names: ["a"], audience: .terms(needsConsent: false, refusedBy: [.globalPrivacyControl]))
        #expect(obeying.isTied(to: counted(["a"])))
        #expect(!obeying.isTied(to: counted(["a"], true)), "some consent and send the signal")
    }

    @Test("a kind of event that a metric tells apart is tied as if it were counted by itself")
    func kinds() {
        let pages = CountedEvents(
            names: ["a", "b", "c"], audience: .terms(needsConsent: false, refusedBy: []), kinds: [["a"], ["b", "c"]])
        #expect(pages.isTied(to: counted(["a", "d"])))
        #expect(!pages.isTied(to: counted(["b", "d"])))
        #expect(pages.isTied(to: counted(["b"])))
    }

    @Test("a metric of which nobody knows any more what it counted may have counted anything")
    func unknown() {
        #expect(counted(nil).isTied(to: counted(["a"])))
        #expect(!counted(nil).isTied(to: counted(["a"], true)))
    }

    private func plan() throws -> Plan {
        try SamplePlan.small(
            "insights:",
            """
              again:
                title: Views again
                events: [view]
                question: Which?
                decision: None.
                owner: Ada
                expires: 2027-06-30
                purpose: product
                dimensions: [os]
                period: day
                measures: {}
                threshold: 40
            insights:
            """)
    }

    @Test("tied metrics share the highest k, and the linter says so")
    func thresholds() throws {
        let plan = try plan()
        let views = try #require(plan.metric("views"))
        #expect(plan.metrics(tiedTo: views).map(\.name) == ["again"])
        #expect(plan.releaseThreshold(of: views) == Threshold(devices: 40))
        let advice = plan.lint(today: SamplePlan.today).map(\.message)
        #expect(advice.contains { $0.contains("metric 'views' counts events that metric 'again' counts, too") })
        #expect(advice.contains { $0.contains("also stand for k = 40") })
    }
}
