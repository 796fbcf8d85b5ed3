import Foundation
import Testing

@testable import ThrongPlan

@Suite("answered: what a device works out by itself")
struct PlanAnswerTests {
    /// The small plan with two metrics that devices answer, and an insight of each.
    private static func yaml(
        retention: String = "answered: {retention: {of: [view], weeks: 3}}",
        frequency: String = "answered: {frequency: {of: [view], per: week, bands: [1, 2, 5]}}",
        week: String = "list: [0, 1, 2, 3]", times: String = "bands: [1, 2, 5]",
        dimensions: (String, String) = ("[os, week]", "[times]"),
        events: (String, String) = ("[came_back]", "[times_a_week]"),
        insights: (String, String) = ("kind: retention, by: [os]", "kind: frequency")
    ) -> String {
        func metric(_ name: String, _ events: String, _ dimensions: String, _ answered: String) -> String {
            """
              \(name):
                {title: T, events: \(events), question: Q?, decision: D., owner: Team, expires: 2027-06-30,
                purpose: product, dimensions: \(dimensions), period: week, \(answered)}

            """
        }
        return SamplePlan.small
            .replacing(
                "metrics:\n",
                with: """
                      week: {title: Week, field: week, \(week)}
                      times: {title: Times, field: events, \(times)}
                    metrics:

                    """.replacing("                      ", with: "  ")
            )
            .replacing(
                "insights:\n",
                with: metric("came_back", events.0, dimensions.0, retention)
                    + metric("how_often", events.1, dimensions.1, frequency)
                        + """
                        insights:
                          back: {title: Back, metric: came_back, \(insights.0)}
                          often: {title: Often, metric: how_often, \(insights.1)}

                        """
            )
    }

    private func plan(_ yaml: String) throws -> Plan {
        try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
    }

    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try plan(yaml)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    @Test("a plan asks for both; insights know the dimension of the answer and read it with its whole")
    func read() throws {
        let plan = try plan(Self.yaml())
        let back = try #require(plan.metric("came_back"))
        #expect(back.answered == .retention(of: ["view"], weeks: 3))
        #expect(plan.metric("how_often")?.answered == .frequency(of: ["view"], bands: [1, 2, 5]))
        #expect(plan.metric("views")?.answered == nil)
        let insight = try #require(plan.insight("back"))
        #expect(insight.kind == .retention(week: "week"))
        #expect(insight.groupings(histogram: nil) == [["os"], ["os", "week"]])
        #expect(plan.insight("often")?.kind == .frequency(band: "times"))
    }

    @Test("the histogram of a metric may be the bands of a frequency")
    func histogram() throws {
        let yaml = Self.yaml(
            frequency: """
                measures: {histogram: {name: often, field: events, edges: [1, 2, 5]}},
                answered: {frequency: {of: [view], per: week, bands: [1, 2, 5]}}
                """.replacing("\n", with: " "), dimensions: ("[os, week]", "[os]"))
        #expect(try plan(yaml).insight("often")?.kind == .frequency(band: "often"))
    }

    @Test("the public plan tells clients what to answer, in the plan's words")
    func publicPlan() throws {
        let document = String(decoding: try plan(Self.yaml()).publicDocument(), as: UTF8.self)
        #expect(document.contains(#""answered":{"retention":{"of":["view"],"weeks":3}}"#))
        #expect(document.contains(#""answered":{"frequency":{"bands":[1,2,5],"of":["view"],"per":"week"}}"#))
    }

