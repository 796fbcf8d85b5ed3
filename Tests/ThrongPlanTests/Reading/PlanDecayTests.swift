import Foundation
import Testing

@testable import ThrongPlan

@Suite("Promise 6: a plan says how its numbers get coarser with age, and what stays is released from the start")
struct PlanDecayTests {
    /// The small plan with systems made into platforms and those into two families.
    private static let base = SamplePlan.small.replacing(
        "dimensions:\n  os:",
        with: """
            dimensions:
              platform: {title: Platform, of: os, groups: {Desktop: [Windows, macOS, Linux], Mobile: [iOS, Android]}}
              known: {title: Known, of: os, groups: {named: [Windows, macOS, Linux, iOS, Android]}}
              vendor: {title: Vendor, of: os, groups: {Apple: [macOS, iOS]}}
              young: {title: Young, of: age, groups: {yes: [<10, 10-20]}}
              os:
            """)

    private static func text(_ decay: String, _ changes: [(String, String)] = []) -> String {
        changes.reduce(
            base.replacing("period: day\n    measures", with: "period: day\n    decay: \(decay)\n    measures")
        ) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    private static func plan(_ decay: String, _ changes: (String, String)...) throws -> Plan {
        try Plan(yaml: text(decay, changes), file: "small.yaml", today: SamplePlan.today)
    }

    private static func problems(_ decay: String, _ changes: (String, String)...) -> [String] {
        do {
            _ = try Plan(yaml: text(decay, changes), file: "small.yaml", today: SamplePlan.today)
            return []
        } catch {
            return error.all.map(\.message)
        }
    }

    private static let day = Duration.seconds(86_400)

    @Test("steps are read in order, and what each leaves is part of the metric")
    func reading() throws {
        let plan = try Self.plan(
            """
            [{after: 30 days, coarsen: os, to: platform}, {after: 60 days, coarsen: platform, to: known},
              {after: 90 days, keep: weeks}, {after: 365 days, keep: totals}, {after: 390 days, delete: all}]
            """)
        let metric = plan.metrics[0]
        #expect(
            metric.decay == [
                DecayStep(after: Self.day * 30, action: .coarsen("os", to: "platform")),
                DecayStep(after: Self.day * 60, action: .coarsen("platform", to: "known")),
                DecayStep(after: Self.day * 90, action: .keep(.week)),
                DecayStep(after: Self.day * 365, action: .keepTotals),
                DecayStep(after: Self.day * 390, action: .delete),
            ])
        #expect(metric.rollups == [.week])
    }

    @Test(
        "each grouping that gets coarser is released in its coarser forms beside it, and tracked by what it is counted by"
    )
    func groupings() throws {
        let without = try Self.plan("[{after: 30 days, drop: os}]")
        let plan = try Self.plan(
            "[{after: 30 days, coarsen: os, to: platform}, {after: 60 days, coarsen: platform, to: known}]")
        let metric = plan.metrics[0]
        let before = Set(without.groupingNames(of: without.metrics[0]).map { Set($0) })
        let after = Set(plan.groupingNames(of: metric).map { Set($0) })
        #expect(before.contains(["os"]) && before.contains(["os", "age"]))
        #expect(
            after.subtracting(before)
                == [["platform"], ["platform", "age"], ["known"], ["known", "age"]])
        let layout = try plan.layout(of: metric, rules: .system)
        #expect(layout.trackedMargins == (try without.layout(of: without.metrics[0], rules: .system)).trackedMargins)
    }

    @Test(
        "a report is kept until the first of its numbers gets coarser, its period shorter than what stays, or its split goes"
    )
    func files() throws {
        func seconds(_ decay: String) throws -> Int64 {
            let plan = try Self.plan(decay)
            let report = try #require(plan.reports.first)
            return plan.seconds(keeping: report) / 86_400
        }
        #expect(try seconds("[{after: 30 days, coarsen: os, to: platform}]") == 30)
        #expect(try seconds("[{after: 30 days, keep: weeks}]") == 30)
        #expect(try seconds("[{after: 30 days, keep: totals}]") == 30)
        #expect(try seconds("[{after: 30 days, drop: age}]") == 400, "its purpose's retention")
    }

    @Test("the label says what is left")
    func label() throws {
        let plan = try Self.plan(
            "[{after: 30 days, coarsen: os, to: platform}, {after: 90 days, keep: weeks}, {after: 365 days, keep: totals}]"
        )
        let text = plan.privacyLabel(today: SamplePlan.today)
        for sentence in [
            "After 30 days the split by System is deleted, and only that by Platform is left.",
            "After 90 days the numbers of shorter periods are deleted, and only those of whole weeks are left.",
            "After 365 days every split is deleted, and only totals are left.",
        ] {
            let words = sentence.split(separator: " ").joined(separator: " ")
            let flat = text.split { $0.isWhitespace }.joined(separator: " ")
            #expect(flat.contains(words), "\(text)")
        }
    }

    @Test(
        "what can't be says why, and what can",
        arguments: [
            (
                "[{after: 30 days, coarsen: os, to: young}]",
                "metric 'views': 'decay': 'to': 'young' is made of 'age' and not of 'os'; name one that is"
            ),
            (
                "[{after: 30 days, coarsen: os, to: age}]",
                "metric 'views': 'decay': 'to': 'age' is not made of 'os'; name a dimension with 'of: os'"
            ),
            (
                "[{after: 30 days, coarsen: platform, to: vendor}]",
                "metric 'views': 'decay': 'to': a bucket of 'platform' lies in several of 'vendor'; let each lie in one"
            ),
            (
                "[{after: 30 days, coarsen: os}]",
                """
                metric 'views': 'decay': a step has exactly one of 'drop: <dimension>', 'coarsen: <dimension>' with 'to: \
                <dimension that is made of it>', 'keep: <days, weeks, months or totals>' and 'delete: all'
                """
            ),
            (
                "[{after: 30 days, drop: os, keep: weeks}]",
                """
                metric 'views': 'decay': a step has exactly one of 'drop: <dimension>', 'coarsen: <dimension>' with 'to: \
                <dimension that is made of it>', 'keep: <days, weeks, months or totals>' and 'delete: all'
                """
            ),
            (
                "[{after: 30 days, keep: days}]",
                "metric 'views': 'decay': 'keep': days don't become days; weeks, months, totals are allowed"
            ),
            (
                "[{after: 7 days, keep: weeks}]",
                """
                metric 'views': 'decay': 'after' is 7 days, before the first week is over and released; 8 days is the least
                """
            ),
            (
                "[{after: 30 days, coarsen: os, to: platform}, {after: 60 days, drop: os}]",
                "metric 'views': 'decay': this dimension is dropped already; keep one of the steps"
            ),
            (
                "[{after: 30 days, keep: totals}, {after: 60 days, drop: os}]",
                "metric 'views': 'decay': nothing but totals is left by then; leave the step out"
            ),
            (
                "[{after: 30 days, keep: months}, {after: 60 days, keep: weeks}]",
                """
                metric 'views': 'decay': numbers by month are all that is left by then; name a longer period or leave the \
                step out
                """
            ),
            (
                "[{after: 30 days, keep: weeks}, {after: 60 days, keep: months}]",
                """
                metric 'views': 'decay': weeks don't nest in months, so that both could be taken apart together; keep one of \
                them, as 'rollups' do
                """
            ),
        ])
    func refusals(decay: String, message: String) {
        #expect(Self.problems(decay).contains(message), "\(Self.problems(decay))")
    }
}
