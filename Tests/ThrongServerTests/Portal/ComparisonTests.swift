import Foundation
import Testing
import ThrongPlan
import ThrongReport

@testable import ThrongServer

@Suite("Two periods side by side tell no change that either of them withholds, or that chance may have made")
struct ComparisonTests {
    private static let frame = PageFrame(language: .english)

    /// A report's JSON with one insight by operating system.
    static func report(
        _ period: String, title: String = "By system", unit: String = "events", kind: String = "count",
        locale: String = "en",
        view: String = "table", rows: [(String, String, String?)], whole: String? = nil, more: String = "",
        status: String = "answered", metric: String = "orders", filters: String = "", sampling: String = "1",
        window: Int = 900, devices: String = "null", within: Int = 24, buckets: String = "\"iOS\"",
        k: String = "20", counts: String = "events", floor: String? = nil, withheldShare: String = "null",
        length: String = "day",
        label: String? = nil, last: String? = nil, partial: String = ""
    ) throws -> ReportReading {
        func figure(_ status: String, _ value: String?) -> String {
            "\"status\": \"\(status)\", \"value\": \(value ?? "null")"
        }
        let rows = rows.map { "{\"buckets\": [\"\($0.0)\"], \(figure($0.1, $0.2))}" }.joined(separator: ", ")
        let basis = """
            {"counts": "\(counts)",\(floor.map { " \"floor\": \"\($0)\"," } ?? "") "devices": \(devices), "statement": "events", "k": \(k), "sampling": \(sampling),
             "window_seconds": \(window), "margin": {"within": \(within), "rho": "0.98", "statement": ""}}
            """
        let json = """
            {"title": "\(title == "By system" ? "Shoppers" : title)", "locale": "\(locale)", "withheld": "\(Withheld.wording)",
             "period": {"kind": "\(length)", "label": "\(label ?? period)", "title": "\(label ?? period)",
              "start": "\(period)T00:00:00Z", "end": "\(last ?? period)T23:59:59Z"}, \(partial)
             "insights": [{"name": "by_system", "title": "\(title)", "metric": "\(metric)", "kind": "\(kind)",
             "filters": [\(filters)], "part": null, "status": "\(status)", \(more)
             "view": {"as": "\(view)"}, "unit": "\(unit)", "basis": \(status == "answered" ? basis : "null"),
             "dimensions": [{"name": "os", "title": "\(title == "By system" ? "System" : title)", "buckets": [\(buckets)]}],
             "withheld_share": \(withheldShare), "rows": [\(rows)],
             "whole": \(whole.map { "{\(figure("published", $0))}" } ?? "null")}]}
            """
        return try ReportReading(json: Array(json.utf8))
    }

