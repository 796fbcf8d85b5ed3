import Testing
import ThrongNoise

@testable import ThrongPlan

@Suite("Noise in the plan: what it needs, and what cannot stand beside it")
struct PlanNoiseTests {
    /// A noisy metric whose purpose pays for a month of it.
    static let noisy = """
        app: {name: app, title: An App, owner: Team, contact: team@example.com, audience: 20000}
        purposes:
          product:
            explanation: To learn.
            consent: not_required
            rotation: 1 day
            retention: 400 days
            budget: {epsilon: 15.5, per: month}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          orders:
            title: Orders
            events: [order]
            question: How many?
            decision: None.
            owner: Team
            expires: 2027-06-30
            purpose: product
            dimensions: [os]
            period: day
            measures: {sums: {spent: {field: amount, from: -5, to: 500, decimals: 2}}}
            contribution_bound: 20
            cells_bound: 3
            noise: {mechanism: laplace, epsilon: 1/2}
        insights:
          by_system: {title: By system, metric: orders, kind: count, by: [os]}
        """

    private func plan(_ old: String = "An App", _ new: String = "An App") throws -> Plan {
        #expect(Self.noisy.contains(old))
        return try Plan(yaml: Self.noisy.replacing(old, with: new), file: "p", today: SamplePlan.today)
    }

