import Foundation
import Testing
import ThrongPlan
@_spi(Ledger) import ThrongRelease
import ThrongSystem

@testable import ThrongReport

@Suite("a report says of each number how far off it may be")
struct MarginTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100000, time_zone: Europe/Vienna}
        purposes:
          product:
            explanation: To see.
            consent: not_required
            rotation: 1 day
            retention: 30 days
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
            measures:
              reach: true
              histogram: {name: basket, title: Basket value, field: amount, edges: [20, 50], unit: EUR}
            contribution_bound: 5
        insights:
          all: {title: Orders, metric: orders, kind: count}
          by_system: {title: Orders by system, metric: orders, kind: count, by: [os]}
          buyers: {title: Who orders, metric: orders, kind: reach, by: [os]}
          by_both: {title: Orders by system and channel, metric: orders, kind: count, by: [os, channel]}
          baskets: {title: What a basket is worth, metric: orders, kind: distribution}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily:
            {title: The day in the shop, partner: bank, insights: [all, by_system, buyers, by_both, baskets], period: day}
        """

    /// The same without identifiers.
    private static let nameless: String =
        yaml.replacing("    rotation: 1 day\n", with: "    identifier: none\n")
        .replacing("      reach: true\n", with: "")
        .replacing("  buyers: {title: Who orders, metric: orders, kind: reach, by: [os]}\n", with: "")
        .replacing("buyers, ", with: "")

    /// Numbers that add up; nobody with windows is there, and such groups are withheld.
    private static func document(of yaml: String = yaml) throws -> ReportDocument {
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        let groupings = plan.groupings(of: metric)
        let period = try #require(PeriodCalendar(timeZone: "Europe/Vienna")?.period(labelled: "2026-11-19"))
        let margins = groupings.indices.map {
            ReleaseMargins.Grouping(count: 24 + Int64($0), sums: [], devices: layout.hasIdentifiers ? 15 : nil)
        }
        let header = ReleaseHeader(
            layout: layout, period: period, plan: plan.version, threshold: Threshold(devices: 20),
            sampling: metric.sampling, reach: metric.reach, groupings: groupings,
            margins: ReleaseMargins(cost: "0.98", groupings: margins))
        var rows: [Release.Row] = []
        for margin in groupings {
            var counts: [CellIndex: Int64] = [:]
            for leaf in (0..<UInt32(layout.size(of: layout.leaf))).map({ CellIndex($0) }) {
                let system = layout.projection(from: layout.leaf, to: Margin(keeping: [0]))(leaf)
                let cell = layout.projection(from: layout.leaf, to: margin)(leaf)
                counts[cell, default: 0] += system == CellIndex(2) ? 0 : 100 + Int64(leaf.value)
            }
            rows += counts.filter { $0.value > 0 }.map {
                Release.Row(
                    margin: margin, cell: $0.key, count: $0.value, sums: [],
                    reach: metric.reach ? DeviceFloor(devices: $0.value / 4) : nil)
            }
        }
        return ReportDocument(
            plan: plan, report: try #require(plan.reports.first), period: period,
            releases: [try Release(decayed: header, dropped: [], cells: rows)])
    }

    private static func answer(_ name: String, in document: ReportDocument) throws -> InsightAnswer {
        try #require(document.answers.first { $0.insight.name.text == name })
    }

    @Test("numbers are about so many, with the margin of what is read")
    func sentences() throws {
        let document = try Self.document()
        let all = try Self.answer("all", in: document)
        let number = try #require(all.answered?.table.rows.first?.figure.quantity)
        let margin = try #require(all.answered?.basis).within
        #expect(number.amount.map { number == .drawn($0, of: .events, within: margin) } == true)
        #expect(all.sentence.hasPrefix("About ") && all.sentence.hasSuffix(" in 19 of 20 cases."))
        let systems = try Self.answer("by_system", in: document)
        let basis = try #require(systems.answered?.basis)
        #expect(basis.threshold.devices == 20 && basis.margin.cost == "0.98")
        #expect(systems.answered?.table.withheldRows == 1)
        #expect(systems.sentence.contains("%); off by at most \(basis.within) in 19 of 20 cases."))
        #expect(basis.words(in: .english).contains { $0.hasPrefix("Off by at most ") })
        #expect(basis.words(in: .english).contains { $0.hasPrefix("Each number stands for 20 devices") })
    }

    @Test("devices have an interval of their margin, and are about so many")
    func reach() throws {
        let document = try Self.document()
        let answer = try Self.answer("buyers", in: document)
        let quantity = try #require(answer.answered?.table.rows.first?.figure.quantity)
        guard case .drawn(let devices, of: .devices, within: 15) = quantity else {
            Issue.record("\(quantity)")
            return
        }
        let interval = try #require(answer.interval(of: quantity))
        #expect(interval.low?.units == Int128(devices - 15) && interval.high?.units == Int128(devices + 15))
        #expect(answer.interval(of: .drawn(4, of: .devices))?.low?.units == 0)
        #expect(answer.sentence.contains("with about ") && !answer.sentence.contains("at least"))
        #expect(answer.sentence.hasSuffix("; off by at most 15 in 19 of 20 cases."))
        #expect(answer.answered?.basis.devices == .window && answer.answered?.shareBase == nil)
        #expect(document.csv.contains(",devices: seen within one window,"))
    }

    @Test("of a sample, the interval has the margin in it")
    func sampled() throws {
        let yaml = Self.yaml.replacing("contribution_bound: 5", with: "sampling: 0.25\n    contribution_bound: 5")
        let document = try Self.document(of: yaml)
        for answer in document.answers {
            for quantity in (answer.answered?.table.rows ?? []).compactMap(\.figure.quantity) {
                let interval = try #require(answer.interval(of: quantity))
                #expect(interval.ends.low >= 0 && interval.ends.low < interval.ends.high)
            }
        }
        let html = try document.html()
        #expect(html.contains("95% interval") && html.contains("Sampling rate 0.25"))
        let all = try Self.answer("all", in: document)
        #expect(!all.sentence.contains("off by"), "that is of the sample, and the number is not")
    }

    @Test(
        "of two thousand drawn samples, 19 of 20 intervals hold all events (93 % at least)",
        arguments: [(400, 0.1, 5.0), (30, 0.5, 20.0), (0, 0.25, 8.0), (2000, 0.05, 3.0)])
    func coverage(events: Int, rate: Double, deviation: Double) {
        var dice = SeededGenerator(seed: UInt64(events))
        let margin = Int64((deviation * 1.96).rounded(.up))
        var held = 0
        for _ in 0..<2000 {
            let kept = (0..<events).count { _ in Double.random(in: 0..<1, using: &dice) < rate }
            let radius = (-2 * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &dice))).squareRoot()
            let normal = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &dice))
            let drawn = max(Double(kept) + deviation * normal, 0)
            let (low, high) = Interval.total(Int64(drawn.rounded()), rate: rate, margin: margin)
            if low <= Double(events), Double(events) <= high { held += 1 }
        }
        #expect((1860...2000).contains(held), "\(held) of 2000")
    }

    @Test("HTML: each table has the margin, and the page says what margins are, k, and what they cost")
    func html() throws {
        let html = try Self.document().html()
        #expect(html.contains("Each number stands for") && html.contains("class=\"withheld\""))
        #expect(html.contains("±") && html.contains("19 of 20 within") && html.contains("95% interval"))
        #expect(html.contains("<strong>Margins.</strong>"))
        #expect(html.contains("<td class=\"n\">20</td><td class=\"n\">0.98</td>"))
    }

    @Test("CSV: each number has its margin, and what it costs")
    func csv() throws {
        let document = try Self.document()
        let lines = document.csv.split(separator: "\r\n")
        let within = try #require(Self.answer("all", in: document).answered?.basis).within
        #expect(lines[0].hasSuffix(",margin,rho"))
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(",0.98") })
        #expect(lines.contains { $0.hasPrefix("all,") && $0.hasSuffix(",\(within),0.98") })
        #expect(lines.contains { $0.hasPrefix("buyers,") && $0.hasSuffix(",15,0.98") })
        #expect(lines.contains { $0.contains(",events,20,1,") })
    }

    @Test("JSON has the margin beside k, in words, too")
    func json() throws {
        let document = try Self.document()
        #expect(document.json.contains("\"k\": 20") && !document.json.contains("\"k\": null"))
        #expect(document.json.contains("\"within\": 15") && document.json.contains("\"rho\": \"0.98\""))
        #expect(document.json.contains("\"devices\": \"one_window\""))
        #expect(
            document.json.contains("on purpose. Numbers add up") && document.json.contains("\u{03c1} = 0.98 at most"))
    }

    @Test("without identifiers the basis says that nobody knows of how many devices numbers are; with them it does not")
    func basis() throws {
        let words = "without identifiers: of how many devices is not known"
        let document = try Self.document(of: Self.nameless)
        #expect(document.json.contains("\"window_seconds\": null") && document.json.contains("\"floor\": null"))
        #expect(document.json.contains("events, \(words)"))
        #expect(document.csv.contains(words))
        let html = try document.html()
        #expect(html.contains("stands for 20 actions or more") && html.contains("Of how many devices is not known"))
        #expect(document.json.contains("The part of one event in them costs"))
        let known = try Self.document()
        #expect(known.json.contains("\"window_seconds\": 86400") && !known.csv.contains(words))
    }

    @Test("of a release that was not drawn there is no answer, and nothing to compare with")
    func undrawn() throws {
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        let period = try #require(PeriodCalendar(timeZone: "Europe/Vienna")?.period(labelled: "2026-11-19"))
        let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
        for (header, isAnswered) in [(header, false), (header.drawn(within: 24), true)] {
            let document = ReportDocument(
                plan: plan, report: try #require(plan.reports.first), period: period,
                releases: [try Release(decayed: header, dropped: [], cells: [])])
            #expect(document.answers.allSatisfy { ($0.answered != nil) == isAnswered })
        }
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