    private static func cells(_ from: ReportReading, _ to: ReportReading) throws -> [String: [String]] {
        let view = ComparisonView(from, to, frame: frame)
        let rows = try #require(view.sections.first).rows
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (
                    row.group,
                    row.cells.map { ($0.numbers + $0.bounds.map { " [\($0)]" } + $0.marks + $0.words).joined() }
                )
            })
    }

    @Test("a change stands where both numbers are published and it is more than chance, and nowhere else")
    func changes() throws {
        let found = try Self.cells(
            Self.report(
                "2026-11-20",
                rows: [("iOS", "published", "1200"), ("Android", "withheld", nil), ("Linux", "published", "40")],
                whole: "1300"),
            Self.report(
                "2026-11-21",
                rows: [("iOS", "published", "1500"), ("Android", "published", "90"), ("Linux", "withheld", nil)],
                whole: "1690"))
        #expect(found["iOS"] == ["1,200", "1,500", "+25.0% [+300 (266 to 334)]"])
        #expect(found["Android"] == ["withheld", "90", ""])
        #expect(found["Linux"] == ["40", "withheld", ""])
        #expect(found["All"] == ["1,300", "1,690", "+30.0% [+390 (356 to 424)]"])
    }

    @Test("shares change by points, from nothing by a number, and what is not there is said")
    func manners() throws {
        let shares = try Self.cells(
            Self.report(
                "2026-11-20", unit: "share", rows: [("iOS", "published", "0.412, \"low\": 0.407, \"high\": 0.417")]),
            Self.report(
                "2026-11-21", unit: "share",
                rows: [
                    ("iOS", "published", "0.4, \"low\": 0.395, \"high\": 0.405"), ("Plan 9", "impossible", nil),
                ]))
        #expect(
            shares["iOS"] == [
                "41.2% [40.7% to 41.7%]", "40.0% [39.5% to 40.5%]",
                "\u{2212}1.2 points [\u{2212}1.9% to \u{2212}0.5%]",
            ])
        #expect(shares["Plan 9"] == ["no such group", "cannot occur", ""])
        let counts = try Self.cells(
            Self.report("2026-11-20", rows: [("iOS", "published", "0")]),
            Self.report("2026-11-21", rows: [("iOS", "published", "1234567")]))
        #expect(counts["iOS"] == ["0", "1,234,570", "+1,234,567 [1,234,533 to 1,234,601]"])
        let german = try Self.cells(
            Self.report("2026-11-20", locale: "de", rows: [("iOS", "published", "1500")]),
            Self.report("2026-11-21", locale: "de", rows: [("iOS", "published", "750")]))
        let paged = try ComparisonView(
            Self.report("2026-11-20", locale: "de", rows: [("iOS", "published", "1500"), ("other", "withheld", nil)]),
            Self.report("2026-11-21", locale: "de", rows: [("iOS", "published", "750")]),
            frame: PageFrame(language: .german))
        #expect(
            paged.sections[0].rows.map { $0.cells.map { ($0.numbers + $0.marks + $0.words).joined() } } == [
                ["1.500", "750", "\u{2212}50,0\u{a0}%"], ["zurückgehalten", "keine solche Gruppe", ""],
            ])
        #expect(paged.sections[0].rows.map(\.group) == ["iOS", "andere"])
        #expect(
            german["iOS"] == [
                "1,500", "750", "\u{2212}50.0% [\u{2212}750 (\u{2212}784 to \u{2212}716)]",
            ])
    }

    @Test("a period of which only a part was counted has no change beside another, and a whole one has")
    func parts() throws {
        func partial(_ metric: String, from: String = "\"2026-11-20T12:00:00Z\"") -> String {
            """
            "partial": [{"metric": "\(metric)", "title": "It", "from": \(from), "until": null, "counted_in_two_ways": false}],
            """
        }
        func change(_ partial: String) throws -> (String?, [String]) {
            let before = try Self.report("2026-11-20", rows: [("iOS", "published", "1200")], partial: partial)
            let after = try Self.report("2026-11-21", rows: [("iOS", "published", "1500")])
            let view = ComparisonView(before, after, frame: Self.frame)
            return (try Self.cells(before, after)["iOS"]?.last, view.sections[0].differences)
        }
        let part = try change(partial("orders"))
        #expect(part.0 == "not comparable" && part.1.first?.contains("another part of the period") == true)
        // Where nobody knows which part, nothing is known to be missing.
        for whole in ["", partial("visits"), partial("orders", from: "null")] {
            #expect(try change(whole).0 == "+25.0% [+300 (266 to 334)]", "\(whole)")
        }
    }

    @Test("a row that a ranking does not name any more is not said to be unreleased, and no row is left out")
    func rankings() throws {
        let before = try Self.report(
            "2026-11-20", view: "ranking", rows: [("iOS", "published", "90"), ("Linux", "published", "40")])
        let after = try Self.report(
            "2026-11-21", view: "ranking", rows: [("Android", "published", "95"), ("iOS", "published", "90")])
        let found = try Self.cells(before, after)
        #expect(found["Android"] == ["not named", "100", ""])
        #expect(found["iOS"] == ["90", "90", "about the same [\u{2212}34 to 34]"])
        #expect(found["Linux"] == ["40", "not named", ""])
        #expect(ComparisonView(before, after, frame: Self.frame).readingNotes.count == 3)
        #expect(ComparisonView(after, after, frame: Self.frame).readingNotes.count == 2)
    }

    @Test(
        "an insight without an answer says why",
        arguments: [("not_released", "not released"), ("expired", "metric expired")])
    func absent(status: String, words: String) throws {
        let found = try Self.cells(
            Self.report("2026-11-20", rows: [], status: status),
            Self.report("2026-11-21", rows: [("iOS", "published", "90"), ("Linux", "withheld", nil)]))
        #expect(found["iOS"] == [words, "90", ""])
        #expect(found["Linux"] == [words, "withheld", ""])
    }

    @Test("means have as many decimals as the finest of them")
    func means() throws {
        func report(_ value: String, _ low: Int, _ high: Int) throws -> ReportReading {
            try Self.report(
                "2026-11-20", kind: "mean",
                rows: [("iOS", "published", "\(value), \"low\": \(low), \"high\": \(high)")])
        }
        #expect(
            try Self.cells(report("104.20", 100, 110), report("1040.25", 1000, 1100)) == [
                "iOS": [
                    "104.20 [100.00 to 110.00]", "1,040.25 [1,000.00 to 1,100.00]",
                    "+898.3% [+936.05 (895.38 to 995.95)]",
                ]
            ])
    }

    @Test("a quantile stands with its band, and two of them have no change")
    func quantiles() throws {
        func report(_ quantile: String, _ numbers: String) throws -> ReportReading {
            try Self.report(
                "2026-11-20", unit: "EUR", kind: "quantiles",
                rows: [(quantile, "published", numbers)], buckets: "\"\(quantile)\"")
        }
        let open = try report("0.9", "null, \"low\": 1200, \"high\": null")
        let closed = try report("0.9", "54.5, \"low\": 50, \"high\": 100")
        let lower = try report("0.9", "51.5, \"low\": 50, \"high\": 100")
        #expect(try Self.cells(closed, open) == ["90% were under": ["54.5 [50 to 100]", "1,200 or more", ""]])
        #expect(
            try Self.cells(closed, lower) == ["90% were under": ["54.5 [50 to 100]", "51.5 [50 to 100]", ""]])
        // What is no quantile is called as it is.
        for name in ["nan", "1e300", "0", "1", "-0.5"] {
            #expect(try Self.cells(report(name, "null"), lower)[name]?.last == "")
        }
    }

    @Test("numbers of a sample look as in the report, and their change has an interval of its own")
    func samples() throws {
        func report(_ day: String, _ value: String, _ low: String, _ high: String, unit: String = "events") throws
            -> ReportReading
        {
            try Self.report(
                day, unit: unit, kind: unit == "share" ? "share" : "count",
                rows: [("iOS", "published", "\(value), \"low\": \(low), \"high\": \(high)")], sampling: "0.25")
        }
        let before = try report("2026-11-20", "12300", "12000", "12600")
        let after = try report("2026-11-21", "13530", "13130", "13930")
        // The square roots of 400² + 300².
        #expect(
            try Self.cells(before, after)["iOS"] == [
                "\u{2248}12,300 [12,000 to 12,600]", "\u{2248}13,530 [13,130 to 13,930]",
                "+10.0% [+1,230 (730 to 1,730)]",
            ])
        #expect(ComparisonView(before, after, frame: Self.frame).readingNotes.count == 3)
        let shares = try Self.cells(
            report("2026-11-20", "0.4", "0.37", "0.43", unit: "share"),
            report("2026-11-21", "0.5", "0.46", "0.54", unit: "share"))
        #expect(
            shares["iOS"] == ["40.0% [37.0% to 43.0%]", "50.0% [46.0% to 54.0%]", "+10.0 points [5.0% to 15.0%]"])
        // An estimate whose interval one file lacks has no change: a bare one would say too much.
        let bare = try Self.report("2026-11-21", rows: [("iOS", "published", "13530")], sampling: "0.25")
        #expect(try Self.cells(before, bare)["iOS"]?.last == "")
    }

    @Test("what was counted in another way, or is another thing of the same name, is not comparable, and why is said")
    func incomparable() throws {
        let rows = [("iOS", "published", Optional("84")), ("Linux", "withheld", nil)]
        let plain = try Self.report("2026-11-20", rows: rows)
        func check(_ other: ReportReading, _ reason: String) throws {
            let view = ComparisonView(plain, other, frame: Self.frame)
            let section = try #require(view.sections.first)
            #expect(
                section.differences.count == 1 && section.differences[0].hasSuffix(reason), "\(section.differences)")
            #expect(section.rows.allSatisfy { $0.cells.last?.words == ["not comparable"] }, "\(reason)")
        }
        let day = "2026-11-21"
        try check(Self.report(day, rows: rows, sampling: "0.1"), "the metric had another sampling rate then.")
        try check(Self.report(day, rows: rows, window: 86_400), "identifiers of another length of life then.")
        try check(Self.report(day, rows: rows, devices: "\"client_firsts\""), "another way of counting devices then.")
        let floors = try ["any", "attested"].map { try Self.report(day, rows: rows, counts: "devices", floor: $0) }
        let before = try Self.report("2026-11-20", rows: rows, counts: "devices")
        let found = floors.map { ComparisonView(before, $0, frame: Self.frame).sections.first?.differences ?? [] }
        #expect(found[0] == [] && found[1].first?.hasSuffix("another way of counting devices then.") == true)
        let values = ComparisonView(plain, try Self.report(day, rows: rows, floor: "attested"), frame: Self.frame)
        #expect(values.sections.first?.differences == [])
        try check(Self.report(day, rows: rows, buckets: "\"iOS\", \"Linux\""), "other buckets then.")
        try check(Self.report(day, unit: "share", kind: "share", rows: rows), "asked for something else then.")
        try check(Self.report(day, rows: rows, metric: "views"), "asked for something else then.")
        try check(
            Self.report(day, rows: rows, filters: "{\"dimension\": \"os\", \"bucket\": \"iOS\"}"),
            "asked for something else then.")
        try check(Self.report(day, rows: rows, length: "week"), "was about periods of another length then.")
        #expect(ComparisonView(plain, plain, frame: Self.frame).sections.first?.differences == [])
    }

    @Test("a group that was learned since is no other way of counting")
    func learned() throws {
        let before = try Self.report("2026-11-20", rows: [("iOS", "published", "100")])
        let after = try Self.report(
            "2026-11-21", rows: [("Haiku", "published", "30"), ("iOS", "published", "150")],
            buckets: "\"Haiku\", \"iOS\"")
        let view = ComparisonView(before, after, learned: ["os"], frame: Self.frame)
        #expect(view.sections[0].differences.isEmpty)
        #expect(view.sections[0].rows.map { $0.cells[2].numbers } == [[], ["+50.0%"]])
        #expect(ComparisonView(before, after, frame: Self.frame).sections[0].differences.count == 1)
    }

    @Test("each number is written in the unit of its own report")
    func units() throws {
        let found = try Self.cells(
            Self.report("2026-11-20", rows: [("iOS", "published", "8412")]),
            Self.report("2026-11-21", unit: "share", kind: "share", rows: [("iOS", "published", "0.412")]))
        #expect(found["iOS"] == ["8,410", "41.2%", "not comparable"])
    }

    @Test("the earlier period comes first, in whichever order they are asked for")
    func order() throws {
        let before = try Self.report("2026-11-20", rows: [("iOS", "published", "100")])
        let after = try Self.report("2026-11-21", rows: [("iOS", "published", "150")])
        for (one, other) in [(before, after), (after, before)] {
            #expect(try Self.cells(one, other)["iOS"] == ["100", "150", "+50.0% [+50 (16 to 84)]"])
            #expect(ComparisonView(one, other, frame: Self.frame).fromTitle == "2026-11-20")
        }
        let day = try Self.report("2026-11-16", rows: [("iOS", "published", "100")])
        let week = try Self.report(
            "2026-11-16", rows: [("iOS", "published", "700")], length: "week", label: "2026-W47", last: "2026-11-22")
        for (one, other) in [(day, week), (week, day)] {
            #expect(ComparisonView(one, other, frame: Self.frame).toTitle == "2026-W47")
            #expect(try Self.cells(one, other)["iOS"] == ["100", "700", "not comparable"])
        }
    }

    @Test("the basis says k, the margin, sampling and what is withheld, of both periods where they differ")
    func basis() throws {
        let rows = [("iOS", "published", Optional("100"))]
        let view = try ComparisonView(
            Self.report("2026-11-20", rows: rows, withheldShare: "0.031"),
            Self.report("2026-11-21", rows: rows, sampling: "0.25", k: "50", withheldShare: "0"), frame: Self.frame)
        #expect(
            view.sections.first?.basisParts == [
                "Counts events",
                "2026-11-20: Each number stands for 20 devices or more; 2026-11-21: Each number stands for 50 devices or more",
                "Off by at most 24 in 19 of 20 cases",
                "2026-11-20: Everything counted; 2026-11-21: Sampling rate 0.25: scaled up, with 95% intervals",
                "A device is recognised for 15 minutes at most",
                "2026-11-20: 3.1% of the whole withheld; 2026-11-21: 0.0% of the whole withheld",
            ])
    }

    @Test(
        "a report's own files are read, and with itself nothing has changed",
        arguments: ["shop", "course", "kitchen", "till"])
    func files(report: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = folder.appending(path: "ThrongReportTests/Golden/weekly_\(report)-2026-W47.json")
        let reading = try ReportReading(json: Array(Data(contentsOf: file)))
        let view = ComparisonView(reading, reading, frame: Self.frame)
        #expect(!view.sections.isEmpty && view.sections.allSatisfy(\.differences.isEmpty))
        for line in view.sections.flatMap(\.rows) {
            #expect(line.cells[2].numbers.allSatisfy { $0 == "about the same" }, "\(line)")
        }
    }

    @Test("a trend is compared period by period, the last ones with each other")
    func trends() throws {
        func trend(_ label: String, _ points: [(String, String?)]) throws -> ReportReading {
            let texts = points.map { day, value in
                """
                {"period": {"label": "\(day)", "title": "\(day)"}, "rows": [{"buckets": ["iOS"], \
                "status": "\(value == nil ? "withheld" : "published")", "value": \(value ?? "null")}]}
                """
            }
            return try Self.report(
                "2026-11-\(label)", view: "trend", rows: [], more: "\"points\": [\(texts.joined(separator: ", "))],")
        }
        // By system, as the test's reports are.
        let view = try ComparisonView(
            trend("20", [("18", "50"), ("19", nil), ("20", "80")]), trend("21", [("20", "80"), ("21", "120")]),
            frame: Self.frame)
        let section = try #require(view.sections.first)
        #expect(section.whenHeadings == ["Period"])
        #expect(section.rows.map(\.group) == ["iOS", "iOS"])
        #expect([section.fromHeading, section.toHeading] == ["Earlier", "Later"])
        #expect(section.rows.map(\.whens) == [["19, 20"], ["20, 21"]])
        let cells = section.rows.map {
            $0.cells.map { ($0.numbers + $0.bounds.map { " [\($0)]" } + $0.marks + $0.words).joined() }
        }
        #expect(cells == [["withheld", "80", ""], ["80", "120", "+50.0% [+40 (6 to 74)]"]])
    }
}
