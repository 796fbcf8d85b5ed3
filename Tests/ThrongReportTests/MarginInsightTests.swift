import Foundation
import Testing
import ThrongPlan
@_spi(Ledger) import ThrongRelease

@testable import ThrongReport

@Suite("every kind of insight and every view says no more than margins carry")
struct MarginInsightTests {
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
        metrics:
          orders:
            title: Orders
            noun: {one: order, many: {de: Bestellungen, en: orders}}
            events: [order]
            question: How many?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [os]
            period: day
            measures:
              reach: true
              sums: {spent: {field: amount, from: 0, to: 500, decimals: 2, unit: EUR}}
              histogram: {name: basket, title: Basket value, field: amount, edges: [20, 50], unit: EUR}
            contribution_bound: 5
        insights:
          top: {title: The most, metric: orders, kind: count, by: [os], top: 2}
          moves: {title: What moved, metric: orders, kind: count, by: [os], change: [period_before]}
          growth: {title: Orders, metric: orders, kind: count, change: [period_before]}
          part: {title: On a phone, metric: orders, kind: share, basis: events, part: {os: ios}}
          parts: {title: Who orders, metric: orders, kind: share, basis: devices, by: [os]}
          average: {title: An order, metric: orders, kind: mean, sum: spent}
          average_growth: {title: An order, metric: orders, kind: mean, sum: spent, change: [period_before]}
          half: {title: Half, metric: orders, kind: quantiles, at: [0.5]}
          days: {title: Days, metric: orders, kind: reach, trend: 2}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily:
            title: The day in the shop
            partner: bank
            insights: [top, moves, growth, part, parts, average, average_growth, half, days]
            period: day
        """

    /// One day: events of each system in three bands, 5 to 3 to 2; half as many devices; 30 € an order.
    private static func release(_ plan: Plan, _ day: String, _ counts: [Int64]) throws -> Release {
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        let groupings = plan.groupings(of: metric)
        let header = ReleaseHeader(
            layout: layout, period: try #require(PeriodCalendar(timeZone: "Europe/Vienna")?.period(labelled: day)),
            plan: plan.version, threshold: Threshold(devices: 20), sampling: metric.sampling, reach: metric.reach,
            groupings: groupings
        ).drawn(within: 28, sums: 140_000)
        let bands = layout.dimensions[1].labels.count
        var rows: [Release.Row] = []
        for margin in groupings {
            var cells: [CellIndex: Int64] = [:]
            for leaf in 0..<UInt32(layout.size(of: layout.leaf)) {
                let (system, band) = (Int(leaf) / bands, Int(leaf) % bands)
                guard system < counts.count, band < 3 else { continue }
                let cell = layout.projection(from: layout.leaf, to: margin)(CellIndex(leaf))
                cells[cell, default: 0] += counts[system] * [5, 3, 2][band] / 10
            }
            rows += cells.map { cell, count in
                Release.Row(
                    margin: margin, cell: cell, count: count, sums: [count * 3000],
                    reach: DeviceFloor(devices: max(40, count / 2)))
            }
        }
        return try Release(decayed: header, dropped: [], cells: rows)
    }

    private static func document(
        _ now: [Int64], before: [Int64], sampling: String = ""
    ) throws -> ReportDocument {
        let yaml = Self.yaml.replacing("    contribution_bound: 5\n", with: "    contribution_bound: 5\n\(sampling)")
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let releases = [try release(plan, "2026-11-19", now), try release(plan, "2026-11-18", before)]
        return ReportDocument(
            plan: plan, report: try #require(plan.reports.first), period: releases[0].header.period, releases: releases)
    }

    private static func answer(_ name: String, _ document: ReportDocument) throws -> InsightAnswer {
        try #require(document.answers.first { $0.insight.name.text == name })
    }

    /// Two systems that are hardly apart, on two days that hardly differ.
    private static let (now, before): ([Int64], [Int64]) = ([400, 390, 100], [390, 390, 100])

    @Test("ranks that can't be told apart share places, and nobody leads; others have their order")
    func ranks() throws {
        let document = try Self.document(Self.now, before: Self.before)
        let answer = try Self.answer("top", document)
        guard case .ranking(let ranking)? = answer.answered?.view else { throw NoRanking() }
        #expect(ranking.rows.map(\.row.label) == ["ios", "android"])
        #expect(ranking.rows.map(\.rank) == [1, 1] && ranking.rows.map(\.lastRank) == [2, 2])
        let words = "“ios” and “android” are too uncertain to tell which leads: about 400 orders and"
        #expect(answer.sentence.hasPrefix("\(words) about 390 orders; off by at most 28 in 19 of 20 cases."))
        #expect(document.json.contains("\"last_rank\": 2"))
        #expect(document.csv.contains(",rank,last_rank,"))
        #expect(try document.html().contains("1 to 2"))
        let apart = try Self.answer("top", Self.document([800, 390, 100], before: Self.before))
        #expect(apart.sentence.hasPrefix("“ios” leads with about 800 of about 1,290 orders (62%)"))
    }

    struct NoRanking: Error {}

    @Test("a change that is smaller than its margin is not said to be one; a large one is, with its bounds")
    func changes() throws {
        let document = try Self.document(Self.now, before: Self.before)
        let growth = try Self.answer("growth", document).sentence
        #expect(
            growth.contains("That is about the same as the day before")
                && !growth.contains("more than"))
        let moves = try Self.answer("moves", document).sentence
        #expect(moves.contains(", every group shown is about the same.") && !moves.contains("rose"))
        #expect(try document.html().contains("about the same"))
        let large = try Self.document([800, 390, 100], before: Self.before)
        #expect(try Self.answer("moves", large).sentence.contains("“ios” rose by "))
        let more = try Self.answer("growth", large).sentence
        #expect(more.contains("more than the day before") && more.contains("; the difference is between "))
    }

    @Test(
        "the kept half of the noise cancels where the layout is the same: the margin of one number is that of a change")
    func cancelling() throws {
        let answer = try Self.answer("growth", Self.document(Self.now, before: Self.before))
        guard case .change(let comparisons)? = answer.answered?.view else { throw NoRanking() }
        let change = try #require(comparisons[0].rows[0].change.change)
        let (low, high) = change.interval.ends
        #expect(low == 10 - 28 && high == 10 + 28)
        let two = Change.noise(from: 28, to: 28, isSameQuestion: false)
        #expect(two.covariance == 0)
    }

    @Test("shares, means and quantiles have ranges, within which they can lie at all")
    func quotients() throws {
        let document = try Self.document(Self.now, before: Self.before)
        let part = try Self.answer("part", document)
        #expect(part.sentence.hasPrefix("“ios” makes up about 45% of orders: about 400 of about 890; between "))
        #expect(part.sentence.hasSuffix("% in 19 of 20 cases."))
        let share = try #require(part.answered?.table.rows.first?.figure.quantity)
        let (low, high) = try #require(part.interval(of: share)).ends
        #expect(low > 0.4 && low < 0.449 && high > 0.45 && high < 0.5)
        let devices = try Self.answer("parts", document)
        #expect(
            devices.sentence.hasPrefix(
                "“ios” and “android” are too uncertain to tell which has the largest share"))
        #expect(devices.answered?.basis.devices == .window)
        let mean = try Self.answer("average", document).sentence
        #expect(mean.hasPrefix("About 30 EUR per order on average, over about 890 orders; between "))
        #expect(mean.hasSuffix(" EUR in 19 of 20 cases."))
        #expect(try Self.answer("average_growth", document).sentence.contains("That is about the same as"))
        // Half of the events lie below 20 €, so that the margin leaves both sides of that edge open.
        let half = try #require(try Self.answer("half", document).answered?.table.rows.first?.figure.quantity)
        guard case .quantile(let reading) = half else { throw NoRanking() }
        #expect(reading.lowest == nil && reading.highest?.units == 50)
    }

    @Test("all comparisons on a page share one chance of error")
    func comparisons() throws {
        let document = try Self.document(Self.now, before: Self.before)
        let each = Set(document.answers.map(\.comparisons))
        #expect(each.count == 1 && (each.first ?? 0) > 5)
    }

    @Test("in a sample, intervals of quotients are wider than those of the margin or of the sample alone")
    func sampled() throws {
        let both = try Self.document(Self.now, before: Self.before, sampling: "    sampling: 0.25\n")
        let one = try Self.document(Self.now, before: Self.before)
        for name in ["part", "average"] {
            func width(_ document: ReportDocument) throws -> Double {
                let answer = try Self.answer(name, document)
                let quantity = try #require(answer.answered?.table.rows.first?.figure.quantity)
                let (low, high) = try #require(answer.interval(of: quantity)).ends
                #expect(low < quantity.approximate && quantity.approximate < high)
                return high - low
            }
            #expect(try width(both) > width(one))
        }
    }

    @Test("Python's jsonschema accepts it", .enabled(if: ForeignReaderTests.has("jsonschema")))
    func schema() throws {
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Schema/report.schema.json")
        let program = """
            import json, sys, jsonschema
            jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))
            """
        let json = try Self.document(Self.now, before: Self.before).json
        #expect(try ForeignReaderTests.python(program, json, [schema.path]).status == 0)
    }
}
