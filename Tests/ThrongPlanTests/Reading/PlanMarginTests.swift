import Foundation
import Testing
import ThrongNoise

@testable import ThrongPlan

@Suite("Margins in the plan: what metrics of the same events must have alike")
struct PlanMarginTests {
    static let margined = """
        app: {name: app, title: An App, owner: Team, contact: team@example.com, audience: 20000}
        purposes:
          product:
            explanation: To learn.
            consent: not_required
            rotation: 1 day
            retention: 400 days
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
          maker: {title: Maker, of: os, groups: {apple: [ios]}}
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
            measures: {sums: {spent: {field: amount, from: -5, to: 500, decimals: 2}}, reach: true}
            contribution_bound: 20
        insights:
          by_maker: {title: By maker, metric: orders, kind: count, by: [maker]}
        """

    private func plan(_ old: String = "An App", _ new: String = "An App") throws -> Plan {
        #expect(Self.margined.contains(old))
        return try Plan(yaml: Self.margined.replacing(old, with: new), file: "p", today: SamplePlan.today)
    }

    private func problems(_ old: String, _ new: String) throws -> [String] {
        do {
            _ = try plan(old, new)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { String($0.description.dropFirst("p:".count)) }
        }
    }

    @Test("a threshold reaches a release's terms, of which the strictest holds")
    func reading() throws {
        let plan = try plan("reach: true}", "reach: true}\n    threshold: 30")
        let metric = plan.metrics[0]
        #expect(metric.reach && metric.threshold == Threshold(devices: 30))
        let terms = plan.releaseTerms(of: metric)
        #expect(terms.threshold == metric.threshold && terms.counted?.names == ["order"])
        #expect(ReleaseTerms(threshold: .standard).stricter(with: terms).threshold == metric.threshold)
        #expect(terms.counting(nil).counted == nil && terms.counting(nil).threshold == metric.threshold)
    }

    @Test("plan check prints a line for each grouping, and a cost")
    func lines() throws {
        let plan = try plan()
        let lines = plan.marginLines().map(\.text).filter { $0.hasPrefix("metric 'orders', each day ") }
        #expect(lines.count == plan.groupings(of: plan.metrics[0]).count)
        let words = /metric 'orders', each day in total: \d+ devices, \d+ events, [\d.]+ of spent; shown from \d+ dev.*/
        #expect(lines[0].wholeMatch(of: words) != nil, "of what it is, and of which time: \(lines[0])")
        let cost = try #require(plan.marginCost(of: plan.metrics[0]))
        let said = plan.marginLines().filter {
            $0.text.hasSuffix("of 100, even knowing all others (a coin: 50; ρ \(cost))")
        }
        #expect(said.count == 1, "a sign that nobody knows stands behind what it means")
    }

    static let slips: [(old: String, new: String, problem: String)] = [
        (
            "audience: 20000", "audience: 20000, budget: 0.005",
            """
            1:98: app: 'budget' is 0.005; 0.01 to 100 with at most 2 decimal places is allowed: ρ of a device and day
            """
        ),
        (
            "to: 500, decimals: 2}}, reach: true}\n    contribution_bound: 20",
            "to: 9000000, decimals: 6}}, reach: true}\n    contribution_bound: 1000",
            """
            12:3: metric 'orders': nothing can be drawn for it: one device may add so much that the noise for it needs more \
            than 30 bits; keep fewer decimals, or lower 'to' or 'contribution_bound'
            """
        ),
        (
            "insights:",
            """
              visits:
                {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                period: day, contribution_bound: 50}
            insights:
            """,
            """
            24:3: metric 'visits': its contribution_bound is 50, and metric 'orders' counts some of the same events up to \
            20: their difference would tell of the few devices in between; give both the same
            """
        ),
        (
            "insights:",
            """
              visits:
                {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                period: day, contribution_bound: 20,
                measures: {sums: {paid: {field: amount, from: 0, to: 500, decimals: 2}}}}
            insights:
            """,
            """
            24:3: metric 'visits': its sum 'paid' adds up the same field as 'spent' of metric 'orders' and clips it \
            otherwise: both together would tell what lies in between; give both the same 'from', 'to' and 'decimals'
            """
        ),
        (
            "  maker: {title: Maker, of: os, groups: {apple: [ios]}}\nmetrics:",
            """
              maker: {title: Maker, of: os, groups: {apple: [ios]}}
              phone: {title: Phone, field: os, list: [ios]}
            metrics:
              visits:
                {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                period: day, contribution_bound: 20, dimensions: [phone]}
            """,
            """
            16:3: metric 'orders': dimensions 'os' and 'phone' of metric 'visits' read the same field of the same events, \
            and only one of them has 'partitions: devices'; give it to both or to none
            """
        ),
    ]

