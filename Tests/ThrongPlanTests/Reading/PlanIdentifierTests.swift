import Foundation
import Testing
import ThrongNoise

@testable import ThrongPlan

@Suite("Purposes without identifiers: noise in the place of k, and nothing that takes an identifier")
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
            budget: {epsilon: 31, per: month}
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
            noise: {mechanism: laplace, epsilon: 1}
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

    @Test("the noise hides one event, and the layout knows of no identifier; a purpose that rotates is as it was")
    func reading() throws {
        let plan = try Self.plan()
        #expect(plan.purposes.map(\.identifier) == [.rotating, .absent])
        #expect(plan.purposes[1].rotation == .batches)
        let (starts, taps) = (plan.metrics[0], plan.metrics[1])
        #expect(taps.noiseUnit == .event && taps.contributionBound == 3 && taps.cellsBound == 1)
        let layouts = try [starts, taps].map { try plan.layout(of: $0, rules: .system) }
        #expect(layouts.map(\.hasIdentifiers) == [true, false])
        #expect(try MetricLayout(json: layouts[1].json) == layouts[1])
        #expect(try Self.plan("    contribution_bound: 3\n", "").metrics[1].contributionBound == 1)
        #expect(try Self.plan("identifier: none", "identifier: none\n    use: product").purposes[1].use == .product)
    }

    @Test("one event moves one number of each grouping by what it counts: scale 3 · (parts / part) / epsilon")
    func sensitivity() throws {
        let plan = try Self.plan()
        let layout = try plan.layout(of: plan.metrics[1], rules: .system)
        let groupings = plan.groupings(of: plan.metrics[1])
        let weights = groupings.map { NoiseTerms.weight(of: $0, shown: []) }
        #expect(weights == [4, 1])
        let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_046_400))
        #expect(layout.windowsHidden(in: day) == 1 && layout.windowsBeginning(in: day) == 24)
        let terms = try #require(
            try layout.noiseTerms(groupings: groupings, weights: weights, windows: layout.windowsHidden(in: day)))
        #expect(terms.unit == .event)
        #expect(
            terms.groupings.map(\.distributions) == [
                [.laplace(try DiscreteLaplace(scale: Rational(15, over: 4)))],
                [.laplace(try DiscreteLaplace(scale: Rational(15)))],
            ])
        #expect(try plan.noiseTerms(of: plan.metrics[1])?.distributions == terms.distributions)
        #expect(plan.noiseMargins().allSatisfy { $0.hasSuffix("hiding an event that counts 3 at most") })
    }

    /// A slip, and what is said of it.
    private static let slips: [(old: String, new: String, problem: String)] = [
        (
            "identifier: none", "identifier: none\n    rotation: 1 day",
            "'rotation' is there and 'identifier' is none; without an identifier nothing rotates"
        ),
        (
            "\n    noise: {mechanism: laplace, epsilon: 1}", "",
            "so nobody knows how many devices a number stands for, and no threshold can be held; give the metric 'noise'"
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
            "    dimensions: [level]\n    period: day\n    contribution_bound: 3\n    noise: {mechanism: laplace, epsilon: 1}",
            "    period: day\n    measures: {frequency: {bands: [1, 2]}}",
            "so nobody knows what one device did within a window; leave 'frequency' out"
        ),
        ("contribution_bound: 3", "cells_bound: 2", "'cells_bound' does not go with 'identifier: none'"),
        (
            "epsilon: 1}", "epsilon: 1, unit: device}",
            "'unit' is device, which takes identifiers, and its purpose has 'identifier: none'; delete it"
        ),
        ("epsilon: 1}", "epsilon: 1, unit: window}", "'unit' is window, which takes identifiers"),
        ("dimensions: [level]", "dimensions: [word]", "'word'"),
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

    @Test("a purpose with identifiers can't have noise that hides one event: others hide more")
    func eventsOfIdentifiers() throws {
        let found = try Self.problems("identifier: none", "identifier: rotating")
        #expect(found.isEmpty, "\(found)")
        let event = try Self.found(
            Self.tally.replacing("identifier: none", with: "rotation: 1 day").replacing(
                "epsilon: 1}", with: "epsilon: 1, unit: event}"))
        #expect(event.contains { $0.contains("where there are identifiers, 'window' and 'device' hide more") })
    }

    @Test("an exact metric of another purpose that counts the same event would give the noise away")
    func exactNeighbour() throws {
        #expect(try Self.problems("events: [start]", "events: [start, tap]").contains { $0.contains("exactly") })
    }

    @Test("children may be counted so, with noise in the place of k; a rotation of a day is refused there")
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
        #expect(facts.contains { $0.contains("whoever sends n events is hidden n times less") })
        #expect(!facts.contains { $0.contains("identifier in one window") || $0.contains("from one identifier") })
        let record = ProcessingRecord(of: plan)
        #expect(record.purposes.map(\.rotationSeconds) == [3600, nil])
        #expect(record.markdown.contains("**An identifier lives:** there is none"))
        #expect(record.markdown.contains("Without identifiers: tally."))
        #expect(record.markdown.contains("nobody knows who sends several: Taps 3."))
        #expect(record.markdown.contains("to a metric in one window: Starts 100."))
        let document = try plan.publicPlan()
        #expect(document.purposes.map(\.identifier) == [nil, .absent])
        #expect(document.purposes[1].rotationSeconds == 3600)
        #expect(String(decoding: try plan.publicDocument(), as: UTF8.self).contains(#""identifier":"none""#))
    }

    @Test("a purpose that loses its identifiers tightens and splits; one that gets some widens and splits")
    func changes() throws {
        let exact = """
                rotation: 1 hour
                retention: 100 days
            """
        let rotating = Self.tally.replacing("    identifier: none\n", with: "    rotation: 1 hour\n")
            .replacing("    budget: {epsilon: 31, per: month}\n", with: "")
            .replacing("    noise: {mechanism: laplace, epsilon: 1}", with: "")
        #expect(rotating.contains(exact))
        let before = try Self.read(rotating)
        let after = try Self.plan()
        let loses = try PlanDiff(from: before, to: after, rules: .system)
        // The budget is new: of what noisy numbers may cost there was nothing.
        #expect(loses.kinds == [.splits, .tightens, .widens])
        #expect(
            loses.changes.filter { $0.kind == .widens }.map(\.meaning) == [
                "its noisy numbers may cost more, or otherwise"
            ])
        #expect(
            loses.changes.contains {
                $0.kind == .tightens
                    && $0.meaning
                        == "devices show no identifier any more, and nothing that they send can be taken back"
            })
        let gets = try PlanDiff(from: after, to: before, rules: .system)
        #expect(gets.kinds == [.splits, .tightens, .widens])
        #expect(
            gets.changes.filter { $0.kind == .widens }.map(\.meaning).contains(
                "devices show an identifier, which lives 1 hour"))
        #expect(gets.changes.filter { $0.kind == .tightens }.map(\.meaning) == ["its noisy numbers may cost less"])
        #expect(try PlanDiff(from: after, to: after, rules: .system).changes.isEmpty)
    }
}
