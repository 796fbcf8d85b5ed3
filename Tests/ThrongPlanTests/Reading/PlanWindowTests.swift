import Foundation
import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("frequency and funnel count identifiers, each once a window")
struct PlanWindowTests {
    /// The small plan with its metric changed to one that counts identifiers.
    private static func text(
        measures: String = "frequency: {bands: [1, 2, 5]}", events: String = "[view]", dimensions: String = "[os]",
        more: String = "", kind: String = "frequency", grace: String = "3 days"
    ) -> String {
        SamplePlan.small
            .replacing("  audience: 20000", with: "  audience: 20000\n  grace: \(grace)")
            .replacing("events: [view]", with: "events: \(events)")
            .replacing("dimensions: [os, age]", with: "dimensions: \(dimensions)")
            .replacing(
                """
                      sums:
                        spent: {field: amount, from: 0, to: 500, decimals: 2}
                      reach: true
                """, with: "      \(measures)\n\(more)"
            )
            .replacing("kind: count", with: "kind: \(kind)")
    }

    private static let steps =
        "funnel: {steps: [{title: Cart opened, event: cart, where: {age: <10}}, {title: Paid, event: bought}]}"

    private func read(_ text: String) throws -> Plan {
        try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today)
    }

    private func problems(_ text: String) throws -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("small.yaml:", with: "") }
        }
    }

    @Test("a frequency makes a dimension of its bands, in which identifiers partition")
    func frequency() throws {
        let plan = try read(Self.text())
        let metric = try #require(plan.metric("views"))
        let layout = try plan.layout(of: metric, rules: .system)
        #expect(layout.dimensions.map(\.name) == ["os", "times"])
        #expect(layout.dimensions[1].labels == ["1", "2-4", ">=5"])
        #expect(layout.dimensions.map(\.partitionsDevices) == [true, true])
        #expect(layout.trackedMargins == [layout.leaf])
        #expect(layout.contributionBound == 1)
        #expect(layout.within == .frequency(bands: [1, 2, 5]))
        #expect(try MetricLayout(json: layout.json) == layout)
        #expect(plan.insights[0].kind == .frequency(band: "times"))
        #expect([1, 2, 4, 5, 5].map { WindowLayout.frequency(bands: [1, 2, 5]).bucket(of: $0) } == [0, 1, 1, 2, 2])
    }

    @Test("a funnel makes a dimension of its steps, counts by the first one's event, and reads the fields of 'where'")
    func funnel() throws {
        let plan = try read(Self.text(measures: Self.steps, events: "[cart, bought]", kind: "funnel"))
        let metric = try #require(plan.metric("views"))
        let layout = try plan.layout(of: metric, rules: .system)
        #expect(layout.dimensions[1].labels == ["Cart opened", "Paid"])
        #expect(layout.within == .funnel(steps: 2))
        #expect(metric.countingEvents == ["cart"])
        #expect(plan.fields(of: "cart", purpose: "product") == ["age", "user_agent"])
        #expect(plan.fields(of: "bought", purpose: "product") == ["user_agent"])
        #expect(plan.insights[0].kind == .funnel(step: "step"))
        let other = try read(
            Self.text(
                measures: Self.steps.replacing("age: <10", with: "age: 10-20"), events: "[cart, bought]",
                kind: "funnel"))
        #expect(try other.layout(of: try #require(other.metric("views")), rules: .system).id != layout.id)
    }

    @Test("a layout that counts events says nothing of windows, so that it is the one that it always was")
    func identity() throws {
        let plan = try read(SamplePlan.small)
        let layout = try plan.layout(of: try #require(plan.metric("views")), rules: .system)
        #expect(!String(decoding: layout.json, as: UTF8.self).contains("within"))
    }

    @Test("progress goes one step an event, in order, and no further than there are steps")
    func progress() {
        let funnel = WindowLayout.funnel(steps: 3)
        #expect(funnel.advanced(0, by: 0b010, count: 1) == 0)
        #expect(funnel.advanced(0, by: 0b111, count: 1) == 1)
        #expect(funnel.advanced(0, by: 0b011, count: 9) == 2)
        #expect(funnel.advanced(2, by: 0b100, count: 1) == 3)
        #expect(funnel.advanced(3, by: 0b111, count: 1) == 3)
        let often = WindowLayout.frequency(bands: [1, 2, 5])
        #expect(often.advanced(3, by: 0, count: 1) == 4)
        #expect(often.advanced(3, by: 0, count: .max) == 5)
    }

    @Test("the public plan and the label say what is remembered, and clients keep nothing back that would count")
    func published() throws {
        let plan = try read(Self.text(measures: Self.steps, events: "[cart, bought]", kind: "funnel"))
        let published = try plan.publicPlan().metrics[0]
        #expect(published.within?.funnel?.steps.map(\.title) == ["Cart opened", "Paid"])
        #expect(published.within?.funnel?.steps[0].filters == [.init(dimension: "age", bucket: "<10")])
        #expect(published.contributionBound == 1_000_000)
        let often = try read(Self.text()).publicPlan().metrics[0]
        #expect(often.within?.frequency?.bands == [1, 2, 5])
        #expect(often.contributionBound == 5)
        let label = plan.privacyLabel(today: SamplePlan.today)
        let words = label.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains("devices, by how far each came within one day: Cart opened (cart, Age: under 10), then Paid")
        )
        #expect(words.contains("until the code\u{2019}s time is over. Then only the number is left."))
        #expect(!words.contains("at most 1 from one"))
    }

    static let slips: [(text: String, problem: String)] = [
        (text(measures: "frequency: {bands: [2, 5]}"), "1 the first, such as [1, 2, 5, 10]"),
        (text(measures: "frequency: {bands: [1]}"), "2 to 32 whole numbers of events from 1 to 10000"),
        (text(measures: "frequency: {bands: [1, 2.5]}"), "2 to 32 whole numbers of events"),
        (text(measures: "frequency: {bands: [1, 20000]}"), "from 1 to 10000"),
        (text(measures: "frequency: {bands: [1, 2], name: os}"), "'os' is the name of a dimension; give it another"),
        (
            text(measures: "frequency: {bands: [1, 2], name: period}"),
            "every released table has a column 'period' of its own"
        ),
        (
            text(measures: "frequency: {bands: [1, 2]}\n      reach: true"),
            "'reach' stands beside 'frequency', which counts identifiers, not events: leave it out"
        ),
        (
            text(measures: "frequency: {bands: [1, 2]}\n      sums: {paid: {field: paid, from: 0, to: 1}}"),
            "'sums' stands beside 'frequency'"
        ),
        (
            text(measures: "frequency: {bands: [1, 2]}\n      histogram: {name: h, field: f, edges: [1]}"),
            "'histogram' stands beside 'frequency'"
        ),
        (
            text(measures: "frequency: {bands: [1, 2]}\n      " + steps),
            "'funnel' stands beside 'frequency'; a metric has one of them"
        ),
        (text(more: "    sampling: 0.5"), "'sampling' stands beside 'frequency', which would look at some events"),
        (text(more: "    contribution_bound: 5"), "'contribution_bound' stands beside 'frequency', which counts each"),
        (text(more: "    impossible: [{os: iOS}]"), "'impossible' stands beside 'frequency', which refuses no events"),
        (
            text(more: "    answered: {frequency: {of: [view], per: week, bands: [1]}}"),
            "'answered' stands beside 'frequency', which the daemon works out"
        ),
        (text(dimensions: "[os, age]"), "'age' stands beside 'frequency', which counts each identifier in one bucket"),
        (
            text(grace: "2 days"),
            "release waits for the app's 'grace' of 2 days, and 2895 minutes or more is allowed"
        ),
        (text(kind: "count"), "counts identifiers; only 'kind: frequency' is allowed"),
        (text(kind: "funnel"), "counts identifiers; only 'kind: frequency' is allowed"),
        (SamplePlan.small.replacing("kind: count", with: "kind: funnel"), "has no 'funnel' among its measures"),
        (
            text(measures: "funnel: {steps: [{title: A, event: view}]}", kind: "funnel"),
            "'steps' lists 1; 2 to 16 steps are allowed"
        ),
        (
            text(measures: "funnel: {steps: [{title: A, event: view}, {title: A, event: view}]}", kind: "funnel"),
            "'A' is the title of two steps"
        ),
        (
            text(measures: "funnel: {steps: [{title: A, event: view}, {title: B, event: veiw}]}", kind: "funnel"),
            "unknown event of this metric 'veiw'; did you mean 'view'?"
        ),
        (
            text(
                measures: "funnel: {steps: [{title: A, event: view}, {title: B, event: view}]}",
                events: "[view, buy]", kind: "funnel"), "'buy' is no step of the funnel"
        ),
        (
            text(
                measures: "funnel: {steps: [{title: A, event: view, where: {aeg: <10}}, {title: B, event: view}]}",
                kind: "funnel"), "unknown dimension 'aeg'; did you mean 'age'?"
        ),
        (
            text(
                measures: "funnel: {steps: [{title: A, event: view, where: {age: <20}}, {title: B, event: view}]}",
                kind: "funnel"), "'age' has no bucket '<20'"
        ),
        (
            text(measures: "funnel: {steps: [{title: other, event: view}, {title: B, event: view}]}", kind: "funnel"),
            "can't be printed safely"
        ),
    ]

    @Test("what has no meaning beside them is refused, with where, what and what is allowed", arguments: slips)
    func refused(text: String, problem: String) throws {
        let found = try problems(text)
        #expect(found.contains { $0.contains(problem) }, "\(found)")
    }

    @Test("numbers of identifiers have a margin")
    func margin() throws {
        #expect(try !read(Self.text()).marginLines().isEmpty)
    }

    @Test("a step in one bucket of a split that another metric publishes is pointed out")
    func stepAdvice() throws {
        let text = Self.text(measures: Self.steps, events: "[cart, bought]", kind: "funnel")
            .replacing(
                "insights:\n  by_system:",
                with: """
                      carts: {title: C, events: [cart], question: Q?, decision: D., owner: O, expires: 2027-06-30,
                        purpose: product, dimensions: [age], period: day}
                    insights:
                      by_system:
                    """)
        let advice = try read(text).lint(today: SamplePlan.today).map(\.description)
        #expect(advice.contains { $0.contains("begins with 'cart' in one bucket, by which metric 'carts' is split") })
    }

    @Test("a frequency tells of the metrics of its own events and purpose, all of whose events are counted")
    func telling() throws {
        let rest = "question: What?, decision: That., owner: Team, expires: 2027-01-31, period: day"
        func teller(_ views: String = "events: [seen, heard], purpose: product", often: String = "product") throws
            -> String?
        {
            let plan = try read(
                """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 days}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}
                  visit: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 400 days}
                metrics:
                  views: {title: Views, \(rest), \(views)}
                  often: {title: Often, \(rest), events: [heard, seen], purpose: \(often), measures: {frequency: {bands: [1, 2]}}}
                """)
            #expect(plan.frequency(telling: plan.metrics[1]) == nil)
            return plan.frequency(telling: plan.metrics[0])?.name.text
        }
        #expect(try teller() == "often")
        #expect(try teller(often: "visit") == nil)
        #expect(try teller("events: [seen], purpose: product") == nil)
    }
}
