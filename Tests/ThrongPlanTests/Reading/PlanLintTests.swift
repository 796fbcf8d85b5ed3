import Testing

@testable import ThrongPlan

@Suite("The linter says what costs more than it seems")
struct PlanLintTests {
    private func advice(_ old: String, _ new: String) throws -> [String] {
        try SamplePlan.small(old, new).lint(today: SamplePlan.today)
            .map { $0.description.replacing("small.yaml:", with: "") }
    }

    @Test("the small plan needs no advice")
    func none() throws { #expect(try advice("An App", "An App") == []) }

    @Test("the sample plan needs none but what its rotations of 15 minutes cost")
    func sample() throws {
        let advice = try SamplePlan.shop().lint(today: SamplePlan.today)
        #expect(
            advice.map { $0.message.prefix(50) } == [
                "purpose 'marketing' rotates its identifiers every ",
                "purpose 'visit' rotates its identifiers every 15 m",
            ])
    }

    @Test("a rollup costs a device something only where devices say that they are in it")
    func rollups() throws {
        for (word, isAdvised) in [("true", false), ("client", true)] {
            let yaml = SamplePlan.small.replacing("reach: true", with: "reach: \(word)")
                .replacing("dimensions: [os, age]\n", with: "dimensions: [os, age]\n    rollups: [week]\n")
            let plan = try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
            let advice = plan.lint(today: SamplePlan.today).map(\.message)
            #expect(advice.contains { $0.contains("is released by week, too") } == isAdvised, "\(advice)")
        }
    }

    @Test("cells that the audience can't fill")
    func cells() throws {
        #expect(
            try advice("audience: 20000", "audience: 600") == [
                """
                24:3: metric 'views' shows 35 groups (os × age) for 600 devices a day: on average 17 a group, with k = \
                20; many will be withheld: show coarser margins, drop a dimension or count longer periods
                """
            ])
    }

    @Test("what a rotation shorter than the period costs, with the devices that one window sees")
    func rotation() throws {
        let found = try advice("rotation: 1 day", "rotation: 1 hour")
        #expect(found.count == 2)
        #expect(found[0].hasPrefix("8:3: purpose 'product' rotates its identifiers every 1 hour, within a day"))
        #expect(found[0].contains("about 833 of 20,000 a day"))
    }

    @Test("a metric that expires within 30 days, and one that has")
    func expiry() throws {
        #expect(
            try advice("2027-06-30", "2026-12-21")[0].hasPrefix(
                "24:3: metric 'views' expires on 2026-12-21, in 30 days"))
        #expect(try advice("2027-06-30", "2026-12-22").isEmpty)
        #expect(try advice("2027-06-30", "2026-11-21").isEmpty)
        let expired = try SamplePlan.small("2027-06-30", "2026-11-21").expired(today: SamplePlan.today)
        #expect(
            expired.map(\.description) == [
                """
                small.yaml:30:14: metric 'views' expired on 2026-11-21 and counts nothing; renew it if its decision still \
                stands, or delete it
                """
            ])
        #expect(try SamplePlan.small("2027-06-30", "2026-11-22").expired(today: SamplePlan.today).isEmpty)
    }

    @Test("dimensions, purposes, insights and partners that are of no use")
    func unused() throws {
        #expect(
            try advice("dimensions: [os, age]", "dimensions: [os]") == [
                "19:3: dimension 'age' is not used; delete it or split a metric by it"
            ])
        #expect(
            try advice(
                "dimensions:\n  os", "  idle: {explanation: x, consent: required, retention: 1 day}\ndimensions:\n  os")
                == ["13:3: purpose 'idle' has no metric; delete it or count something for it"])
        #expect(
            try advice("reports:", "  idle: {title: I, contact: i@example.com}\nreports:")
                == ["48:3: partner 'idle' receives no report; delete it or write one"])
    }

    @Test("a bucket of event names that no metric counts")
    func events() throws {
        #expect(
            try advice("    field: age\n    bands: [10, 20, 30]", "    field: event\n    list: [view, veiw]")
                == [
                    """
                    19:3: dimension 'age' lists 'veiw', which none of its metrics counts; did you mean 'view'? \
                    known: view
                    """
                ])
    }

    @Test("a decay step that comes after everything is gone")
    func decay() throws {
        let found = try advice(
            "period: day\n    measures", "period: day\n    decay: [{after: 400 days, drop: os}]\n    measures")
        #expect(found.count == 1)
        #expect(found[0].contains("decays after 400 days, but its purpose keeps numbers for 400 days only"))
    }

    @Test("a share of devices by what devices do")
    func shares() throws {
        let found = try advice("kind: count\n    by: [os]", "kind: share\n    basis: devices\n    by: [age]")
        #expect(found.count == 1)
        #expect(found[0].contains("shares out devices by 'age'"))
    }
}
