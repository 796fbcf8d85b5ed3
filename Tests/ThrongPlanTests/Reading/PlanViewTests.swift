import Testing
import ThrongPlan

@Suite("insights as rankings, changes, trends and quantiles")
struct PlanViewTests {
    private static let histogram = "histogram: {name: spread, field: amount, edges: [10, 20, 50]}"

    /// The insight of the small plan with other lines, its metric with a histogram.
    private static func insight(_ lines: String) throws -> Insight? {
        let text = SamplePlan.small.replacing("kind: count\n    by: [os]", with: lines)
            .replacing("reach: true", with: "reach: true\n      \(histogram)")
        return try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today).insight("by_system")
    }

    private static func problems(_ lines: String) throws -> [String] {
        do {
            _ = try insight(lines)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("small.yaml:", with: "") }
        }
    }

    @Test("each view reads, and the cells that an insight asks for stay those of its table")
    func views() throws {
        let plain = try #require(try Self.insight("kind: count\n    by: [os]"))
        #expect(plain.view == .table)
        let views: [(String, Insight.View)] = [
            ("top: 3", .ranking(top: 3)),
            ("change: [week_before, period_before]", .change(against: [.weekBefore, .periodBefore])),
            ("trend: 14", .trend(periods: 14)),
        ]
        for (line, view) in views {
            let insight = try #require(try Self.insight("kind: count\n    by: [os]\n    \(line)"))
            #expect(insight.view == view)
            #expect(insight.groupings(histogram: nil) == plain.groupings(histogram: nil))
        }
    }

    @Test("quantiles are read in thousandths, and read the histogram's cells")
    func quantiles() throws {
        let insight = try #require(try Self.insight("kind: quantiles\n    at: [0.5, 0.95, 0.999]"))
        #expect(insight.kind == .quantiles(at: [.median, Quantile(perMille: 950), Quantile(perMille: 999)]))
        #expect(insight.groupings(histogram: "spread") == [[], ["spread"]])
        #expect([500, 950, 25, 999].map { "\(Quantile(perMille: $0))" } == ["0.5", "0.95", "0.025", "0.999"])
    }

    @Test("what does not fit is said with its place, what is allowed, and what to do")
    func slips() throws {
        let slips: [(String, String)] = [
            (
                "kind: count\n    by: [os]\n    top: 3\n    trend: 4",
                "46:12: insight 'by_system': 'trend' stands beside 'top'; one of them is allowed: make two insights"
            ),
            (
                "kind: count\n    top: 3",
                "44:10: insight 'by_system': 'top' ranks the buckets of a dimension; say of which in 'by'"
            ),
            (
                "kind: count\n    by: [os]\n    top: 0",
                "45:10: insight 'by_system': 'top' is 0; 1 to 50 is allowed"
            ),
            (
                "kind: count\n    by: [os, age]\n    trend: 4",
                "45:12: insight 'by_system': 'trend' has a line a bucket of 'by', which names 2 dimensions; at most 1 is allowed"
            ),
            (
                "kind: count\n    trend: 1", "44:12: insight 'by_system': 'trend' is 1; 2 to 100 is allowed"
            ),
            (
                "kind: count\n    change: [week_befor]",
                "44:14: insight 'by_system': 'change': found 'week_befor'; did you mean 'week_before'? allowed: period_before, week_before, year_before"
            ),
            (
                "kind: distribution\n    trend: 4",
                "44:12: insight 'by_system': 'trend' belongs to a count, reach, share or mean; a distribution has none: leave it out"
            ),
            (
                "kind: quantiles",
                "40:3: insight 'by_system': 'at' is missing; say which quantiles, such as [0.5, 0.9] for median and p90"
            ),
            (
                "kind: quantiles\n    at: [0.5, 1]",
                "44:15: insight 'by_system': 'at': found 1; more than 0 and less than 1 is allowed, in thousandths, such as 0.5 or 0.95"
            ),
            (
                "kind: quantiles\n    at: [0.12345]",
                "44:10: insight 'by_system': 'at': found 0.12345; more than 0 and less than 1 is allowed, in thousandths, such as 0.5 or 0.95"
            ),
            (
                "kind: quantiles\n    at: [0.9, 0.5]",
                "44:15: insight 'by_system': 'at': 0.5 stands behind 0.9; list each once, ascending"
            ),
            (
                "kind: count\n    at: [0.5]",
                "44:9: insight 'by_system': 'at' belongs to quantiles; a count has none: leave it out"
            ),
        ]
        for (lines, problem) in slips {
            let found = try Self.problems(lines)
            #expect(found.contains(problem), "\(found)")
        }
    }

    @Test("a report of weeks has no week before")
    func reports() throws {
        let week = SamplePlan.small
            .replacing("by: [os]", with: "by: [os]\n    change: [week_before]")
            .replacing("period: day\n    schedule", with: "period: week\n    schedule")
            .replacing("period: day\n    measures", with: "period: week\n    measures")
        #expect(throws: PlanProblems.self) {
            do {
                _ = try Plan(yaml: week, file: "small.yaml", today: SamplePlan.today)
            } catch let problems as PlanProblems {
                #expect(
                    problems.all.map(\.description) == [
                        """
                        small.yaml:54:13: report 'daily' covers a week, but insight 'by_system' compares with \
                        'week_before', which hours and days have; use 'period_before'
                        """
                    ])
                throw problems
            }
        }
    }

    @Test("two metrics of one purpose that count an event at different rates are refused: devices send it once")
    func sampling() throws {
        let second = """
              more:
                title: More
                events: [view]
                question: How many?
                decision: None.
                owner: Team
                expires: 2027-06-30
                purpose: product
                sampling: 0.1
                period: day
            insights:
            """
        #expect(
            try SamplePlan.problems("insights:", second).first?.contains(
                """
                metric 'views': its sampling is 1, but devices send 'view' at the 0.1 of metric 'more'; give both the \
                same rate
                """) == true)
    }
}
