import Testing
import ThrongAudit
import ThrongPlan

/// What the audit reads out of a plan.
@Suite("What an attacker reads in a plan")
struct KnownPlanTests {
    private static func dimensions(_ yaml: String, _ names: String) throws -> [KnownDimension] {
        let plan = try PlanTown.plan(yaml, PlanTown.metric("visits", "visit, leave", names))
        return try #require(KnownPlan(plan).metrics.first).dimensions
    }

    @Test("a metric is its events, clients, windows, bound, k and sums; what is sampled or drawn is not compared")
    func metric() throws {
        let plan = try PlanTown.plan(
            "country: {title: Country, field: country, list: [AT, DE], partitions: devices}",
            PlanTown.metric("visits", "visit, leave", "country", purpose: "asked", bound: 7)
                + PlanTown.metric("some", "visit", "country", more: ", sampling: 0.5"),
            purposes: "asked: {explanation: To see., consent: required, rotation: 1 hour, retention: 30 days}")
        let known = KnownPlan(plan, since: PlanTown.monday)
        #expect(known.app == "town" && known.since == PlanTown.monday)
        let metric = try #require(known.metrics.first { $0.name == "visits" })
        #expect(metric.events == ["visit", "leave"] && metric.clients.haveAgreed && metric.windowSeconds == 3600)
        #expect(metric.bound == 7 && metric.threshold == 20 && metric.isComparable)
        #expect(known.metrics.first { $0.name == "some" }?.isComparable == false)
    }

