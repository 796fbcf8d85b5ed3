import Foundation
import Testing

@testable import ThrongPlan

@Suite("reach: client asks devices which of their events are firsts")
struct PlanClientReachTests {
    private static let reach = "reach: true"
    private static let client = "reach: client"

    private func layout(_ plan: Plan) throws -> MetricLayout {
        try plan.layout(of: try #require(plan.metric("views")), rules: .system)
    }

    @Test("a metric's own period and its rollups have firsts, in every grouping that a release shows")
    func layouts() throws {
        let plan = try SamplePlan.small(Self.reach, Self.client + "\n    rollups: [week]")
        let metric = try #require(plan.metric("views"))
        #expect(metric.reach && metric.countsFirsts)
        #expect(metric.firstPeriods == [.day, .week])
        let firsts = try #require(try layout(plan).firsts)
        #expect(firsts.periods == [.day, .week])
        #expect(firsts.groupings == plan.groupings(of: metric))
        #expect(firsts.groupings == [.total, Margin(bits: 1), Margin(bits: 2), Margin(bits: 3)])
        #expect(firsts.count == 8)
        #expect(firsts.places(of: .week) == 4..<8)
        #expect(firsts.places(of: .month) == nil)
        // The count and the sum come first.
        #expect(try layout(plan).measure(ofFirst: firsts.place(period: 1, grouping: 2)) == MeasureIndex(8))
        #expect(try layout(plan).countersPerCell == 10)
    }

    @Test("a layout without firsts says nothing of them; with them it is another, and another by its rollups")
    func identity() throws {
        let floor = try layout(try SamplePlan.small(Self.reach, Self.reach))
        let none = try layout(try SamplePlan.small(Self.reach, "reach: false"))
        let client = try layout(try SamplePlan.small(Self.reach, Self.client))
        let weekly = try layout(try SamplePlan.small(Self.reach, Self.client + "\n    rollups: [week]"))
        #expect(floor.firsts == nil)
        #expect(!String(decoding: floor.json, as: UTF8.self).contains("firsts"))
        #expect(floor.id == none.id)
        #expect(Set([floor.id, client.id, weekly.id]).count == 3)
        #expect(try MetricLayout(json: weekly.json) == weekly)
    }

    @Test("the public plan lists the groupings by name, the total being empty, and the periods; without it neither")
    func publicPlan() throws {
        let plan = try SamplePlan.small(Self.reach, Self.client + "\n    rollups: [week]").publicPlan()
        #expect(plan.metrics[0].firstGroupings == [[], ["os"], ["age"], ["os", "age"]])
        #expect(plan.metrics[0].firstPeriods == [.day, .week])
        let document = try SamplePlan.small(Self.reach, Self.client).publicDocument()
        #expect(
            String(decoding: document, as: UTF8.self).contains(
                #""first_groupings":[[],["os"],["age"],["os","age"]],"first_periods":["day"]"#))
        let other = try SamplePlan.small(Self.reach, Self.reach).publicPlan()
        #expect(other.metrics[0].firstGroupings == nil)
        #expect(other.metrics[0].firstPeriods == nil)
    }

    @Test("who reads the label learns that the device remembers, and that nobody can check it")
    func label() throws {
        let label = try SamplePlan.small(Self.reach, Self.client + "\n    rollups: [week]")
            .privacyLabel(today: SamplePlan.today).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(label.contains("says which is its first in a day or in a week. Nobody can check"), "\(label)")
        #expect(!label.contains("Counts devices, too. "))
    }

    @Test("the linter says whom it trusts, and what a short grace loses")
    func advice() throws {
        func advice(_ old: String, _ new: String) throws -> [String] {
            try SamplePlan.small(old, new).lint(today: SamplePlan.today).map(\.message)
        }
        let found = try advice(Self.reach, Self.client)
        #expect(found.count == 2)
        #expect(
            found[0] == """
                metric 'views' has 'reach: client': its numbers of devices are what clients say, and a client that is \
                wrong or lies changes them, by 20 an identifier at most; k stays with the floor
                """)
        #expect(found[1].hasPrefix("metric 'views' has 'reach: client' and the app a grace of 1 day: devices"))
        let yaml = SamplePlan.small.replacing(Self.reach, with: Self.client)
            .replacing("audience: 20000", with: "audience: 20000\n  grace: 48 hours")
        let patient = try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
        #expect(patient.lint(today: SamplePlan.today).count == 1)
    }

    @Test("another word and more counters than an event can name are refused")
    func refused() throws {
        #expect(
            try SamplePlan.problems(Self.reach, "reach: clients") == [
                """
                37:14: metric 'views': 'measures': 'reach': found 'clients'; did you mean 'client'? allowed: true, \
                false, client, attested
                """
            ])
        let many = (0..<40).map { "  d\($0): {title: T, field: f\($0), list: [a]}\n" }.joined()
        let names = (0..<7).map { "d\($0)" }
        let margins = (0..<7).flatMap { a in (0..<7).filter { $0 > a }.map { "[d\(a), d\($0)]" } }
        let single = names.map { "[\($0)]" } + ["[d0, d1, d2]", "[d0, d1, d3]", "[d0, d1, d4]"]
        let shown = (margins + single).joined(separator: ", ")
        let yaml = SamplePlan.small.replacing("metrics:\n", with: many + "metrics:\n")
            .replacing("dimensions: [os, age]", with: "dimensions: [\((names + ["os"]).joined(separator: ", "))]")
            .replacing(Self.reach, with: Self.client + "\n    rollups: [week]\n    margins: [\(shown)]")
        let problems = #expect(throws: PlanProblems.self) {
            try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
        }
        #expect(
            problems?.all.map(\.message) == [
                """
                metric 'views' has 'reach: client' for 33 groupings by day and by week, which makes 66 counters a cell; \
                64 are allowed: split it into two metrics
                """
            ])
    }
}
