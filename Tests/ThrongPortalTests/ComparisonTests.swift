import Testing
import ThrongReport

@testable import ThrongPortal

@Suite("Two periods side by side tell nothing that either of them withholds")
struct ComparisonTests {
    private static let frame = PageFrame(pageTitle: "", css: "", house: "", visitors: [])

    /// A report's JSON with one insight by operating system.
    private static func report(
        _ period: String, unit: String = "events", kind: String = "count", locale: String = "en",
        view: String = "table",
        rows: [(String, String, String?)], whole: String? = nil, more: String = "", status: String = "answered"
    ) throws -> ReportReading {
        func figure(_ status: String, _ value: String?) -> String {
            "\"status\": \"\(status)\", \"value\": \(value ?? "null")"
        }
        let rows = rows.map { "{\"buckets\": [\"\($0.0)\"], \(figure($0.1, $0.2))}" }.joined(separator: ", ")
        let json = """
            {"title": "Shoppers", "locale": "\(locale)", "withheld": "\(Withheld.wording)", "period": {"label": "\(period)", "title": "\(period)"},
             "insights": [{"name": "by_system", "title": "By system", "kind": "\(kind)", "status": "\(status)", \(more)
             "view": {"as": "\(view)"}, "unit": "\(unit)", "basis": {"counts": "events", "statement": "events"},
             "dimensions": [{"name": "os", "title": "System"}], "rows": [\(rows)],
             "whole": \(whole.map { "{\(figure("published", $0))}" } ?? "null")}]}
            """
        return try ReportReading(json: Array(json.utf8))
    }

    private static func cells(_ from: ReportReading, _ to: ReportReading) throws -> [String: [String]] {
        let view = ComparisonView(from, to, frame: frame)
        let rows = try #require(view.sections.first).rows
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (row.group, row.cells.map { ($0.numbers + $0.marks + $0.words).joined() })
            })
    }

    @Test("a change stands where both numbers are published, and nowhere else")
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
        #expect(found["iOS"] == ["1,200", "1,500", "+25.0%"])
        #expect(found["Android"] == ["withheld", "90", ""])
        #expect(found["Linux"] == ["40", "withheld", ""])
        #expect(found["All"] == ["1,300", "1,690", "+30.0%"])
    }

    @Test("shares change by points, from nothing by a number, and what is not there is said")
    func manners() throws {
        let shares = try Self.cells(
            Self.report("2026-11-20", unit: "share", rows: [("iOS", "published", "0.412")]),
            Self.report(
                "2026-11-21", unit: "share", rows: [("iOS", "published", "0.4"), ("Plan 9", "impossible", nil)]))
        #expect(shares["iOS"] == ["41.2%", "40.0%", "\u{2212}1.2 points"])
        #expect(shares["Plan 9"] == ["no such group", "cannot occur", ""])
        let counts = try Self.cells(
            Self.report("2026-11-20", rows: [("iOS", "published", "0")]),
            Self.report("2026-11-21", rows: [("iOS", "published", "1234567")]))
        #expect(counts["iOS"] == ["0", "1,234,567", "+1,234,567"])
        let german = try Self.cells(
            Self.report("2026-11-20", locale: "de", rows: [("iOS", "published", "1500.5")]),
            Self.report("2026-11-21", locale: "de", rows: [("iOS", "published", "750.25")]))
        #expect(german["iOS"] == ["1.500,5", "750,25", "\u{2212}50,0\u{a0}%"])
    }

    @Test("a row that a ranking does not name any more is not said to be unreleased, and no row is left out")
    func rankings() throws {
        let before = try Self.report(
            "2026-11-20", view: "ranking", rows: [("iOS", "published", "90"), ("Linux", "published", "40")])
        let after = try Self.report(
            "2026-11-21", view: "ranking", rows: [("Android", "published", "95"), ("iOS", "published", "90")])
        let found = try Self.cells(before, after)
        #expect(found["Android"] == ["not named", "95", ""])
        #expect(found["iOS"] == ["90", "90", "0.0%"])
        #expect(found["Linux"] == ["40", "not named", ""])
        #expect(ComparisonView(before, after, frame: Self.frame).rankingNotes.count == 1)
        #expect(ComparisonView(after, after, frame: Self.frame).rankingNotes.isEmpty)
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
        func report(_ value: String) throws -> ReportReading {
            try Self.report("x", kind: "mean", rows: [("iOS", "published", value)])
        }
        #expect(try Self.cells(report("104.20"), report("1040.25")) == ["iOS": ["104.20", "1,040.25", "+898.3%"]])
    }

    @Test("a quantile in a band without an end is that band, and has no change")
    func quantiles() throws {
        func report(_ figure: String) throws -> ReportReading {
            let json = """
                {"title": "", "locale": "en", "withheld": "", "period": {"label": "", "title": ""},
                 "insights": [{"name": "q", "title": "Orders", "kind": "quantiles", "view": {"as": "table"}, "unit": "EUR",
                 "status": "answered", "basis": null, "dimensions": [], "whole": null,
                 "rows": [{"buckets": ["0.9"], "status": "published", \(figure)}]}]}
                """
            return try ReportReading(json: Array(json.utf8))
        }
        let open = try report("\"value\": null, \"low\": 1200, \"high\": null")
        let closed = try report("\"value\": 54.5, \"low\": 50, \"high\": 100")
        #expect(try Self.cells(closed, open) == ["90% stay below": ["54.5", "1,200 or more", ""]])
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
                label, view: "trend", rows: [], more: "\"points\": [\(texts.joined(separator: ", "))],")
        }
        // By system, as the test's reports are.
        let view = try ComparisonView(
            trend("20", [("18", "5"), ("19", nil), ("20", "8")]), trend("21", [("20", "8"), ("21", "12")]),
            frame: Self.frame)
        let section = try #require(view.sections.first)
        #expect(section.whenHeadings == ["Periods"])
        #expect(section.rows.map(\.group) == ["iOS", "iOS"])
        #expect([section.fromHeading, section.toHeading] == ["Earlier", "Later"])
        #expect(section.rows.map(\.whens) == [["19, 20"], ["20, 21"]])
        let cells = section.rows.map { $0.cells.map { ($0.numbers + $0.marks + $0.words).joined() } }
        #expect(cells == [["withheld", "8", ""], ["8", "12", "+50.0%"]])
    }
}
