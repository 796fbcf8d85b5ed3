import ThrongSystem

@testable import ThrongPlan

/// Random plans whose texts are what somebody scribbled: for properties that hold whatever a plan says.
struct ScribbledPlan {
    private var random: SeededGenerator
    /// What texts are made of.
    private let scraps: [String]
    private var texts = 0

    /// Markup, line breaks, and what looks like either.
    static let hostile = [
        "# heading", "\n# Forged", "\r\n## 7. Measures", "\u{2028}### x", "| a | b |", "a |", "|---|",
        "](https://evil.example)", "[a](b)", "![a](b)", "<script>alert(1)</script>", "<!-- ", "**bold**",
        "__bold__", "`code`", "``` ", "~~~", "ends \\", "&lt;b&gt;", "- item", "+ item", "1. item",
        "\n\n2) item", "> quote", "===", "\t    code", "$x$", "a\u{202e}b\u{2066}c", "<\u{338}b", "*\u{301}a*",
        "\0", "{{x}}", "~~gone~~", "https://example.org/?a=b&c=d", "plain",
    ]

    init(seed: UInt64, scraps: [String] = Self.hostile) {
        random = SeededGenerator(seed: seed)
        self.scraps = scraps
    }

    private mutating func text() -> String {
        texts += 1
        let scrap = scraps[Int.random(in: scraps.indices, using: &random)]
        // One that nothing else in the plan is.
        return Bool.random(using: &random) ? "\(scrap) t\(texts)" : "t\(texts) \(scrap)"
    }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: all.indices, using: &random)]
    }

    private mutating func some<Element>(_ all: [Element]) -> [Element] {
        all.filter { _ in Bool.random(using: &random) }
    }

    private mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func plan() -> Plan {
        let purposes = (1...count(1...4)).map { purpose($0) }
        let dimensions = [
            Dimension(
                name: "kind_of", title: text(), field: .event,
                rule: .list([BucketGroup(label: "seen", values: ["view"])]), partitionsDevices: false),
            Dimension(
                name: "age", title: text(), field: "age", rule: .bands(edges: [10, 20]), partitionsDevices: false),
            Dimension(
                name: "os", title: text(), field: "os",
                rule: .list(["ios", "android"].map { BucketGroup(label: BucketLabel($0), values: [$0]) }),
                partitionsDevices: true),
            Dimension(
                name: "query", title: text(), field: "query", rule: .revealed(most: 50), partitionsDevices: false),
        ]
        let derived = [
            DerivedDimension(
                name: "platform", title: text(), base: "os",
                groups: [BucketGroup(label: "mobile", values: ["ios", "android"])], partitionsDevices: true)
        ]
        let metrics = (1...count(1...5)).map { metric($0, for: pick(purposes).name) }
        let insights = metrics.map { metric in
            Insight(
                name: InsightName("of_\(metric.name)"), title: text(), explanation: nil, metric: metric.name,
                kind: .count,
                by: some(metric.dimensions), filters: [])
        }
        let partners = (0..<count(0...3)).map { number in
            Partner(name: PartnerName("partner_\(number)"), title: text(), contact: text())
        }
        let reports = (0..<(partners.isEmpty ? 0 : count(0...4))).map { number in
            report(number, of: insights, for: pick(partners).name)
        }
        return Plan(
            app: App(
                name: "an_app", title: text(), owner: text(), contact: text(), audience: count(1...100_000),
                threshold: .standard, timeZone: "UTC", grace: .seconds(3600)),
            purposes: purposes, dimensions: dimensions, derivedDimensions: derived, metrics: metrics,
            insights: insights,
            reports: reports, partners: partners, version: PlanVersion(hex: String(repeating: "0", count: 64)))
    }

    private mutating func purpose(_ number: Int) -> Purpose {
        Purpose(
            name: PurposeName("purpose_\(number)"), explanation: text(), needsConsent: Bool.random(using: &random),
            refusedBy: Set(some(OptOutSignal.allCases)), rotation: Rotation(seconds: pick([900, 3600, 86_400])),
            retention: .seconds(86_400 * count(1...500)))
    }

    private mutating func metric(_ number: Int, for purpose: PurposeName) -> Metric {
        let names: [DimensionName] = some(["kind_of", "age", "os", "query"])
        var actions: [DecayStep.Action] = some(names).map { .drop($0) }
        if names.contains("os"), Bool.random(using: &random) {
            actions.removeAll { $0 == .drop("os") }
            actions.append(.coarsen("os", to: "platform"))
        }
        actions += some([.keep(.week), .keepTotals])
        var age = 0
        let decay = actions.shuffled(using: &random).map { action in
            age += count(1...200)
            return DecayStep(after: .seconds(Int64(age) * 86_400), action: action)
        }
        return Metric(
            name: MetricName("metric_\(number)"), title: text(), events: some(["buy", "view"]) + ["look"],
            question: text(),
            decision: text(), owner: text(), expires: SamplePlan.today, purpose: purpose, dimensions: names,
            period: .day,
            rollups: actions.contains(.keep(.week)) ? [.week] : [],
            sums: some([SumMeasure(name: "spent", field: "amount", lowest: 0, highest: 10, decimals: 1, unit: text())]),
            histogram: nil, reach: true, contributionBound: count(1...1000), sampling: 1,
            threshold: Threshold(devices: Int64(count(20...60))), margins: [], decay: decay)
    }

    private mutating func report(_ number: Int, of insights: [Insight], for partner: PartnerName) -> Report {
        Report(
            name: ReportName("report_\(number)"), title: text(), explanation: nil, partner: partner,
            insights: some(insights).map(\.name), period: .day, schedule: nil, formats: ReportFormat.standard,
            deliveries: some([.folder("out/\(text())")]))
    }
}
