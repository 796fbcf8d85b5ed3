import Testing

@testable import ThrongPlan

@Suite("A plan's limits")
struct PlanLimitTests {
    @Test("a metric of more than a million cells is refused, with the product that makes them")
    func cells() throws {
        let wide = "significant_figures: {digits: 3, from: 1, to: 1000}"
        let problems = try SamplePlan.problems(
            "bands: [10, 20, 30]\n", "\(wide)\n  height: {title: H, field: h, \(wide)}\n")
        #expect(problems.isEmpty, "a dimension alone has few cells")
        let text = SamplePlan.small
            .replacing("bands: [10, 20, 30]\n", with: "\(wide)\n  height: {title: H, field: h, \(wide)}\n")
            .replacing("dimensions: [os, age]", with: "dimensions: [os, age, height]")
        let found = #expect(throws: PlanProblems.self) {
            try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today)
        }
        #expect(
            found?.all.map(\.message) == [
                """
                metric 'views' has os 7 × age 2702 × height 2702 = 51,105,628 cells; 1,000,000 are allowed: drop a \
                dimension or coarsen one
                """
            ])
    }

    @Test("a metric has at most eight dimensions, its histogram included")
    func dimensions() throws {
        let extra = (1...7).map { "  d\($0): {title: D, field: d\($0), list: [a]}\n" }.joined()
        let names = (1...7).map { "d\($0)" }.joined(separator: ", ")
        func text(_ histogram: String) -> String {
            SamplePlan.small
                .replacing("metrics:\n", with: "\(extra)metrics:\n")
                .replacing("dimensions: [os, age]", with: "dimensions: [os, \(names)]")
                .replacing("      reach: true", with: "      reach: true\n\(histogram)")
        }
        #expect(throws: Never.self) { try Plan(yaml: text(""), file: "small.yaml", today: SamplePlan.today) }
        let histogram = "      histogram: {name: value, field: amount, edges: [10]}"
        let found = #expect(throws: PlanProblems.self) {
            try Plan(yaml: text(histogram), file: "small.yaml", today: SamplePlan.today)
        }
        #expect(
            found?.all.map(\.message) == [
                "metric 'views' has 9 dimensions with its histogram; 8 are allowed: split it into two metrics"
            ])
    }

    @Test("an insight is broken down by at most two dimensions")
    func breakdown() throws {
        let text = SamplePlan.small
            .replacing("metrics:\n", with: "  c: {title: C, field: c, list: [a]}\nmetrics:\n")
            .replacing("dimensions: [os, age]", with: "dimensions: [os, age, c]")
            .replacing("by: [os]", with: "by: [os, age, c]")
        let found = #expect(throws: PlanProblems.self) {
            try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today)
        }
        #expect(
            found?.all.map(\.message) == [
                "insight 'by_system': 'by' names 3 dimensions; at most 2 are allowed: make two insights"
            ])
    }

    @Test("reach, and a share of devices, need a metric that measures reach")
    func reach() throws {
        for kind in ["reach", "share\n    basis: devices"] {
            let text = SamplePlan.small.replacing("      reach: true\n", with: "")
                .replacing("kind: count", with: "kind: \(kind)")
            let found = #expect(throws: PlanProblems.self) {
                try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today)
            }
            #expect(found?.all.count == 1)
            #expect(found?.all.first?.message.contains("has no 'reach: true' among its measures") == true)
        }
    }

    @Test("a plan of more than a mebibyte is refused")
    func size() {
        let text = SamplePlan.small + String(repeating: "#", count: YAMLText.longest)
        #expect(throws: PlanProblems.self) { try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today) }
    }
}
