import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport

@Suite("what the plan rules out is shown to be impossible, not withheld")
struct ImpossibleTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android, windows], partitions: devices}
          store: {title: Store, field: store, list: [apple, google]}
        metrics:
          installs:
            title: Installs
            events: [install]
            question: How many?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [os, store]
            period: day
            measures: {reach: true, sums: {size: {field: size, from: 0, to: 100, decimals: 0, unit: MB}}}
            impossible:
              - {os: ios, store: google}
              - {os: android, store: apple}
        insights:
          by_both: {title: Both, metric: installs, kind: count, by: [os, store]}
          on_ios: {title: On iOS, metric: installs, kind: count, by: [store], where: {os: ios}}
          google: {title: Google, metric: installs, kind: share, basis: events, by: [os], part: {store: google}}
          size: {title: Size, metric: installs, kind: mean, sum: size, by: [store], where: {os: ios}}
          none: {title: None, metric: installs, kind: count, where: {os: ios, store: google}}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily: {title: Day, partner: bank, insights: [by_both, on_ios, google, size, none], period: day}
        """

    /// By system, then store: events with as many devices. What is left out is empty.
    private static func document(_ cells: [String: Int64]) throws -> ReportDocument {
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let metric = try #require(plan.metrics.first)
        let layout = try plan.layout(of: metric, rules: .system)
        let period = try #require(PeriodCalendar.utc.period(labelled: "2026-11-19"))
        var counters: [StoredCounter] = []
        var distinct: [StoredDistinct] = []
        for value in 0..<layout.size(of: layout.leaf) {
            let cell = CellIndex(UInt32(value))
            let buckets = layout.buckets(of: cell, in: layout.leaf)
            let name = zip(layout.dimensions, buckets).map { $0.labels[$1].text }.joined(separator: " ")
            guard let events = cells[name] else { continue }
            counters.append(StoredCounter(measure: .count, cell: cell, value: events))
            counters.append(StoredCounter(measure: .sum(0), cell: cell, value: 10 * events))
            for margin in layout.trackedMargins {
                distinct.append(
                    StoredDistinct(
                        margin: margin, cell: layout.projection(from: layout.leaf, to: margin)(cell),
                        window: WindowNumber(1), devices: events))
            }
        }
        let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period).drawn(
            within: 28, sums: 2800)
        let release = Release(
            large: StoredCube(layout: layout, period: period, counters: counters, distinct: distinct), header: header)
        return ReportDocument(
            plan: plan, report: try #require(plan.reports.first), period: period, releases: [release])
    }

    private static let usual: [String: Int64] = [
        "ios apple": 400, "android google": 600, "windows apple": 30, "windows google": 50, "windows other": 7,
        "other google": 40,
    ]

    @Test("impossible rows have their own status and no number, and are not counted as withheld")
    func rows() throws {
        let table = try #require(try Self.document(Self.usual).answers[0].answered?.table)
        let marked = table.rows.filter { $0.figure == .impossible }
        #expect(marked.map(\.buckets) == [["ios", "google"], ["android", "apple"]])
        // iOS and Android elsewhere, Windows elsewhere, other systems but on Google.
        #expect(table.withheldRows == 5)
        #expect(table.rest?.quantity == nil && table.rest?.isTooLittle == true)
    }

    @Test("where only impossible rows are unpublished, there is no line for what is withheld")
    func noLine() throws {
        let table = try #require(
            try Self.document(Self.usual.merging(["ios other": 25]) { $1 }).answers[1].answered?.table)
        #expect(table.rows.map(\.figure.terms) == [[400], nil, [25]] && table.rows[1].figure == .impossible)
        #expect(table.withheldRows == 0)
        #expect(table.rest?.quantity == nil)
    }

    @Test("a share whose part is impossible is zero of its published whole; a mean of nothing is no number")
    func quotients() throws {
        let document = try Self.document(Self.usual)
        let google = try #require(document.answers[2].answered?.table)
        #expect(google.rows[0].figure == .published(.settled(part: 0, whole: 400)))
        let size = try #require(document.answers[3].answered?.table)
        #expect(size.rows.map(\.figure)[1] == .impossible)
    }

    @Test("HTML, CSV and JSON say so in their own words")
    func formats() throws {
        let document = try Self.document(Self.usual)
        let csv = document.csv
        #expect(csv.contains("by_both,2026-11-19,ios,google,,,events,events,20,1,,impossible,group,,,,,"))
        #expect(csv.contains("none,2026-11-19,ios,google,,,events,events,20,1,,impossible,group,,,,,"))
        #expect(document.json.contains("\"status\": \"impossible\",\n          \"value\": null"))
        let page = try PagePieces(document.html())
        #expect(try page.text("//td[@class='impossible']") == ["cannot occur", "cannot occur"])
        #expect(try page.text("//li[.//a[@href='#insight-5']]//p[@class='number']") == ["cannot occur"])
        #expect(try page.text("//section[@id='insight-5']//p[@class='note']").isEmpty)
        #expect(try page.table(section: 2)[2] == ["google", "cannot occur"])
        #expect(!Shop().document.json.contains("\"impossible\""))
        let html = try Shop().document.html()
        #expect(!html.contains("Cannot occur"))
    }

    @Test("Python's jsonschema accepts it", .enabled(if: ForeignReaderTests.has("jsonschema")))
    func schema() throws {
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Schema/report.schema.json")
        let program = """
            import json, sys, jsonschema
            jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))
            """
        let json = try Self.document(Self.usual).json
        #expect(try ForeignReaderTests.python(program, json, [schema.path]).status == 0)
        let broken = json.replacingOccurrences(
            of: "\"impossible\",\n          \"value\": null", with: "\"impossible\",\n          \"value\": 0")
        #expect(broken != json)
        #expect(try ForeignReaderTests.python(program, broken, [schema.path]).status != 0)
    }
}