    private static let frequency = """
          times:
            {title: T, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
            period: day, measures: {frequency: {bands: [1, 2, 4, 8, 16, 32]}}}
        insights:
        """

    private func choosing(_ old: String = "An App", _ new: String = "An App", more: String = Self.frequency) throws
        -> Plan
    {
        let yaml = Self.margined.replacing("contribution_bound: 20", with: "contribution_bound: auto")
            .replacing("audience: 20000", with: "audience: 20000, grace: 3 days").replacing("insights:", with: more)
            .replacing(old, with: new)
        return try Plan(yaml: yaml, file: "p", today: SamplePlan.today)
    }

    @Test(
        "a bound that releases choose follows a frequency: its layout has rungs, and each bound that it can have a margin"
    )
    func chosen() throws {
        let plan = try choosing()
        let orders = plan.metrics[0]
        let layout = try plan.layout(of: orders, rules: .system)
        #expect(
            orders.choosesBound && layout.contributionBound == 20 && layout.rungs == [2, 5, 10, 20, 50, 100, 200])
        #expect(layout.bounded(by: 5).contributionBound == 5 && layout.bounded(by: 5).counted == layout)
        #expect(try MetricLayout(json: layout.json) == layout)
        let fixed = try self.plan()
        #expect(try fixed.layout(of: fixed.metrics[0], rules: .system).bounded(by: 5).contributionBound == 20)
        let line = try #require(plan.marginLines().map(\.text).first { $0.contains("has the smallest bound") })
        let words =
            /.* as metric 'times' told before, else 20 or more; in total off by \d+ events by 2, .* by 5, .* by 10, .* by 20, .*/
        #expect(line.wholeMatch(of: words) != nil && line.hasSuffix(" by 50"), "\(line)")
        #expect(try plan.publicPlan().metrics[0].contributionBound == 200)
        let meanings = try PlanDiff(from: fixed, to: plan, rules: .system).changes.map(\.meaning)
        #expect(meanings.contains("its bound is chosen by each release"))
        #expect(meanings.contains { $0.hasSuffix("an identifier adds 200 at most in a window instead of 20") })
    }

    /// The bound by which noise goes. Unit: events.
    private static func width(_ bound: Int) -> Double { max(Double(bound), NoiseWidth.leastBound) }

    @Test("bounds of several periods of a window, and of several days, come to no more than is said of them")
    func rungs() throws {
        var most: [Int: Double] = [:]
        for bound in Metric.boundRungs {
            func share(above lower: Int) -> Double { pow(Double(bound - lower) / Self.width(bound), 2) }
            let after = Metric.boundRungs.filter { $0 < bound }.map { (most[$0] ?? 0) + share(above: $0) }
            most[bound] = max(share(above: 0), after.max() ?? 0)
        }
        #expect(abs((most.values.max() ?? 0) - Metric.boundShares) < 1e-9)
        for least in Metric.boundRungs {
            let widths = Metric.boundRungs.filter { $0 >= least }.map(Self.width)
            #expect(widths.reduce(0) { $0 + pow(widths[0] / $1, 2) } < 4.0 / 3)
        }
    }

    @Test("a device of several periods may meet a bound in each, be they UTC's days; a release tells its own cost")
    func shares() throws {
        func cost(_ plan: Plan) throws -> Double {
            try #require(plan.marginCost(of: plan.metrics[0]).flatMap(Double.init))
        }
        // A count and a sum, in total and by three systems.
        let events = 2 * 50.0 / 400 * (1 + 2.0 / 3)
        // Devices are met in all 121 hours that events of an identifier may lie in, and not in 20 of them.
        for (period, devices) in [("day", 0), ("hour", 101 * 8.0 / 400 * (1 + 2.0 / 3))] {
            let kind = "period: \(period)"
            let more = try cost(choosing("period: day", kind)) - cost(plan("period: day", kind))
            #expect(abs(more - (Metric.boundShares - 1) * events - devices) < 0.02, "\(period): \(more)")
        }
        let plan = try choosing()
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        let shape = try MarginShape(layout, groupings: [.total])
        func drawn(_ bound: Int) throws -> Double {
            try MarginCost(shape, layout.bounded(by: bound), .standard).rho
                - MarginCost(shape, layout.bounded(by: bound), .standard, drawsEvents: false).rho
        }
        for (place, bound) in Metric.boundRungs.enumerated() {
            for other in Metric.boundRungs[place...].dropFirst() {
                let (first, rest) = (Double(bound) / Self.width(bound), Double(other - bound) / Double(other))
                let most = 2 * 50.0 / 400 * (first * first + rest * rest)
                #expect(try drawn(bound) + drawn(other) > most, "\(bound) and \(other)")
            }
        }
        #expect(try abs(drawn(2) - 2 * 32.0 / 400) < 1e-9 && abs(drawn(200) - 2 * 50.0 / 400) < 1e-9)
    }

    @Test("a bound is the smallest that few exceed, else that above what many do: 20 at least, and the highest at most")
    func ladder() {
        for (edge, bound) in [(2, 2), (3, 2), (4, 5), (6, 5), (51, 50), (52, 100), (201, 200), (301, 200)] {
            #expect(Metric.chosenBound(few: edge) == bound && Metric.chosenBound(few: edge, many: 150) == bound)
        }
        for (edge, bound) in [(0, 20), (6, 20), (20, 20), (21, 50), (50, 50), (51, 100), (101, 200), (501, 200)] {
            #expect(Metric.chosenBound(few: nil, many: edge) == bound)
        }
    }

    @Test("without a frequency that tells it, or beside another bound, no release could choose")
    func unchosen() throws {
        func problems(_ more: String) throws -> [String] {
            let problems = #expect(throws: PlanProblems.self) { try choosing(more: more) }
            return problems?.all.map(\.description) ?? []
        }
        #expect(try problems("insights:").first?.contains("'contribution_bound: auto' follows a frequency") == true)
        let unshown = Self.frequency.replacing("32]}}", with: "32]}}, dimensions: [os], margins: [[os]]")
        #expect(try problems(unshown).first?.contains("there is none that is released in total; add a metric") == true)
        #expect(try problems("insights:").first?.contains("{bands: [1, 3, 6, 11, 21, 51, 101, 201]}") == true)
        let blind = "{explanation: To see., consent: not_required, identifier: none, retention: 9 days}"
        for (more, cause) in [
            ("purpose: product, sampling: 0.5", "with 'sampling'"),
            ("purpose: blind", "of a purpose with 'identifier: none'"),
        ] {
            let halved = """
                  halved:
                    {title: H, events: [other], question: Q, decision: D, owner: O, expires: 2027-06-30, period: day,
                    contribution_bound: auto, \(more)}
                  times:
                """
            let found = #expect(throws: PlanProblems.self) {
                let more = Self.frequency.replacing("  times:", with: halved)
                return try choosing("purposes:", "purposes:\n  blind: \(blind)", more: more)
            }
            let texts = found?.all.map(\.description) ?? []
            #expect(texts.count == 1 && texts[0].hasSuffix("none tells what adds to a metric \(cause); give a number"))
        }
        let beside = """
              visits:
                {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                period: day}
            """
        let found = try problems(beside + "\n" + Self.frequency)
        #expect(found.count == 1 && found[0].contains("its contribution_bound is 20, and metric 'orders'"), "\(found)")
        #expect(found[0].contains("up to auto by 'times'"))
    }

    @Test("each rule is one problem that says what to do", arguments: slips)
    func rules(slip: (old: String, new: String, problem: String)) throws {
        let found = try problems(slip.old, slip.new)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(slip.problem) == true, "\(found)")
    }

    @Test(
        "margins go with coarser periods and with devices that clients say or devices prove",
        arguments: [
            ("    contribution", "    rollups: [week]\n    contribution"), ("reach: true", "reach: client"),
            ("rotation: 1 day", "rotation: 1 day\n    floor: attested"),
            ("    contribution", "    rollups: [month]\n    decay: [{after: 60 days, keep: months}]\n    contribution"),
        ])
    func together(old: String, new: String) throws { #expect(try problems(old, new) == []) }

    @Test(
        "every kind of insight and every view may be asked for",
        arguments: [
            "kind: reach, by: [maker]", "kind: mean, sum: spent", "kind: share, basis: events, by: [maker]",
            "kind: share, basis: devices, part: {maker: apple}", "kind: count, by: [maker], top: 1",
            "kind: count, change: [period_before]", "kind: mean, sum: spent, change: [period_before]",
            "kind: reach, trend: 7",
        ])
    func insights(asked: String) throws {
        #expect(try problems("kind: count, by: [maker]", asked).isEmpty)
    }

    @Test(
        "metrics of the same events make noise wider where they split a field by rules that may have a bucket in common"
    )
    func factors() throws {
        func factors(_ rule: String) throws -> MarginFactors {
            let visits = """
                  visits:
                    {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                    period: day, contribution_bound: 20, dimensions: [other]}
                insights:
                """
            let yaml = Self.margined.replacing(
                "  maker:", with: "  other: {title: Other, field: os, \(rule), partitions: devices}\n  maker:"
            ).replacing("insights:", with: visits)
            let plan = try Plan(yaml: yaml, file: "p", today: SamplePlan.today)
            return plan.marginFactors(of: plan.metrics[0])
        }
        #expect(try factors("list: [ios, linux]") == MarginFactors(events: 2, devices: 2))
        #expect(try factors("list: [ios, android]") == MarginFactors(events: 1, devices: 1))
        #expect(try factors("operating_system: standard") == MarginFactors(events: 1, devices: 1))
    }

    @Test("the label, the record and the public plan say how far off numbers are, in devices")
    func publication() throws {
        let plan = try plan()
        let label = plan.privacyLabel(today: SamplePlan.today).replacing(/\s+/, with: " ")
        #expect(label.contains("Every published number is off on purpose"))
        #expect(label.contains("by up to about 14 devices, or what 6 devices may add"))
        for (bound, words) in [("1", "what 14 devices may add"), ("2", "what 7 devices"), ("3", "what 6 devices")] {
            let low = try self.plan("bound: 20", "bound: \(bound)").privacyLabel(today: SamplePlan.today)
            #expect(low.replacing(/\s+/, with: " ").contains("or \(words)"), "noise of 2.5 events or more: \(bound)")
        }
        #expect(label.contains("A group of fewer than 20 devices is never shown."))
        let record = ProcessingRecord(of: plan)
        #expect(record.markdown.contains("Orders (about 14 devices, never of fewer than 20"))
        let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
        // The app's k, and the metric's.
        #expect(text.split(separator: #""threshold":20"#).count == 3)
    }
}
