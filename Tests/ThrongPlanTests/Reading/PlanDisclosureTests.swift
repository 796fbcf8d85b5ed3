import Foundation
import Testing

@testable import ThrongPlan

@Suite("A metric says what everybody knows of its numbers anyway, and by which longer periods they are released")
struct PlanDisclosureTests {
    private func plan(_ keys: String, _ changes: (String, String)...) throws -> Plan {
        let text = changes.reduce(
            SamplePlan.small.replacing("period: day\n    measures", with: "period: day\n    \(keys)\n    measures")
        ) { $0.replacing($1.0, with: $1.1) }
        return try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today)
    }

    @Test("what it leaves out is nothing impossible and no rollup")
    func defaults() throws {
        let metric = try SamplePlan.small("An App", "An App").metrics[0]
        #expect(metric.impossible.isEmpty && metric.rollups.isEmpty)
    }

    @Test("impossible combinations name buckets in the order of the metric's dimensions, and the layout knows them")
    func impossible() throws {
        let plan = try plan("impossible: [{age: <10, os: iOS}, {os: Linux}]")
        let expected = [
            ImpossibleCombination(parts: [
                .init(dimension: "os", bucket: "iOS"), .init(dimension: "age", bucket: "<10"),
            ]),
            ImpossibleCombination(parts: [.init(dimension: "os", bucket: "Linux")]),
        ]
        #expect(plan.metrics[0].impossible == expected)
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        #expect(layout.impossible == expected)
        // Linux is the fifth system.
        #expect(layout.isImpossible(CellIndex(4), in: Margin(keeping: [0])))
        #expect(!layout.isImpossible(CellIndex(2), in: Margin(keeping: [0])))
        let label = plan.privacyLabel(today: SamplePlan.today)
        #expect(label.contains("- Refused, because it cannot be: iOS with under 10, Linux."))
    }

    @Test("a band of the histogram may be impossible, too")
    func histogram() throws {
        let plan = try plan(
            "impossible: [{os: iOS, value: <10}]",
            ("      reach: true", "      reach: true\n      histogram: {name: value, field: amount, edges: [10]}"))
        #expect(plan.metrics[0].impossible[0].parts.map(\.dimension) == ["os", "value"])
    }

    @Test(
        "rollups are longer periods that nest",
        arguments: [
            ("hour", "[day]", [PeriodKind.day]), ("hour", "[day, week]", [.day, .week]), ("hour", "[month]", [.month]),
            ("day", "[week]", [.week]), ("day", "[month]", [.month]),
        ])
    func rollups(period: String, written: String, rollups: [PeriodKind]) throws {
        let report = "insights: [by_system]\n    period: "
        let plan = try plan(
            "rollups: \(written)", ("period: day\n    rollups", "period: \(period)\n    rollups"),
            (report + "day", report + period))
        #expect(plan.metrics[0].rollups == rollups)
    }

    @Test("weeks and months have no rollup", arguments: ["week", "month"])
    func noRollups(period: String) throws {
        let report = "insights: [by_system]\n    period: "
        let problems = #expect(throws: PlanProblems.self) {
            try plan(
                "rollups: [month]", ("period: day\n    rollups", "period: \(period)\n    rollups"),
                (report + "day", report + period))
        }
        #expect(
            problems?.all.map(\.message) == [
                "metric 'views': 'rollups': a month is not made of whole \(period)s; leave it out"
            ])
    }

    @Test("a report may cover a rollup of its insights' metrics, and advice names rollups that no report covers")
    func reports() throws {
        let insights = "insights: [by_system]\n    period: "
        let weekly = try plan("rollups: [week]", (insights + "day", insights + "week"))
        #expect(weekly.reports[0].period == .week)
        #expect(weekly.lint(today: SamplePlan.today).isEmpty)
        #expect(weekly.privacyLabel(today: SamplePlan.today).contains("- Added up by week, too."))
        // It is made of what was drawn for days, and costs nothing, unless devices say that they are in a cell.
        #expect(try plan("rollups: [month]").lint(today: SamplePlan.today).isEmpty)
        let advice = try plan("rollups: [month]", ("reach: true", "reach: client")).lint(today: SamplePlan.today)
        #expect(advice.count { $0.message.contains("is released by month, too, which no report") } == 1, "\(advice)")
    }

    @Test("the public document says both")
    func document() throws {
        let plan = try plan("impossible: [{os: iOS}]\n    rollups: [week]")
        let metric = try plan.publicPlan().metrics[0]
        #expect(metric.impossible == plan.metrics[0].impossible)
        #expect(metric.rollups == [.week])
    }
}
