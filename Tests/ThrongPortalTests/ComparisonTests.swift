import Testing
import ThrongReport

@testable import ThrongPortal

@Suite("Two periods side by side tell nothing that either of them withholds")
struct ComparisonTests {
    private static let frame = PageFrame(pageTitle: "", css: "", house: "", visitors: [])

    /// A report's JSON with one insight by operating system.
    private static func report(
        _ period: String, unit: String = "events", rows: [(String, String, String?)], whole: String? = nil
    ) throws -> ReportReading {
        func figure(_ status: String, _ value: String?) -> String {
            "\"status\": \"\(status)\", \"value\": \(value ?? "null")"
        }
        let rows = rows.map { "{\"buckets\": [\"\($0.0)\"], \(figure($0.1, $0.2))}" }.joined(separator: ", ")
        let json = """
            {"title": "Shoppers", "withheld": "\(Withheld.wording)", "period": {"label": "\(period)", "title": "\(period)"},
             "insights": [{"name": "by_system", "title": "By system", "unit": "\(unit)", "basis": {"statement": "events"},
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
        #expect(shares["Plan 9"] == ["not released", "cannot occur", ""])
        let counts = try Self.cells(
            Self.report("2026-11-20", rows: [("iOS", "published", "0")]),
            Self.report("2026-11-21", rows: [("iOS", "published", "1234567")]))
        #expect(counts["iOS"] == ["0", "1,234,567", "+1,234,567"])
    }
}
