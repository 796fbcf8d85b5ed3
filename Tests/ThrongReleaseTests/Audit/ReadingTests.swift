import Testing
import ThrongPlan
import ThrongWire
import throng_lab

@testable import ThrongAudit

@Suite("Reports in JSON, CSV and HTML are read, and what was not examined is said")
struct ReadingTests {
    private static let json = """
        {"format": "throng-report/1", "app": {"name": "notes"}, "period": {"label": "2026-11-16"}, "insights": [
          {"name": "who", "title": "Who creates", "metric": "created", "kind": "reach", "status": "answered",
           "filters": [], "part": null, "view": {"as": "table"},
           "basis": {"counts": "devices", "statement": "devices: seen within one window, with a margin", "k": 20,
             "sampling": 1, "margin": {"within": 14, "rho": "0.2", "statement": ""}},
           "dimensions": [{"name": "os", "buckets": ["a", "b", "c", "d", "other"]}],
           "whole": {"status": "published", "value": 1481, "numerator": null, "denominator": null},
           "rows": [
             {"buckets": ["a"], "status": "published", "value": 305, "numerator": null, "denominator": null},
             {"buckets": ["b"], "status": "published", "value": 255, "numerator": null, "denominator": null},
             {"buckets": ["other"], "status": "withheld", "value": null, "numerator": null, "denominator": null}]}]}
        """

    private static let csv = """
        insight,period,os,part,value,unit,basis,k,sampling,withheld_share,status,row,margin,rho\r
        who,2026-11-16,a,,305,devices,"devices: seen within one window, with a margin",20,1,,published,group,14,0.2\r
        who,2026-11-16,b,,255,devices,"devices: seen within one window, with a margin",20,1,,published,group,14,0.2\r
        who,2026-11-16,other,,,devices,"devices: seen within one window, with a margin",20,1,,withheld,group,14,0.2\r
        who,2026-11-16,,,1481,devices,"devices: seen within one window, with a margin",20,1,,published,whole,14,0.2\r

        """

    private static let open = "under a bound that only reports in JSON say, or several"

    private static func page(_ total: String) -> String {
        """
        <table class="data"><caption>Who creates</caption><thead><tr><th>System</th><th>Devices</th></tr></thead>
        <tbody><tr><th scope="row">a</th><td class="n">about 305</td></tr><tr><th scope="row">All</th>
        <td class="n">\(total)</td></tr><tr><th scope="row">share</th><td class="n">20.6%</td></tr></tbody></table>
        """
    }

    private static func audit(_ files: [(String, String)], hasPlan: Bool = true) throws -> AuditReport {
        var input = AuditInput()
        if hasPlan { try input.learn(try AuditTown().plan) }
        for (name, text) in files { input.add(file: Array(text.utf8), name: name, digest: "5e") }
        return Auditor().audit(input)
    }

    @Test("one report in three formats is one set of numbers, held against each other")
    func formats() throws {
        let report = try Self.audit([
            ("r-1.json", Self.json), ("r-1.csv", Self.csv), ("r-1.html", Self.page("1,480")),
        ])
        #expect(report.exitCode == 0, "\(report.text)")
        #expect(report.numbers == 3 && report.examined == 3 && report.repeated == 3 && report.pages == 2)
        #expect(report.margins == 3 && report.cost == 0.2)
        #expect(report.sources.map(\.name) == ["r-1.csv", "r-1.html", "r-1.json"])
        #expect(report.sources.allSatisfy { $0.digest == "5e" })
    }

    @Test("a CSV file alone is read by what the plan says of its insights")
    func csvAlone() throws {
        let report = try Self.audit([("r.csv", Self.csv)])
        #expect(report.exitCode == 0 && report.numbers == 3, "\(report.text)")
        #expect(try Self.audit([("r.csv", Self.csv)], hasPlan: false).exitCode == 3)
    }

    @Test("a page, or a CSV file, with another number than the JSON file is found out")
    func otherNumbers() throws {
        let page = try Self.audit([("r.json", Self.json), ("r.html", Self.page("1,500"))])
        #expect(page.exitCode == 0, "1,500 may be 1,481 rounded to hundreds")
        let other = try Self.audit([("r.json", Self.json), ("r.html", Self.page("1,497"))])
        #expect(other.broken == [.page], "\(other.text)")
        let csv = try Self.audit([("r.json", Self.json), ("r.csv", Self.csv.replacing(",255,", with: ",256,"))])
        #expect(csv.broken == [.equal])
        #expect(csv.text.contains("\ninference: NOT KEPT, by 1 finding. ") && csv.text.contains("\nlinkability: kept"))
    }

