import Testing
import ThrongAudit

@Suite("Attacks on delivered report files")
struct ReportFileTests {
    private static let regions = ["AT", "DE", "LI"]

    /// A report about one day with one insight.
    private func report(
        kind: String = "count", rows: [String], whole: String = "null", dimensions: String? = nil,
        share: String = "null", rest: String = "null",
        filters: String = "[]", basis: String = ""
    ) -> [UInt8] {
        let axis = dimensions ?? #"[{"name":"region","title":"Region","buckets":["AT","DE","LI"]}]"#
        return Array(
            """
            {"format":"throng-report/1","report":"r","app":{"name":"town","title":"Town","contact":"c"},
             "period":{"kind":"day","start":"1970-01-01T00:00:00Z","end":"1970-01-02T00:00:00Z"},
             "releases":[{"metric":"visits","k":5}],
             "insights":[{"name":"i","metric":"visits","kind":"\(kind)","unit":"events","filters":\(filters),"part":null,
               "status":"answered","basis":{"counts":"events","k":5\(basis)},"dimensions":\(axis),
               "withheld_share":\(share),"whole":\(whole),"rest":\(rest),"rows":[\(rows.joined(separator: ","))]}]}
            """.utf8)
    }

    private func row(_ label: String, _ value: String?, extra: String = "", status: String = "withheld") -> String {
        let terms = #""numerator":null,"denominator":null"#
        return value.map { #"{"buckets":["\#(label)"],"status":"published","value":\#($0),\#(terms)}"# }
            ?? #"{"buckets":["\#(label)"],"status":"\#(status)","value":null,\#(terms)\#(extra)}"#
    }

    private func figure(_ value: String) -> String {
        #"{"status":"published","value":\#(value),"numerator":null,"denominator":null}"#
    }

    private func audit(_ files: [[UInt8]]) -> AuditReport {
        var input = AuditInput()
        for (number, file) in files.enumerated() { input.add(report: file, name: "file\(number).json") }
        return Town.audit(input)
    }

    @Test("1: a file's whole minus its rows pins the withheld row")
    func margin() throws {
        let report = audit([report(rows: [row("AT", "60"), row("DE", "37"), row("LI", nil)], whole: figure("100"))])
        let pin = try #require(report.pin(.exact, "region=LI"))
        #expect(pin.arithmetic == ["-1×37", "-1×60", "1×100"])
        #expect(report.unread.isEmpty)
    }

    @Test("numbers with a margin are no equations: they are left out, and it says of how many releases")
    func leftOut() {
        let rows = [row("AT", "60"), row("DE", "37"), row("LI", nil)]
        let margin = #","margin":{"within":24,"rho":"0.98","statement":"s"}"#
        let found = audit([report(rows: rows, whole: figure("100"), basis: margin)])
        #expect(found.holds && found.statements == 0)
        #expect(found.text.contains("not examined: 1 release with a margin"))
        #expect(!audit([report(rows: rows, whole: figure("100"))]).text.contains("with a margin"))
    }

    @Test("the withheld share alone pins the row, where the whole is not shown")
    func withheldShare() {
        let rows = [row("AT", "60"), row("DE", "37"), row("LI", nil)]
        #expect(audit([report(rows: rows, share: "0.030000")]).pin(.exact, "region=LI")?.upper == 3)
        #expect(audit([report(rows: rows)]).holds)
    }

    @Test("the rest line is read: alone it pins one withheld row, and beside the whole it adds nothing")
    func rest() {
        let rows = [row("AT", "60"), row("DE", "37"), row("LI", nil)]
        let three = #"{"status":"derived","value":3,"numerator":null,"denominator":null}"#
        #expect(audit([report(rows: rows, rest: three)]).pin(.exact, "region=LI")?.upper == 3)
        let two = [row("AT", "60"), row("DE", nil), row("LI", nil)]
        let forty = #"{"status":"derived","value":40,"numerator":null,"denominator":null}"#
        #expect(audit([report(rows: two, whole: figure("100"))]).holds)
        #expect(audit([report(rows: two, whole: figure("100"), rest: forty)]).holds)
    }

    @Test("a row that cannot occur is a zero that everybody knows, and no marker: with it, two hidden rows are one")
    func impossible() {
        let plain = [row("AT", "60"), row("DE", nil), row("LI", nil)]
        let ruledOut = [row("AT", "60"), row("DE", nil), row("LI", nil, status: "impossible")]
        #expect(audit([report(rows: plain, whole: figure("63"))]).pin(.exact, "region=DE") == nil)
        let report = audit([report(rows: ruledOut, whole: figure("63"))])
        #expect(report.pin(.marker) == nil)
        #expect(report.pin(.exact, "region=DE")?.upper == 3)
    }

    @Test("13: shares printed without their terms give the last one over a base from another partner's file")
    func shares() {
        let shares = report(kind: "share", rows: [row("AT", "0.600000"), row("DE", "0.370000"), row("LI", nil)])
        let total = report(
            rows: [#"{"buckets":[],"status":"published","value":100,"numerator":null,"denominator":null}"#],
            dimensions: "[]")
        #expect(audit([shares, total]).pin(.exact, "region=LI")?.upper == 3)
        #expect(audit([shares]).holds)
    }

    @Test(
        "a retention's terms are counts of weeks: with the whole from another file they pin the week that is withheld")
    func retention() {
        func term(_ week: String, _ value: String, _ devices: Int) -> String {
            """
            {"buckets":["\(week)"],"status":"published","value":\(value),"numerator":\(devices),"denominator":60}
            """
        }
        let weeks = #"[{"name":"week","title":"Week","buckets":["0","1","2"]}]"#
        let retention = report(
            kind: "retention", rows: [term("0", "1.000000", 60), term("1", "0.616667", 37), row("2", nil)],
            dimensions: weeks)
        let total = report(
            rows: [#"{"buckets":[],"status":"published","value":100,"numerator":null,"denominator":null}"#],
            dimensions: "[]")
        #expect(audit([retention, total]).pin(.exact, "week=2")?.upper == 3)
        #expect(audit([retention]).holds)
        let frequency = report(
            kind: "frequency", rows: [row("0", "60"), row("1", "37"), row("2", nil)], whole: figure("100"),
            dimensions: weeks)
        #expect(audit([frequency]).pin(.exact, "week=2")?.upper == 3)
    }

    @Test("11: a marker, an order or an absence that tells zero from small is a pin")
    func markers() {
        let plain = [row("AT", "60"), row("DE", nil), row("LI", nil)]
        #expect(audit([report(rows: plain)]).holds)
        #expect(
            audit([report(rows: [row("AT", "60"), row("DE", nil), row("LI", nil, status: "empty")])]).pin(.marker)
                != nil)
        #expect(
            audit([report(rows: [row("AT", "60"), row("DE", nil), row("LI", nil, extra: #","note":"<5""#)])]).pin(
                .marker) != nil)
        #expect(audit([report(rows: [row("AT", "60"), row("DE", nil)])]).pin(.marker) != nil)
        #expect(audit([report(rows: [row("AT", "60"), row("LI", nil), row("DE", nil)])]).pin(.marker) != nil)
        #expect(audit([report(rows: [row("AT", "60"), row("DE", nil), row("LI", "0")])]).pin(.zeroShown) != nil)
        #expect(audit([report(rows: [row("AT", "60"), row("DE", nil), row("LI", "3")])]).pin(.belowThreshold) != nil)
    }

    private func viewed(_ report: [UInt8], _ members: String) -> [UInt8] {
        Array(String(decoding: report, as: UTF8.self).replacing("\"unit\":", with: "\(members),\"unit\":").utf8)
    }

    @Test(
        "14: a ranking's named rows and its rest are numbers; a withheld row with a rank, or a false order, is a marker"
    )
    func ranking() {
        let two = #"{"status":"derived","value":3,"numerator":null,"denominator":null}"#
        func file(_ rows: [String], rest: String = "null") -> [UInt8] {
            viewed(report(rows: rows, rest: rest), #""view":{"as":"ranking","top":2}"#)
        }
        #expect(audit([file([row("AT", "60"), row("DE", "37")])]).holds)
        // The rest of a ranking of all but one is that one.
        #expect(audit([file([row("AT", "60"), row("DE", "37")], rest: two)]).pin(.exact, "region=LI")?.upper == 3)
        #expect(audit([file([row("DE", "37"), row("AT", "60")])]).pin(.marker) != nil)
        #expect(audit([file([row("AT", "60"), row("LI", nil)])]).pin(.marker) != nil)
    }

    @Test("a trend's and a change's earlier numbers are about their own periods: a week over its days is attacked")
    func earlier() {
        let day = #""period":{"start":"1969-12-31T00:00:00Z","end":"1970-01-01T00:00:00Z"}"#
        let own = #""period":{"start":"1970-01-01T00:00:00Z","end":"1970-01-02T00:00:00Z"}"#
        let rows = [row("AT", "60"), row("DE", "37"), row("LI", nil)]
        let trend = viewed(
            report(rows: rows),
            """
            "view":{"as":"trend","periods":2},"points":[{\(day),"k":5,"withheld_share":0.03,"rows":[\(rows.joined(separator: ","))]},\
            {\(own),"k":5,"withheld_share":null,"rows":[\(rows.joined(separator: ","))]}]
            """)
        let found = audit([trend])
        #expect(found.pin(.exact, "region=LI")?.upper == 3)
        #expect(found.unread.isEmpty)
        let then = [("AT", "60"), ("DE", "37")].map {
            #"{"buckets":["\#($0.0)"],"earlier":{"status":"published","value":\#($0.1),"numerator":null,"denominator":null},"change":{}}"#
        }
        let change = viewed(
            report(rows: rows, whole: figure("200")),
            """
            "view":{"as":"change","against":["period_before"]},"comparisons":[{"against":"period_before",\(day),\
            "rows":[\(then.joined(separator: ",")),{"buckets":["LI"],"earlier":{"status":"withheld","value":null},"change":{}}]}]
            """)
        // The whole of the report's own day says nothing about the day before.
        #expect(audit([change]).holds)
    }

    @Test("of an estimate, the numerator is the number that was counted")
    func estimate() {
        let rows = [("AT", 60), ("DE", 37)].map { label, counted in
            #"{"buckets":["\#(label)"],"status":"published","value":\#(counted * 10),"numerator":\#(counted),"denominator":0.1}"#
        }
        let whole = #"{"status":"published","value":1000,"numerator":100,"denominator":0.1}"#
        #expect(audit([report(rows: rows + [row("LI", nil)], whole: whole)]).pin(.exact, "region=LI")?.upper == 3)
    }

    @Test("a file that is no report is named as unread")
    func unread() {
        var input = AuditInput()
        input.add(report: Array("{}".utf8), name: "x.json")
        input.add(csv: "a,b\n1,2\n", name: "y.csv")
        #expect(input.unread.count == 2)
    }

    @Test("an export of released cells is attacked like a report")
    func export() {
        var input = AuditInput()
        let head = "app,metric,period_start,period_end,k,region,count\r\n"
        let rows = ["", "AT", "DE"].enumerated().map {
            "town,visits,0,86400,5,\($0.element),\([100, 60, 37][$0.offset])\r\n"
        }
        input.add(csv: head + rows.joined(), name: "cells.csv")
        #expect(!Town.audit(input).holds)
        #expect(Town.audit(input).text.contains("PINNED"))
    }

    @Test("36: manifests that list a reason only where it occurred tell where somebody was refused for it")
    func reasons() {
        func manifest(_ name: String, _ reasons: [String]) -> AuditInput.Manifest {
            let listed = reasons.map { "\"\($0)\": {\"from\": 0, \"to\": 0.02}" }.joined(separator: ", ")
            let text = "{\"app\": \"town\", \"coverage\": {\"refused_because\": {\(listed)}}}"
            return AuditInput.Manifest(bytes: Array(text.utf8), name: name)
        }
        func pins(_ manifests: [AuditInput.Manifest]) -> [String] {
            var input = AuditInput()
            input.add(manifests: manifests)
            return Auditor().audit(input).pins.map(\.target)
        }
        #expect(pins([manifest("monday", ["late"]), manifest("tuesday", ["late", "malformed"])]) == ["monday"])
        #expect(pins([manifest("monday", ["late"]), manifest("tuesday", ["late"])]).isEmpty)
    }
}
