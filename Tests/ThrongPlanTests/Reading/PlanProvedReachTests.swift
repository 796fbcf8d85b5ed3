import Foundation
import Testing

@testable import ThrongPlan

@Suite("reach: attested asks devices to prove where they were")
struct PlanProvedReachTests {
    private static let attested = SamplePlan.small.replacing("reach: true", with: "reach: attested")
        .replacing("retention: 400 days", with: "retention: 400 days\n    floor: attested")

    private static func plan(_ changes: [String: String] = [:]) throws -> Plan {
        let yaml = changes.reduce(attested) { $0.replacing($1.key, with: $1.value) }
        return try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
    }

    private static func problems(_ changes: [String: String]) -> [String] {
        do {
            _ = try plan(changes)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    private static func layout(_ plan: Plan) throws -> MetricLayout {
        try plan.layout(of: try #require(plan.metric("views")), rules: .system)
    }

    @Test("k is weighed against the devices of a period, not of a window, where they are proved")
    func weighed() throws {
        func advice(_ reach: String) throws -> [String] {
            try Self.plan([
                "reach: attested": "reach: \(reach)", "rotation: 1 day": "rotation: 15 minutes",
            ]).lint(today: SamplePlan.today).map(\.message)
        }
        let (windows, proved) = (try advice("true"), try advice("attested"))
        #expect(windows.contains { $0.contains("k is compared with one window's devices") })
        #expect(!proved.contains { $0.contains("k is compared with one window's devices") })
        #expect(windows.contains { $0.contains("a group and window of 15 minutes") })
        #expect(!proved.contains { $0.contains("window of 15 minutes") })
    }

    @Test("a metric's own period and its rollups have proved firsts, in every margin of which devices are counted")
    func layouts() throws {
        let plan = try Self.plan(["reach: attested": "reach: attested\n    rollups: [week]"])
        let metric = try #require(plan.metric("views"))
        #expect(metric.reach && metric.provesFirsts && !metric.countsFirsts)
        let layout = try Self.layout(plan)
        let firsts = try #require(layout.provedFirsts)
        #expect(firsts.periods == [.day, .week])
        // The system partitions devices, and is in all of them.
        #expect(firsts.margins == [Margin(keeping: [0]), Margin(keeping: [0, 1])])
        #expect(firsts.margins.map(layout.apart) == [.total, Margin(keeping: [1])])
        #expect(layout.firsts == nil)
    }

    @Test("a layout without them has the JSON that it always had; with them it is another, and another by its rollups")
    func identity() throws {
        let floor = try Self.layout(try Self.plan(["reach: attested": "reach: true"]))
        let proved = try Self.layout(try Self.plan())
        let weekly = try Self.layout(try Self.plan(["reach: attested": "reach: attested\n    rollups: [week]"]))
        #expect(!String(decoding: floor.json, as: UTF8.self).contains("provedFirsts"))
        #expect(Set([floor.id, proved.id, weekly.id]).count == 3)
        #expect(try MetricLayout(json: weekly.json) == weekly)
    }

    @Test("the public plan says what is to be proved; what names it changes with buckets and events, not with titles")
    func publicPlan() throws {
        func firsts(_ changes: [String: String] = [:]) throws -> PublicPlan.ProvedFirsts? {
            try Self.plan(changes).publicPlan().metrics[0].provedFirsts
        }
        let found = try #require(try firsts())
        #expect(found.periods == [.day] && found.groupings == [[], ["age"]] && found.partition == ["os"])
        #expect(found.layout.utf8.count == 32)
        #expect(try firsts(["title: Views": "title: Looks", "How many?": "Why?"]) == found)
        let others = [
            "[10, 20, 30]": "[10, 20, 40]", "[view]": "[view, zoom]", "rotation: 1 day": "rotation: 15 minutes",
            "field: age": "field: years",
        ]
        let layouts = try others.map { try firsts([$0.key: $0.value])?.layout }
        #expect(Set(layouts + [found.layout]).count == 5)
        #expect(try firsts(["reach: attested": "reach: true"]) == nil)
        let document = String(decoding: try Self.plan().publicDocument(), as: UTF8.self)
        #expect(document.contains(#""proved_firsts":{"groupings":[[],["age"]],"layout":""#))
    }

    @Test("what it needs and what it does not go with is said, with the way out")
    func refused() {
        #expect(
            Self.problems(["    floor: attested\n": ""]) == [
                """
                metric 'views': 'reach' is attested and its purpose 'product' has 'floor: any'; a first is proved by the \
                credential that proves an identifier: write 'floor: attested' in the purpose, or 'reach: true'
                """
            ])
        #expect(Self.problems([:]).isEmpty)
        #expect(
            Self.problems(["bands: [10, 20, 30]": "revealed: {most: 4}"]).contains {
                $0.contains("has 'reach: attested', but a device can't know")
            })
        let frequency = "measures:\n      frequency: {bands: [1, 2]}\n      reach: attested"
        #expect(Self.problems(["measures:": frequency]).contains { $0.contains("'reach'") })
    }

    @Test("the linter tells the cost, the label what a device does, and a difference of plans that it widens")
    func words() throws {
        let plan = try Self.plan()
        #expect(
            plan.lint(today: SamplePlan.today).map(\.message).contains(
                """
                metric 'views' has 'reach: attested': each device proves itself in each cell of 2 groupings by day, 2 times \
                or more, at about a millisecond each time on either side
                """))
        let label = plan.privacyLabel(today: SamplePlan.today).split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        #expect(label.contains("yours remembers where it was in a day, and proves once of each"), "\(label)")
        let floor = try Self.plan(["reach: attested": "reach: true"])
        let changes = try PlanDiff(from: floor, to: plan, rules: .system).changes
        #expect(
            changes.contains { $0.kind == .widens && $0.meaning.contains("asks devices to prove what is their first") })
    }
}