    @Test("what has no plan, and a page alone, is not examined, and the first line says so")
    func notExamined() throws {
        let report = try Self.audit([("r.json", Self.json)], hasPlan: false)
        #expect(report.exitCode == 3 && report.holds && report.examined == 0)
        let first = report.text.split(separator: "\n").first ?? ""
        #expect(first.hasPrefix("examined 0 of 3 numbers from 1 sources") && first.hasSuffix("NOT ALL WAS EXAMINED"))
        #expect(report.text.contains("\nsingling out: not examined. "))
        #expect(try Self.audit([("r.html", Self.page("1,481"))]).exitCode == 3)
        #expect(try Self.audit([("r.json", "{")]).exitCode == 3)
        let manifest = (name: "r.manifest.json", text: #"{"format": "throng-manifest/1"}"#)
        #expect(try Self.audit([("r.json", Self.json), manifest]).exitCode == 0)
    }

    @Test(
        "what says something unknown, or was cut off, is not examined",
        arguments: [
            ("r.json", "\"answered\"", "\"half\""), ("r.json", "\"reach\"", "\"novel\""),
            (
                "r.json", "{\"buckets\": [\"a\"], \"status\": \"published\"",
                "{\"buckets\": [\"a\"], \"status\": \"shown\""
            ),
            ("r.json", "\"insights\"", "\"answers\""), ("r.json", "2026-11-16", "2026-13-16"),
            ("r.csv", ",published,group", ",shown,group"), ("r.csv", ",14,0.2\r\n", "\r\n"),
            ("r.csv", "2026-11-16", "2026-11-31"),
            ("r.html", "<table", "<html><table"), ("r.html", "table", "p"), ("r.xlsx", "-", "-"),
        ])
    func unknown(file: String, text: String, other: String) throws {
        let whole = ["r.json": Self.json, "r.csv": Self.csv, "r.html": Self.page("1,480")]
        let damaged = (whole[file] ?? "").replacing(text, with: other)
        let files = [("r.json", Self.json), ("r.csv", Self.csv), ("r.html", Self.page("1,480"))].filter { $0.0 != file }
        let report = try Self.audit(files + [(file, damaged)])
        #expect(report.exitCode == 3 && report.text.contains("NOT ALL WAS EXAMINED"), "\(report.text)")
    }

    @Test("the bound that a report says a release chose is that of its numbers, and of no other period's")
    func chosenBound() throws {
        var input = AuditInput()
        try input.learn(try AuditTown().plan)
        let release = #""releases": [{"metric": "created", "period": "2026-11-16", "contribution_bound": 7}], "#
        let json = Self.json.replacing("\"insights\": [", with: release + "\"insights\": [")
        input.add(file: Array(json.utf8), name: "r.json")
        let number = try #require(input.numbers.first)
        let planned = try #require(input.newest("created", of: "notes"))
        let metric = try #require(input.metric(of: number))
        #expect(metric.bound == 7 && planned.bound != 7)
        let other = AuditNumber(
            source: "r", app: "notes", metric: "created", period: AuditPeriod("2026-11-17"), measure: .events,
            value: 300)
        #expect(input.metric(of: other)?.bound == planned.bound && planned.law(of: other)?.promise == 6)
        #expect(metric.law(of: other)?.promise == 14 && planned.bounded(by: 1).law(of: other)?.promise == 5)
    }

    @Test("events under a bound that each release chooses are not examined where nothing says which it chose")
    func openBound() throws {
        func audit(_ more: String) throws -> AuditReport {
            var input = AuditInput()
            try input.learn(try AuditTown(AuditTown.choosing).plan)
            let json = Self.json.replacing("\"insights\": [", with: more + "\"insights\": [")
            let counts = json.replacing("\"devices", with: "\"events").replacing("reach", with: "count")
            input.add(file: Array(counts.utf8), name: "r.json", digest: "5e")
            return Auditor().audit(input)
        }
        let told = #""releases": [{"metric": "created", "period": "2026-11-16", "contribution_bound": 5}], "#
        #expect(try audit(told).examined == 3 && audit(told).exitCode != 3)
        for nothing in ["", told.replacing(": 5}", with: ": 1e300}"), told.replacing(": 5}", with: ": 0}")] {
            let open = try audit(nothing)
            #expect(open.examined == 0 && open.exitCode == 3)
            #expect(open.text.contains("3 numbers of notes/created, \(Self.open)"))
        }
    }

    @Test(
        "a sum has a bound only where all of its days are known to have chosen it", arguments: ["2026-W47", "2026-11"])
    func summedBound(label: String) throws {
        var input = AuditInput()
        try input.learn(try AuditTown(AuditTown.choosing).plan)
        let sum = AuditNumber(
            source: "r", app: "notes", metric: "created", period: AuditPeriod(label), measure: .events, value: 3000)
        input.bounds["notes/created/\(label)"] = 5
        let days = label.contains("W") ? 16...22 : 1...30
        for day in days {
            #expect(input.metric(of: sum)?.isBoundOpen == true, "before day \(day)")
            input.bounds["notes/created/2026-11-\(day < 10 ? "0" : "")\(day)"] = 5
        }
        let metric = try #require(input.metric(of: sum))
        #expect(metric.bound == 5 && !metric.isBoundOpen)
        input.bounds["notes/created/2026-11-20"] = 10
        #expect(input.metric(of: sum)?.isBoundOpen == true)
        var report = AuditReport()
        let examined = Examination([sum], input, &report)
        #expect(examined.numbers.isEmpty && report.unexamined == ["1 numbers of notes/created, " + Self.open])
    }

    @Test("metrics of shared events have the factors that releases draw by: user agents, identifiers, rotations")
    func factors() throws {
        func metric(_ name: String, _ events: String, _ more: String) -> String {
            """
              \(name): {title: It, question: What?, decision: That., owner: Team, expires: 2027-10-31, period: day, events: \
            [\(events)], \(more)}

            """
        }
        let plan = try Plan(
            yaml: """
                app: {title: Notes, name: notes, owner: Team, contact: a@example.com, audience: 1000, grace: 49 hours}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 300 days}
                  visit: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 300 days}
                dimensions:
                  os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
                  browser: {title: Browser, field: user_agent, browser: standard, partitions: devices}
                metrics:
                \(metric("pages", "a, b", "dimensions: [os], purpose: product"))\
                \(metric("views", "a", "dimensions: [browser], purpose: product"))\
                \(metric("visits", "a", "dimensions: [browser], purpose: visit"))\
                \(metric("often", "a", "purpose: visit, measures: {frequency: {bands: [1, 2, 6]}}"))\
                \(metric("others", "c", "purpose: visit"))\
                \(metric("more", "d", "purpose: product, contribution_bound: auto"))\
                \(metric("again", "d", "purpose: product, contribution_bound: auto"))\
                \(metric("many", "d", "purpose: product, measures: {frequency: {bands: [1, 3, 6]}}"))
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        var input = AuditInput()
        try input.learn(plan)
        #expect(plan.metrics.map { plan.marginFactors(of: $0).events } == [3, 3, 3, 3, 1, 1, 1, 1])
        // Whatever a former release chose: its day's has one bound for both.
        #expect(input.newest("more", of: "notes")?.bounded(by: 5).beside(input.known).factors.events == 1)
        for metric in plan.metrics {
            let (own, audited) = (plan.marginFactors(of: metric), input.newest(metric.name.text, of: "notes"))
            let found = try #require(audited?.beside(input.known).factors)
            #expect(found.events == own.events && found.devices == own.devices, "\(metric.name)")
        }
    }

    @Test("quoted fields, and numbers in the ways of several languages")
    func texts() {
        #expect(CSVLines.split("a,\"b \"\"c\"\", d\"\r\n1,\r\n") == [["a", "b \"c\", d"], ["1", ""]])
        let cells = [
            "1,480", "24.606", "12\u{a0}000", "59.4%", "3.50", "none", "7", "about 200 ±140", "±140", "119 to 147",
            "119–147",
            "119至147", "1\u{202f}200 ±\u{a0}140", "28 EUR",
        ]
        let text = "<table><caption>x</caption>" + cells.map { "<td>\($0)</td>" }.joined() + "</table>"
        let page = HTMLTables.read(text, source: "x").first
        #expect(page?.numbers.map { $0.value } == [1480, 24_606, 12_000, 7, 200, 1200, 28])
        #expect(page?.numbers.map { $0.step } == [10, 1, 1000, 1, 100, 100, 1] && page?.derived == 7)
    }
}
