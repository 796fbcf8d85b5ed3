import Foundation
import Testing

@testable import ThrongPlan

@Suite("Purposes without identifiers: a k of events, and nothing that takes an identifier")
struct PlanIdentifierTests {
    static let tally = """
        app: {name: play, title: Play, owner: Team, contact: a@example.com, audience: 9000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 100 days}
          tally:
            explanation: To count.
            consent: not_required
            identifier: none
            retention: 100 days
        dimensions:
          level: {title: Level, field: level, list: [one, two]}
          word: {title: Word, field: word, revealed: {most: 10}}
        metrics:
          starts:
            title: Starts
            events: [start]
            question: Which?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: product
            period: day
          taps:
            title: Taps
            events: [tap]
            question: Which?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: tally
            dimensions: [level]
            period: day
            contribution_bound: 3
        """

    private static func plan(_ old: String = "9000", _ new: String = "9000") throws -> Plan {
        try #require(tally.contains(old), "the plan has no \(old)")
        return try read(tally.replacing(old, with: new))
    }

    private static func read(_ yaml: String) throws -> Plan {
        try Plan(yaml: yaml, file: "play.yaml", today: SamplePlan.today)
    }

    private static func problems(_ old: String, _ new: String) throws -> [String] {
        try #require(tally.contains(old), "the plan has no \(old)")
        return try found(tally.replacing(old, with: new))
    }