    @Test("the linter says that a short grace puts late answers into the next period; one of 48 hours waits for all")
    func lateAnswers() throws {
        func advice(_ yaml: String) throws -> [String] {
            try plan(yaml).lint(today: SamplePlan.today).map(\.message).filter { $0.contains("retention") }
        }
        let hasty = try advice(Self.yaml())
        #expect(hasty.count == 1)
        #expect(
            hasty.first?.hasPrefix(
                "metric 'came_back' has 'answered: {retention: …}' and the app a grace of 1 day: devices that were offline"
            ) == true)
        let patient = Self.yaml().replacing("audience: 20000", with: "audience: 20000\n  grace: 48 hours")
        #expect(try advice(patient).isEmpty)
    }

    @Test("the label says that the device works it out by itself")
    func label() throws {
        let label = try plan(Self.yaml()).privacyLabel(today: SamplePlan.today)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            label.contains("in which week, 0 to 3 after its first, it did one of: view. No code lasts for it."))
        #expect(label.contains("how often it did one of: view. No code lasts for it."))
    }

    @Test("an answer needs the dimension that it fills, coarsened as it says")
    func dimensions() {
        let wanted =
            "metric 'came_back': it needs one dimension with 'field: week' and 'list: [0, 1, … 3]', as 'retention' says; "
        #expect(problems(Self.yaml(week: "list: [0, 1, 2]")) == [wanted + "'week' is coarsened otherwise"])
        #expect(problems(Self.yaml(week: "bands: [1, 2]")) == [wanted + "'week' is coarsened otherwise"])
        #expect(
            problems(Self.yaml(dimensions: ("[os]", "[times]"), insights: ("kind: count", "kind: frequency")))
                == [wanted + "it has none"])
        #expect(
            problems(Self.yaml(times: "bands: [1, 2, 6]")) == [
                """
                metric 'how_often': it needs one dimension with 'field: events' and 'bands: [1, 2, 5]', as 'frequency' \
                says; 'times' is coarsened otherwise
                """
            ])
    }

    @Test("an answer is one event of its own, about events of the same purpose")
    func events() {
        #expect(
            problems(Self.yaml(events: ("[came_back, view]", "[times_a_week]"))).first
                == """
                metric 'came_back': it counts 2 events; what a device answers ('retention') is one event of its own, so \
                name one
                """)
        #expect(
            problems(Self.yaml(events: ("[same]", "[same]"))) == [
                """
                metric 'came_back': devices send 'same' by themselves, and metric 'how_often' counts it as something \
                else; give the answer a name of its own
                """,
                """
                metric 'how_often': devices send 'same' by themselves, and metric 'came_back' counts it as something \
                else; give the answer a name of its own
                """,
            ])
        #expect(
            problems(Self.yaml(retention: "answered: {retention: {of: [veiw], weeks: 3}}")) == [
                """
                metric 'came_back': 'retention' is of 'veiw', which no metric of purpose 'product' counts; did you mean \
                'view'? known: view
                """
            ])
        #expect(
            problems(Self.yaml(retention: "answered: {retention: {of: [times_a_week], weeks: 3}}")).first?.hasPrefix(
                "metric 'came_back': 'retention' is of 'times_a_week', which no metric") == true)
    }

    @Test("what cannot be read is named: two answers, too many weeks, another period, bands of half an event")
    func slips() {
        #expect(
            problems(
                Self.yaml(
                    retention:
                        "answered: {retention: {of: [view], weeks: 3}, frequency: {of: [view], per: week, bands: [1]}}"
                )
            ).first?.contains("a device answers exactly one of 'retention' and 'frequency'") == true)
        #expect(
            problems(Self.yaml(retention: "answered: {retention: {of: [view], weeks: 53}}")).first?.contains(
                "'weeks' is 53; 1 to 52 is allowed") == true)
        #expect(
            problems(Self.yaml(frequency: "answered: {frequency: {of: [view], per: day, bands: [1, 2, 5]}}")).first?
                .contains("'per': found 'day'; allowed: week") == true)
        #expect(
            problems(Self.yaml(frequency: "answered: {frequency: {of: [view], per: week, bands: [0.5, 2]}}")).first?
                .contains("whole numbers of events from 1") == true)
    }

    @Test("an insight of a kind that its metric is not asked for, or that splits the answer again, is refused")
    func insights() {
        #expect(
            problems(Self.yaml(insights: ("kind: frequency", "kind: frequency"))).first
                == "insight 'back': metric 'came_back' has no 'answered: {frequency: …}'; ask a metric that devices answer"
        )
        #expect(
            problems(Self.yaml(insights: ("kind: retention, by: [week]", "kind: frequency"))).first
                == "insight 'back' is split by what devices answer, 'week', anyway; name other dimensions")
    }
}