    private func problems(_ old: String, _ new: String) throws -> [String] {
        do {
            _ = try plan(old, new)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("p:", with: "") }
        }
    }

    @Test("budget, noise and bounds are read exactly, and reach the layout")
    func reading() throws {
        let plan = try plan()
        let half = try Rational(1, over: 2)
        #expect(plan.purposes[0].budget == (try PrivacyBudget(total: .epsilon(Rational(31, over: 2)), per: .month)))
        #expect(plan.metrics[0].noise == .laplace(epsilon: half))
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        #expect(layout.noise == .laplace(epsilon: half))
        #expect(layout.cellsBound == 3)
        #expect(try MetricLayout(json: layout.json) == layout)
    }

    @Test("without noise the layout's identity is what it was, and cells_bound has no place")
    func withoutNoise() throws {
        let plan = try plan(
            "    cells_bound: 3\n    noise: {mechanism: laplace, epsilon: 1/2}\n", "")
        let json = String(decoding: try plan.layout(of: plan.metrics[0], rules: .system).json, as: UTF8.self)
        #expect(!json.contains("noise") && !json.contains("cells"))
        let refused = try problems("    noise: {mechanism: laplace, epsilon: 1/2}\n", "")
        #expect(
            refused == [
                """
                24:5: metric 'orders': 'cells_bound' has no effect without 'noise'; leave it out, or give the metric noise
                """
            ])
    }

    @Test("the noise of the sample is that of its bounds: scale 2 measures × 2 groupings × 20 / (1/2)")
    func terms() throws {
        let plan = try plan()
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        let terms = try #require(try layout.noiseTerms(groupings: plan.groupings(of: plan.metrics[0])))
        #expect(terms.cells == 4)
        #expect(
            terms.distributions == [
                .laplace(try DiscreteLaplace(scale: Rational(160))),
                .laplace(try DiscreteLaplace(scale: Rational(160 * 50_000))),
            ])
        #expect(try plan.noiseTerms(of: plan.metrics[0])?.distributions == terms.distributions)
    }

    /// The same plan with noise that hides devices.
    private func devices(_ old: String = "An App", _ new: String = "An App") throws -> Plan {
        let yaml = Self.noisy.replacing("    contribution_bound: 20\n    cells_bound: 3\n", with: "")
            .replacing("epsilon: 1/2}", with: "epsilon: 1/2, unit: device}")
        #expect(yaml.contains("unit: device") && yaml.contains(old))
        return try Plan(yaml: yaml.replacing(old, with: new), file: "p", today: SamplePlan.today)
    }

    @Test("noise that hides devices: once in one cell, in the layout, and in nobody's else")
    func unitDevice() throws {
        let plan = try devices()
        let metric = plan.metrics[0]
        #expect(metric.noiseUnit == .device && metric.cellsBound == 1 && metric.contributionBound == 1)
        let layout = try plan.layout(of: metric, rules: .system)
        #expect(layout.countsOnce && layout.cellsBound == 1)
        #expect(try MetricLayout(json: layout.json) == layout)
        let window = try self.plan().layout(of: self.plan().metrics[0], rules: .system)
        #expect(!window.countsOnce && !String(decoding: window.json, as: UTF8.self).contains("noiseUnit"))
        #expect(try devices("period: day\n", "period: day\n    cells_bound: 40\n").metrics[0].contributionBound == 40)
    }

    @Test("a period has the windows that begin in it, in any time zone, and all of an event counts with its window")
    func windowsOfAPeriod() throws {
        for zone in ["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Tokyo"] {
            let layout = try devices("audience: 20000", "audience: 20000, time_zone: \(zone)")
            let calendar = try #require(PeriodCalendar(timeZone: zone))
            let metric = try layout.layout(of: layout.metrics[0], rules: .system)
            let day = calendar.period(.day, containing: UnixSeconds(1_795_090_000))
            #expect(metric.windowsBeginning(in: day) == 1)
            #expect(metric.windowsBeginning(in: calendar.period(.week, containing: day.start)) == 7)
        }
    }

    @Test("plan check prints the margin of each grouping: scale 1 · (parts / part) · 2 measures / (1/2), times ln 20")
    func printedMargins() throws {
        #expect(
            try devices().noiseMargins() == [
                "metric 'orders' in total: events ±15, spent ±748933 / 10^2 in 19 of 20 cases, hiding a device in a day",
                "metric 'orders' by os: events ±60, spent ±2995732 / 10^2 in 19 of 20 cases, hiding a device in a day",
            ])
        #expect(try plan().noiseMargins().allSatisfy { $0.hasSuffix("hiding an identifier in a window") })
        let advice = try devices("rotation: 1 day", "rotation: 15 minutes").lint(today: SamplePlan.today)
        #expect(advice.contains { $0.message.contains("100 identifiers of 15 minutes: its noise is 100 times") })
    }

    static let deviceSlips: [(old: String, new: String, problem: String)] = [
        ("period: day\n", "period: day\n    contribution_bound: 4\n", "does not go with 'unit: device'"),
        ("unit: device", "unit: devise", "did you mean 'device'?"),
        ("period: day\n", "period: hour\n", "longer than its hour; count longer periods"),
    ]

    @Test("what can't stand beside it is refused with what to do", arguments: deviceSlips)
    func refusedBesideDevices(_ slip: (old: String, new: String, problem: String)) throws {
        let problems = #expect(throws: PlanProblems.self) { try devices(slip.old, slip.new) }
        #expect(
            problems?.all.contains { $0.description.contains(slip.problem) } == true, "\(String(describing: problems))")
    }

    static let slips: [(old: String, new: String, problem: String)] = [
        (
            "    budget: {epsilon: 15.5, per: month}\n", "",
            """
            11:3: metric 'orders': noise without a budget; give purpose 'product' a 'budget', such as {epsilon: 20, \
            per: month}
            """
        ),
        (
            "laplace, epsilon: 1/2", "gaussian, rho: 1/100",
            """
            12:3: metric 'orders': a cost of rho 1/100 cannot be charged to a budget of epsilon 31/2; give the purpose \
            a budget in rho
            """
        ),
        (
            "insights:",
            """
              visits:
                {title: V, events: [visit, order], question: Q, decision: D, owner: O, expires: 2027-06-30,
                purpose: product, period: day}
            insights:
            """,
            """
            12:3: metric 'orders': it is noisy, and metric 'visits' counts the same event 'order' exactly; make both \
            noisy or count different events
            """
        ),
        (
            "measures: {", "measures: {reach: true, ",
            """
            12:3: metric 'orders': noise and 'reach' do not go together: a number of devices has no noise of its \
            own; leave 'reach' out
            """
        ),
        (
            "to: 500, decimals: 2}}}\n    contribution_bound: 20",
            "to: 9000000, decimals: 6}}}\n    contribution_bound: 1000000",
            """
            12:3: metric 'orders': its noise can't be made: the scale needs 66 bits above or below its fraction bar
            """
        ),
        (
            "15.5", "15.49",
            """
            3:3: purpose 'product': its noisy metrics may make 31 releases in a month, which cost 31/2; the budget is \
            epsilon 1549/100: raise it, or let a release cost less
            """
        ),
        (
            "    noise:", "    threshold: 30\n    noise:",
            """
            25:5: metric 'orders': 'threshold' has no effect beside 'noise': no number of a noisy metric is withheld; \
            leave it out
            """
        ),
        (
            "kind: count, by: [os]", "kind: mean, sum: spent",
            """
            27:3: insight 'by_system': a quotient of noisy numbers has no margin of error; ask for count or \
            distribution, which have one
            """
        ),
        (
            "epsilon: 1/2", "epsilon: 0.5e1",
            """
            25:42: metric 'orders': 'noise': 'epsilon': found '0.5e1': not an exact number; write one such as 1/2, 0.5 \
            or 3, without an exponent
            """
        ),
        (
            "epsilon: 1/2", "epsilon: 0",
            """
            25:42: metric 'orders': 'noise': 'epsilon': found '0': the privacy loss is not positive; give a number above 0
            """
        ),
        ("epsilon: 1/2", "rho: 1/2", "25:12: metric 'orders': 'noise': laplace has 'epsilon' and nothing else"),
        (
            "epsilon: 15.5, per", "per",
            "8:13: purpose 'product': 'budget': a budget has exactly one of 'epsilon' and 'rho'"
        ),
        ("cells_bound: 3", "cells_bound: 21", "24:18: metric 'orders': 'cells_bound' is 21; 1 to 20 is allowed"),
    ]

    @Test("each rule is one problem that says what to do", arguments: slips)
    func rules(slip: (old: String, new: String, problem: String)) throws {
        let found = try problems(slip.old, slip.new)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(slip.problem) == true, "\(found)")
    }

    @Test("a margin of error beyond the audience, and windows longer than an hour, are advice")
    func advice() throws {
        func advice(_ plan: Plan) -> [String] { plan.lint(today: SamplePlan.today).map(\.message) }
        // Scale 160: 19 of 20 within 479.
        #expect(advice(try plan()).filter { $0.contains("±") }.isEmpty)
        let small = advice(try plan("audience: 20000", "audience: 478"))
        #expect(small.contains { $0.hasPrefix("metric 'orders' has numbers within ±479 in 19 of 20 cases at epsilon") })
        let yaml = Self.noisy.replacing("period: day", with: "period: hour").replacing("15.5", with: "400")
        let hourly = advice(try Plan(yaml: yaml, file: "p", today: SamplePlan.today))
        #expect(hourly.contains { $0.contains("one identifier is in up to 24 releases") })
    }

    @Test("the label and the public plan say that the numbers carry noise, and what that promises")
    func publication() throws {
        let plan = try plan()
        let label = plan.privacyLabel(today: SamplePlan.today).replacing(/\s+/, with: " ")
        #expect(label.contains("all of their numbers are published, none without random noise"))
        #expect(label.contains("likelier or less likely (epsilon 1/2)"))
        #expect(label.contains("cost at most epsilon 31/2 in each month"))
        let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
        #expect(text.contains(#""noise":{"epsilon":"1/2","mechanism":"laplace"}"#))
        #expect(text.contains(#""budget":{"epsilon":"31/2","per":"month"}"#))
        #expect(text.contains(#""cells_bound":3"#))
        // The app's k, and no k of the metric.
        #expect(text.split(separator: #""threshold""#).count == 2)
    }

    @Test("a period is charged to every slot that it touches")
    func slots() throws {
        let calendar = try #require(PeriodCalendar(timeZone: "Europe/Vienna"))
        // The week from Monday 2026-11-30 touches November and December.
        let week = try #require(calendar.period(labelled: "2026-W49"))
        #expect(calendar.slots(.month, touchedBy: week).count == 2)
        #expect(calendar.slots(.week, touchedBy: week) == [week.start..<week.end])
        #expect(calendar.slots(.day, touchedBy: week).count == 7)
        #expect(calendar.slots(.purpose, touchedBy: week) == [.epoch..<UnixSeconds(253_402_300_799)])
    }
}
