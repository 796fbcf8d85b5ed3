import Foundation
import Testing
import ThrongChance
import ThrongNoise
import ThrongPlan
@_spi(Ledger) import ThrongRelease

@testable import ThrongInsight
@testable import ThrongReport

@Suite("a report says of each noisy number that it is one, and how far off it may be")
struct NoiseTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100000, time_zone: Europe/Vienna}
        purposes:
          product:
            explanation: To see.
            consent: not_required
            rotation: 1 day
            retention: 30 days
            budget: {epsilon: 31/2, per: month}
        dimensions:
          os: {title: System, field: os, list: [ios, android, windows], partitions: devices}
          channel: {title: Channel, field: channel, list: [search, mail]}
        metrics:
          orders:
            title: Orders
            events: [order]
            question: How many?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [os, channel]
            period: day
            measures: {histogram: {name: basket, title: Basket value, field: amount, edges: [20, 50], unit: EUR}}
            contribution_bound: 5
            noise: {mechanism: laplace, epsilon: 1/2}
        insights:
          all: {title: Orders, metric: orders, kind: count}
          by_system: {title: Orders by system, metric: orders, kind: count, by: [os]}
          by_both: {title: Orders by system and channel, metric: orders, kind: count, by: [os, channel]}
          baskets: {title: What a basket is worth, metric: orders, kind: distribution}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily: {title: The day in the shop, partner: bank, insights: [all, by_system, by_both, baskets], period: day}
        """

    /// Drawn values that no sampler would give: 1000 plus the place, but for one negative and one zero.
    private static func document(of yaml: String = yaml) throws -> ReportDocument {
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        let groupings = plan.groupings(of: metric)
        let weights = groupings.map { NoiseTerms.weight(of: $0, shown: []) }
        let terms = try #require(try layout.noiseTerms(groupings: groupings, weights: weights))
        let period = try #require(PeriodCalendar(timeZone: "Europe/Vienna")?.period(labelled: "2026-11-19"))
        let header = ReleaseHeader(
            layout: layout, period: period, plan: plan.version, threshold: .none, sampling: metric.sampling,
            reach: false, groupings: groupings, protection: nil, noise: try ReleaseNoise(terms, weights: weights))
        var values = (0..<Int64(terms.cells)).map { 4000 + 137 * $0 }
        values[3] = -212
        values[4] = 0
        let draw = NoiseDraw(release: NoiseReleaseID("t"), values: [values])
        let release = try Release(noisy: header, draw: draw, digest: DrawDigest(of: draw))
        return ReportDocument(
            plan: plan, report: try #require(plan.reports.first), period: period, releases: [release])
    }

    @Test("of a sample, the interval has the noise in it, and a negative number has one")
    func sampled() throws {
        let yaml = Self.yaml.replacingOccurrences(
            of: "contribution_bound: 5", with: "sampling: 0.25\n    contribution_bound: 5")
        let document = try Self.document(of: yaml)
        var negative = 0
        for answer in document.answers {
            for quantity in (answer.answered?.table.rows ?? []).compactMap(\.figure.quantity) {
                let interval = try #require(answer.interval(of: quantity))
                #expect(interval.low.units >= 0 && interval.low.units < interval.high.units)
                if quantity.approximate < 0 { negative += 1 }
            }
        }
        #expect(negative > 0)
        let html = try document.html()
        #expect(html.contains("95% interval") && html.contains("Sampling rate 0.25"))
        #expect(!html.contains("Give or take"), "that is of the sample, and the number is not")
        #expect(document.json.contains("\"low\"") && document.csv.contains("laplace, epsilon 1/2"))
    }

    @Test(
        "of two thousand noisy samples, 19 of 20 intervals hold all events (94 to 99 %)",
        arguments: [(400, 0.1, 5.0), (30, 0.5, 20.0), (0, 0.25, 8.0), (2000, 0.05, 3.0)])
    func coverage(events: Int, rate: Double, scale: Double) {
        var dice = SeededGenerator(seed: UInt64(events))
        // 95 % of Laplace noise is within ln 20 times its scale.
        let margin = Int64((scale * log(20)).rounded(.up))
        var held = 0
        for _ in 0..<2000 {
            let kept = (0..<events).count { _ in Double.random(in: 0..<1, using: &dice) < rate }
            let noise = -scale * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &dice))
            let noisy = Double(kept) + (Bool.random(using: &dice) ? noise : -noise)
            let (low, high) = Interval.total(Int64(noisy.rounded()), rate: rate, margin: margin)
            if low <= Double(events), Double(events) <= high { held += 1 }
        }
        #expect((1880...1985).contains(held), "\(held) of 2000")
    }

    @Test("HTML: no number is withheld, none is a share, each table has the margin, and the promise is in words")
    func html() throws {
        let html = try Self.document().html()
        #expect(!html.contains("class=\"withheld\"") && !html.contains("withheld-marker\">"))
        #expect(!html.contains("every published number stands for"))
        #expect(html.contains("\u{2212}212"))
        #expect(html.contains("±"))
        #expect(html.contains("Noise: laplace, epsilon 1/2"))
        #expect(html.contains("parts do not add up to totals"))
        // A day in Vienna touches two UTC days.
        #expect(html.contains("for one that was active in 2 windows of this period the bound is 2.72 times"))
        #expect(html.contains("<td class=\"n\">noise</td>"))
        #expect(html.contains(">Basket value (EUR)</th>"))
    }

    @Test("CSV: two more columns, and only where there is noise")
    func csv() throws {
        let document = try Self.document()
        let lines = document.csv.split(separator: "\r\n")
        let margin = try #require(document.answers[0].answered?.basis.noise?.margin)
        #expect(lines[0].hasSuffix(",withheld_share,status,row,noise,margin"))
        #expect(
            lines.dropFirst().allSatisfy { line in
                ["group", "whole"].contains { line.hasSuffix(",published,\($0),\"laplace, epsilon 1/2\",\(margin)") }
            })
        #expect(lines.contains { $0.contains(",-212,events,\"events, with noise\",,1,,published,") })
        #expect(!Shop().document.csv.contains("noise"))
    }

    @Test("JSON is valid by its schema, with every number published and k null")
    func json() throws {
        let document = try Self.document()
        #expect(document.json.contains("\"k\": null"))
        #expect(!document.json.contains("\"status\": \"withheld\""))
        #expect(document.json.contains("\"value\": -212"))
        #expect(document.json.contains("\"epsilon\": \"1/2\""))
        #expect(!Shop().document.json.contains("\"noise\""))
    }

    /// The same without identifiers.
    private static let nameless: String = yaml.replacing("    rotation: 1 day\n", with: "    identifier: none\n")

    @Test("without identifiers the basis says that nobody knows of how many devices numbers are; with them it does not")
    func basis() throws {
        let words = "without identifiers: of how many devices is not known"
        let document = try Self.document(of: Self.nameless)
        #expect(document.json.contains("\"window_seconds\": null"))
        #expect(document.json.contains("events, with noise, \(words)"))
        #expect(document.csv.contains(words))
        #expect(try document.html().contains("Noise hides one event, which counts 5 at most"))
        let known = try Self.document()
        #expect(known.json.contains("\"window_seconds\": 86400") && !known.csv.contains(words))
    }

    @Test(
        "Python's jsonschema accepts it, with identifiers and without",
        .enabled(if: ForeignReaderTests.has("jsonschema")), arguments: [yaml, nameless])
    func schema(yaml: String) throws {
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Schema/report.schema.json")
        let program = """
            import json, sys, jsonschema
            jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))
            """
        #expect(try ForeignReaderTests.python(program, try Self.document(of: yaml).json, [schema.path]).status == 0)
    }
}