    @Test("countries are codes in either case, screens and memory are numbers, systems are names, versions stand apart")
    func rules() throws {
        let found = try Self.dimensions(
            """
            where: {title: Where, field: country, region: {Near: [AT, DE]}, partitions: devices}
            age: {title: Age, field: age, bands: [18, 65]}
            os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
            """, "where, age, os")
        #expect(found.map(\.field) == ["country", "age", "user_agent"])
        #expect(
            found[0].rule
                == .values([.init(label: "Near", values: ["AT", "DE"])], rest: "other", folds: true))
        #expect(found[1].rule == .edges([18, 65], labels: ["<18", "18-65", ">=65", "other"]))
        #expect(found[2].rule.kind == "system" && found[2].rule.labels.last == "other")
    }

    @Test("bands of two metrics on one field meet between their edges")
    func bands() throws {
        func plan(_ edge: Double) -> KnownMetric {
            KnownMetric(
                name: edge == 18 ? "young" : "younger", events: ["visit"], purpose: "product", bound: 1, threshold: 20,
                dimensions: [
                    KnownDimension(
                        name: edge == 18 ? "age" : "years", field: "age",
                        rule: .edges([edge], labels: ["<\(Int(edge))", ">=\(Int(edge))"]))
                ])
        }
        var input = AuditInput()
        for (metric, dimension, edge, value) in [("young", "age", 18, 300), ("younger", "years", 16, 291)] {
            let labels = ["<\(edge)", ">=\(edge)"]
            input.declare(.init(name: dimension, elements: labels))
            input.families.append(
                AuditFamily(
                    source: metric, app: "town", metric: metric, measures: [.count],
                    period: AuditPeriod(start: 0, end: 86_400), threshold: 20,
                    axes: [.init(dimension: dimension, alternatives: labels.map { [$0] })]))
            input.statements.append(
                AuditStatement(
                    source: metric, app: "town", metric: metric,
                    region: AuditRegion(period: .init(start: 0, end: 86_400), buckets: [dimension: labels[0]]),
                    value: Int64(value)))
        }
        let report = Auditor().audit(input, knowing: [KnownPlan(app: "town", metrics: [plan(18), plan(16)])])
        #expect(report.pins.contains { $0.lower == 9 && $0.upper == 9 && $0.target.contains("[16.0, 18.0)") })
    }

    @Test(
        "devices add up in one window, or where they prove themselves once a period, by what partitions them, and nowhere else"
    )
    func devices() throws {
        func report(windowSeconds: Int64 = 86_400, provesFirsts: Bool = false, partitions: Bool = true) -> AuditReport {
            let country = KnownDimension(
                name: "country", field: "country",
                rule: .values(
                    ["AT", "DE"].map { .init(label: $0, values: [$0]) }, rest: "other", folds: false),
                partitionsDevices: partitions)
            let plan = KnownPlan(
                app: "town",
                metrics: [
                    KnownMetric(
                        name: "visits", events: ["visit"], purpose: "product", windowSeconds: windowSeconds,
                        provesFirsts: provesFirsts, bound: 10, threshold: 20, dimensions: [country])
                ])
            var input = AuditInput()
            let period = AuditPeriod(start: 0, end: 86_400)
            input.declare(.init(name: "country", elements: country.labels, partitionsDevices: partitions))
            for axes in [[], [AuditFamily.Axis(dimension: "country", alternatives: country.labels.map { [$0] })]] {
                input.families.append(
                    AuditFamily(
                        source: "visits", app: "town", metric: "visits", measures: [.count, .reach], period: period,
                        threshold: 20, axes: axes))
            }
            for (buckets, measure, value) in [
                ([:], AuditMeasure.count, 5000), ([:], .reach, 640), (["country": "AT"], .reach, 300),
                (["country": "DE"], .reach, 337),
            ] {
                input.statements.append(
                    AuditStatement(
                        source: "visits", app: "town", metric: "visits", measure: measure,
                        region: AuditRegion(period: period, buckets: buckets), value: Int64(value)))
            }
            return Auditor().audit(input, knowing: [plan])
        }
        for report in [report(), report(windowSeconds: 900, provesFirsts: true)] {
            let pin = try #require(report.pins.first { $0.measure == .reach })
            #expect(pin.lower == 3 && pin.upper == 3 && pin.target.contains("country=other"))
        }
        #expect(report(windowSeconds: 3600).holds)
        #expect(report(partitions: false).holds)
    }

    @Test("34: a sum bounds the events behind it by its clip, and those in a band by the band's edge")
    func sums() throws {
        let spent = KnownSum(name: "spent", field: "amount", lowest: 0, highest: 500, decimals: 2, unit: "EUR")
        let plan = KnownPlan(
            app: "town",
            metrics: [
                KnownMetric(
                    name: "orders", events: ["order"], purpose: "product", bound: 1, threshold: 20,
                    dimensions: [
                        KnownDimension(name: "size", field: "amount", rule: .edges([100], labels: ["<100", ">=100"]))
                    ], sums: [spent])
            ])
        func report(_ total: Int64) -> AuditReport {
            var input = AuditInput()
            let period = AuditPeriod(start: 0, end: 86_400)
            input.declare(.init(name: "size", elements: ["<100", ">=100"]))
            for axes in [[], [AuditFamily.Axis(dimension: "size", alternatives: [["<100"], [">=100"]])]] {
                input.families.append(
                    AuditFamily(
                        source: "orders", app: "town", metric: "orders", measures: [.count, .sum("spent")],
                        period: period, threshold: 20, axes: axes))
            }
            for (measure, value) in [(AuditMeasure.count, 400), (.sum("EUR"), total * 1_000_000)] {
                input.statements.append(
                    AuditStatement(
                        source: "orders", app: "town", metric: "orders", measure: measure,
                        region: AuditRegion(period: period, slices: []), value: value))
            }
            return Auditor().audit(input, knowing: [plan])
        }
        // 900 of 400 orders: nine of them at most are of 100 or more.
        let pin = try #require(report(900).pins.first { $0.measure == .count })
        #expect(pin.kind == .bounded && pin.upper == 9 && pin.target.contains("[100.0, inf)"))
        #expect(!report(9_000).pins.contains { $0.measure == .count })
        // And of 150,000 at least 275 are: (150,000 - 400 · 100) / 400.
        #expect(!report(150_000).pins.contains { $0.measure == .count })
    }
}
