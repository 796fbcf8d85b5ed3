import Testing

@testable import ThrongPlan

@Suite("Margins in the plan: what they need, and what cannot stand beside them")
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
            margin: standard
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
            return problems.all.map { $0.description.replacing("p:", with: "") }
        }
    }

    @Test("a margin is read, with a threshold, reach and a coarser dimension beside it, and reaches a release's terms")
    func reading() throws {
        let plan = try plan("margin: standard", "margin: standard\n    threshold: 30")
        let metric = plan.metrics[0]
        #expect(metric.margin == .standard && metric.reach && metric.threshold == Threshold(devices: 30))
        let terms = plan.releaseTerms(of: metric)
        #expect(terms.margin == .standard && terms.counted != nil)
        #expect(ReleaseTerms(threshold: .standard).stricter(with: terms).margin == .standard)
        #expect(terms.stricter(with: ReleaseTerms(threshold: .standard)).counting(nil).margin == .standard)
    }

    @Test("counters are the same with a margin and without, so that the layout says nothing of it")
    func layout() throws {
        let layouts = try [plan(), plan("    margin: standard\n", "")].map {
            try $0.layout(of: $0.metrics[0], rules: .system)
        }
        #expect(layouts[0] == layouts[1])
        #expect(layouts[0].trackedMargins.count > 0 && layouts[0].hasIdentifiers)
        let json = String(decoding: layouts[0].json, as: UTF8.self)
        #expect(!json.contains("margin\"") && !json.contains("identifiers"))
        #expect(try MetricLayout(json: layouts[0].json) == layouts[0])
    }

    @Test("plan check prints a line for each grouping; an exact metric has no cost")
    func lines() throws {
        let plan = try plan()
        let lines = plan.marginLines().filter { $0.hasPrefix("metric 'orders' ") && $0.contains("in 19 of 20 cases") }
        #expect(lines.count == plan.groupings(of: plan.metrics[0]).count)
        #expect(lines[0].contains("spent ±") && lines[0].contains("."), "in the sum's unit: \(lines[0])")
        #expect(plan.marginCost(of: plan.metrics[0]) != nil)
        let exact = try self.plan("    margin: standard\n", "")
        #expect(exact.marginLines().isEmpty && exact.marginCost(of: exact.metrics[0]) == nil)
    }

    static let slips: [(old: String, new: String, problem: String)] = [
        (
            "margin: standard", "margin: wide",
            "24:13: metric 'orders': 'margin': found 'wide'; allowed: standard"
        ),
        (
            "to: 500, decimals: 2}}, reach: true}\n    contribution_bound: 20",
            "to: 9000000, decimals: 6}}, reach: true}\n    contribution_bound: 1000",
            """
            12:3: metric 'orders': nothing can be drawn for it: one device may add so much that the noise for it needs more \
            than 50 bits; keep fewer decimals, or lower 'to' or 'contribution_bound'
            """
        ),
        (
            "    margin:", "    protection: 20\n    margin:",
            """
            24:5: metric 'orders': 'protection' has no effect beside 'margin', with which no number is withheld to protect \
            another one; leave it out
            """
        ),
        (
            "    margin:", "    sensitive: [os]\n    margin:",
            "24:5: metric 'orders': 'sensitive' has no effect beside 'margin'"
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
            12:3: metric 'orders': it has a margin, and metric 'visits' counts the same event 'order' exactly; give both \
            'margin: standard', or count different events
            """
        ),
        (
            "insights:",
            """
              visits:
                {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                period: day, margin: standard}
            insights:
            """,
            """
            25:3: metric 'visits': its contribution_bound is 100, and metric 'orders' counts some of the same events up to \
            20: their difference would tell of the few devices in between; give both the same
            """
        ),
        (
            "insights:",
            """
              visits:
                {title: V, events: [order], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: product,
                period: day, margin: standard, contribution_bound: 20,
                measures: {sums: {paid: {field: amount, from: 0, to: 500, decimals: 2}}}}
            insights:
            """,
            """
            25:3: metric 'visits': its sum 'paid' adds up the same field as 'spent' of metric 'orders' and clips it \
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
                period: day, margin: standard, contribution_bound: 20, dimensions: [phone]}
            """,
            """
            16:3: metric 'orders': dimensions 'os' and 'phone' of metric 'visits' read the same field of the same events, \
            and only one of them has 'partitions: devices'; give it to both or to none
            """
        ),
    ]

    @Test("each rule is one problem that says what to do", arguments: slips)
    func rules(slip: (old: String, new: String, problem: String)) throws {
        let found = try problems(slip.old, slip.new)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(slip.problem) == true, "\(found)")
    }

    @Test(
        "a margin goes with coarser periods and with devices that clients say or devices prove",
        arguments: [
            ("    margin:", "    rollups: [week]\n    margin:"), ("reach: true", "reach: client"),
            ("rotation: 1 day", "rotation: 1 day\n    floor: attested"),
            ("    margin:", "    rollups: [month]\n    decay: [{after: 60 days, keep: months}]\n    margin:"),
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
                    period: day, margin: standard, contribution_bound: 20, dimensions: [other]}
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
        #expect(label.contains("Some numbers are off on purpose"))
        #expect(label.contains("by up to about 14 devices, or what 6 devices may add"))
        #expect(label.contains("A group of fewer than 20 devices is never shown."))
        let record = ProcessingRecord(of: plan)
        #expect(record.markdown.contains("Orders (about 14 devices, never of fewer than 20"))
        let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
        #expect(text.contains(#""margin":"standard""#))
        // The app's k, and the metric's.
        #expect(text.split(separator: #""threshold":20"#).count == 3)
    }

    @Test("numbers with a margin are no equations: their metrics are tied to none, whichever plan gave it")
    func ties() throws {
        let audience = CountedEvents.Audience.terms(needsConsent: false, refusedBy: [])
        func history(_ margin: MetricMargin?) -> TermsHistory {
            func version(_ metric: MetricName, _ layout: Int64, _ margin: MetricMargin?) -> TermsVersion {
                TermsVersion(
                    metric: metric, layout: layout, since: nil, until: nil,
                    terms: ReleaseTerms(
                        threshold: .standard, margin: margin,
                        counted: CountedEvents(names: ["order"], audience: audience)))
            }
            return TermsHistory(
                [version("orders", 1, margin), version("former", 2, nil)], from: UnixSeconds(0),
                to: UnixSeconds(86_400))
        }
        func tied(_ plan: Plan, _ history: TermsHistory) throws -> Set<MetricName> {
            let former = try #require(history.counted(by: "former"))
            return EventTies(plan).during(history).metrics(tiedTo: "former", counting: former)
        }
        let exact = try plan("    margin: standard\n", "")
        #expect(try tied(exact, history(nil)) == ["orders"])
        #expect(try tied(exact, history(.standard)).isEmpty && tied(plan(), history(nil)).isEmpty)
    }

    @Test("a margin that comes tightens, one that goes widens, and counters go on")
    func changes() throws {
        let (with, without) = (try plan(), try plan("    margin: standard\n", ""))
        let comes = try PlanDiff(from: without, to: with, rules: .system)
        #expect(comes.changes.map(\.meaning).contains("its numbers have a margin instead of being exact"))
        #expect(comes.kinds == [.tightens])
        let goes = try PlanDiff(from: with, to: without, rules: .system)
        #expect(goes.changes.contains { $0.kind == .widens && $0.meaning.hasPrefix("its numbers are exact") })
        #expect(!goes.kinds.contains(.splits))
    }
}
