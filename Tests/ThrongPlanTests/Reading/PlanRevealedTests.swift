import Foundation
import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("A plan may learn the buckets of a dimension while it counts")
struct PlanRevealedTests {
    private static let query = "  query:\n    title: Search term\n    field: query\n    revealed: {most: 500}\n"

    private static func text(_ changes: [(String, String)]) -> String {
        let all =
            [("metrics:\n", query + "metrics:\n"), ("dimensions: [os, age]", "dimensions: [os, age, query]")] + changes
        return all.reduce(SamplePlan.small) { $0.replacing($1.0, with: $1.1) }
    }

    private static func plan(_ changes: (String, String)...) throws -> Plan {
        try Plan(yaml: text(changes), file: "small.yaml", today: SamplePlan.today)
    }

    private static func problems(_ changes: (String, String)...) -> [String] {
        do {
            _ = try Plan(yaml: text(changes), file: "small.yaml", today: SamplePlan.today)
            return []
        } catch {
            return error.all.map(\.message)
        }
    }

    @Test("it reads, and may split insights, margins and decay")
    func reading() throws {
        let plan = try Self.plan(
            ("by: [os]", "by: [query]"),
            ("reach: true", "reach: true\n    margins: [[query], [os]]\n    decay: [{after: 30 days, drop: query}]"))
        let query = try #require(plan.dimension("query"))
        #expect(query.rule == .revealed(most: 500))
        #expect(query.isRevealed)
        #expect(plan.metrics[0].decay.map(\.action) == [.drop("query")])
        #expect(plan.revealThreshold(of: "query") == Threshold(devices: 20))
    }

    @Test("what it asks for is the highest threshold of the metrics that use it")
    func threshold() throws {
        let plan = try Self.plan(("    period: day\n    measures", "    period: day\n    threshold: 35\n    measures"))
        #expect(plan.revealThreshold(of: "query").devices == 35)
    }

    @Test("its layout has a slot for each value and other; labels change no identity, and no other layout's JSON")
    func layout() throws {
        let plan = try Self.plan()
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        let query = layout.dimensions[2]
        #expect(query.labels.count == 501)
        #expect(query.labels.last == .other)
        #expect(query.isRevealed)
        #expect(query.shownLabels == [.other])
        let named = layout.named(["query": [7: "pie", 3: "apple", 900: "lost"], "os": [0: "BeOS"]])
        #expect(named.dimensions[0] == layout.dimensions[0])
        #expect(named.dimensions[2].labels[7] == "pie")
        #expect(named.dimensions[2].shownLabels == ["apple", "pie", .other])
        #expect(named.dimensions[2].shownBuckets == [3, 7, 500])
        #expect(named != layout)
        #expect(named.counted == layout)
        #expect(named.counted.id == layout.id)
        #expect(try MetricLayout(json: named.json) == named)
        #expect(named.dimensions[2].isSplit(as: query))
        #expect(named.shownSize(of: Margin(keeping: [2])) == 3)
        #expect(named.shownSize(of: Margin(keeping: [0, 2])) == 21)
        #expect([7, 8, 500].map { named.dimensions[2].isVacant($0) } == [false, true, false])
        let without = try SamplePlan.small("An App", "An App")
        #expect(!(try without.layout(of: without.metrics[0], rules: .system)).isRevealing)
    }

    @Test("where its buckets would have to be named, or a device were in one of them, the message says why not")
    func refusals() {
        let unknown =
            "the buckets of 'query' are learned while counting goes on, and no plan can name them; leave it out"
        #expect(
            Self.problems(("by: [os]", "by: [os]\n    where: {query: other}")) == [
                "insight 'by_system': 'where': \(unknown)"
            ])
        #expect(
            Self.problems(("reach: true", "reach: true\n    impossible: [{query: other}]")) == [
                "metric 'views': 'impossible': \(unknown)"
            ])
        #expect(
            Self.problems(("metrics:\n", "  word: {title: Word, of: query, groups: {a: [b]}}\nmetrics:\n")) == [
                "dimension 'word': 'of': \(unknown)"
            ])
        #expect(
            Self.problems(("revealed: {most: 500}", "revealed: {most: 500}\n    partitions: devices")) == [
                """
                dimension 'query': 'partitions: devices' is for what a device is; this says what it does, and one \
                device does many things: leave it out
                """
            ])
        #expect(
            Self.problems(("{most: 500}", "{most: 4096}")) == [
                "dimension 'query': 'revealed': 'most' is 4096; 1 to 4095 is allowed"
            ])
        #expect(
            Self.problems(("revealed: {most: 500}", "revealed: {}")) == [
                "dimension 'query': 'revealed': 'most' is missing; add it"
            ])
        #expect(
            Self.problems(("field: query", "field: age")) == [
                """
                dimension 'query': devices send hashes in its field 'age', of which 'age' could make nothing; give \
                one of them a field of its own
                """
            ])
        #expect(
            Self.problems(("field: query", "field: amount")) == [
                """
                dimension 'query': devices send hashes in its field 'amount', of which 'spent' could make nothing; \
                give one of them a field of its own
                """
            ])
    }

    @Test("what clients say of firsts and learned buckets do not go together")
    func firsts() {
        #expect(
            Self.problems(("reach: true", "reach: client")) == [
                """
                dimension 'query': metric 'views' has 'reach: client', but a device can't know in which bucket a value \
                is counted, and so not what is its first; leave the dimension out or write 'reach: true'
                """
            ])
    }

    @Test("the label, the public plan and advice say what it does")
    func publication() throws {
        let plan = try Self.plan(("audience: 20000", "audience: 2000000"))
        let label = plan.privacyLabel(today: SamplePlan.today).split(separator: "\n").joined(separator: " ")
            .replacing(/\ +/, with: " ")
        #expect(
            label.contains(
                """
                Search term, from query: your device sends it scrambled. Only what at least 20 devices sent is asked \
                for, counted under its name and shown, at most 500 such values. All others count as other and are \
                never known
                """))
        let dimension = try #require(try plan.publicPlan().dimensions.first { $0.name == "query" })
        #expect(dimension.buckets == [.other])
        #expect(dimension.rule == .revealed(most: 500))
        #expect(String(decoding: try plan.publicDocument(), as: UTF8.self).contains(#""kind":"revealed","most":500"#))
        #expect(!plan.lint(today: SamplePlan.today).map(\.message).contains { $0.contains("query") })
        let quick = try Self.plan(("rotation: 1 day", "rotation: 15 minutes"))
        #expect(
            quick.lint(today: SamplePlan.today).map(\.message).contains(
                """
                dimension 'query' learns a value once 20 devices have sent it within one window; purpose 'product' \
                has windows of 15 minutes, with about 208 devices each: rarer values will stay 'other'
                """))
    }
}
