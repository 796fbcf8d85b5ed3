import Testing
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

    @Test("quoted fields, and numbers in the ways of several languages")
    func texts() {
        #expect(CSVLines.split("a,\"b \"\"c\"\", d\"\r\n1,\r\n") == [["a", "b \"c\", d"], ["1", ""]])
        let cells = ["1,480", "24.606", "12\u{a0}000", "59.4%", "3.50", "none", "7"]
        let text = "<table><caption>x</caption>" + cells.map { "<td>\($0)</td>" }.joined() + "</table>"
        let page = HTMLTables.read(text, source: "x").first
        #expect(page?.numbers.map { $0.value } == [1480, 24_606, 12_000, 7])
        #expect(page?.numbers.map { $0.step } == [10, 1, 1000, 1] && page?.derived == 3)
    }
}