    /// What is wrong with a plan.
    private static func found(_ yaml: String) throws -> [String] {
        do {
            _ = try read(yaml)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("play.yaml:", with: "") }
        }
    }

    @Test("the layout knows of no identifier; a purpose that rotates is as it was")
    func reading() throws {
        let plan = try Self.plan()
        #expect(plan.purposes.map(\.identifier) == [.rotating, .absent])
        #expect(plan.purposes[1].rotation == .batches)
        let (starts, taps) = (plan.metrics[0], plan.metrics[1])
        #expect(taps.contributionBound == 3)
        let layouts = try [starts, taps].map { try plan.layout(of: $0, rules: .system) }
        #expect(layouts.map(\.hasIdentifiers) == [true, false])
        #expect(try MetricLayout(json: layouts[1].json) == layouts[1])
        let texts = layouts.map { String(decoding: $0.json, as: UTF8.self) }
        #expect(texts.map { $0.contains(#""identifiers":false"#) } == [false, true])
        #expect(layouts[1].trackedMargins == [layouts[1].leaf])
        #expect(try Self.plan("\n    contribution_bound: 3", "").metrics[1].contributionBound == 1)
        #expect(try Self.plan("identifier: none", "identifier: none\n    use: product").purposes[1].use == .product)
    }

    /// A slip, and what is said of it.
    private static let slips: [(old: String, new: String, problem: String)] = [
        (
            "identifier: none", "identifier: none\n    rotation: 1 day",
            "'rotation' is there and 'identifier' is none; without an identifier nothing rotates"
        ),
        (
            "contribution_bound: 3", "measures: {reach: true}",
            "has 'identifier: none', so devices can't be counted; leave 'reach' out"
        ),
        (
            "contribution_bound: 3", "measures: {reach: client}",
            "has 'identifier: none', so devices can't be counted; leave 'reach' out"
        ),
        (
            "    dimensions: [level]\n    period: day\n    contribution_bound: 3",
            "    period: day\n    measures: {frequency: {bands: [1, 2]}}",
            "so nobody knows what one device did within a window; leave 'frequency' out"
        ),
        (
            "dimensions: [level]", "dimensions: [word]",
            "so nobody knows how many devices sent a value of dimension 'word' before it is learned; leave the dimension"
        ),
        ("identifier: none", "identifier: never", "'never'"),
    ]

    @Test("what needs identifiers is refused, and the reason is said", arguments: slips.indices)
    func refused(place: Int) throws {
        let slip = Self.slips[place]
        let found = try Self.problems(slip.old, slip.new)
        #expect(found.contains { $0.contains(slip.problem) }, "\(found)")
        #expect(try Self.problems("9000", "9001").isEmpty, "without the slip the plan is fine")
    }

    @Test("what devices answer by themselves is refused: they would have to remember for weeks")
    func answered() throws {
        let found = try Self.problems(
            "contribution_bound: 3", "answered: {frequency: {of: [start], per: week, bands: [2]}}")
        #expect(found.contains { $0.contains("a device would have to remember what it did for weeks") }, "\(found)")
    }

    @Test("a metric of another purpose that counts the same event needs the same bound")
    func bounds() throws {
        let found = try Self.problems("events: [start]", "events: [start, tap]")
        #expect(found.count == 1 && found[0].contains("its contribution_bound is 3"), "\(found)")
    }

    @Test("children may be counted so; a rotation of a day is refused there")
    func children() throws {
        let childlike = Self.tally
            .replacing("audience: 9000", with: "audience: 9000, threshold: 50, directed_to: children")
            .replacing("To see., consent", with: "To see., use: product, consent")
            .replacing("explanation: To count.", with: "explanation: To count.\n    use: product")
        #expect(try Self.found(childlike).isEmpty)
        let rotating = childlike.replacing("identifier: none", with: "rotation: 1 day")
        #expect(try Self.found(rotating).contains { $0.contains("'rotation' is 1 day") })
    }

    @Test("the label, the record and the public document say that there is none, and what that means")
    func said() throws {
        let plan = try Self.plan()
        let label = plan.label(today: SamplePlan.today)
        #expect(label.purposes.map(\.hasIdentifiers) == [true, false])
        let facts = label.purposes[1].facts.map(\.text) + label.purposes[1].metrics.flatMap(\.facts).map(\.text)
        #expect(facts.contains { $0.contains("nothing of it can be taken back") })
        #expect(facts.contains { $0.contains("by up to about what 6 actions may add") })
        #expect(label.promises.contains { $0.contains("Where no code is sent it is 20 actions") })
        #expect(!facts.contains { $0.contains("identifier") || $0.contains("from one visit") })
        let record = ProcessingRecord(of: plan)
        #expect(record.purposes.map(\.rotationSeconds) == [3600, nil])
        #expect(record.markdown.contains("**An identifier lives:** there is none"))
        #expect(record.markdown.contains("Without identifiers: tally."))
        #expect(record.markdown.contains("nobody knows who sends several: Taps 3."))
        #expect(record.markdown.contains("to a metric in one window: Starts 20."))
        let document = try plan.publicPlan()
        #expect(document.purposes.map(\.identifier) == [nil, .absent])
        #expect(document.purposes[1].rotationSeconds == 3600)
        #expect(String(decoding: try plan.publicDocument(), as: UTF8.self).contains(#""identifier":"none""#))
    }

    @Test("a purpose that loses its identifiers tightens and splits; one that gets some widens and splits")
    func changes() throws {
        let expected = """
                rotation: 1 hour
                retention: 100 days
            """
        let rotating = Self.tally.replacing("    identifier: none\n", with: "    rotation: 1 hour\n")
        #expect(rotating.contains(expected))
        let before = try Self.read(rotating)
        let after = try Self.plan()
        let loses = try PlanDiff(from: before, to: after, rules: .system)
        #expect(loses.kinds == [.splits, .tightens])
        #expect(
            loses.changes.contains {
                $0.kind == .tightens
                    && $0.meaning
                        == "devices show no identifier any more, and nothing that they send can be taken back"
            })
        let gets = try PlanDiff(from: after, to: before, rules: .system)
        #expect(gets.kinds == [.splits, .widens])
        #expect(
            gets.changes.filter { $0.kind == .widens }.map(\.meaning).contains(
                "devices show an identifier, which lives 1 hour"))
        #expect(try PlanDiff(from: after, to: after, rules: .system).changes.isEmpty)
    }
}
