import Testing
import ThrongPlan

@testable import ThrongReport
@testable import ThrongServer
@testable import ThrongStore

@Suite("Files have the query's columns, each number with its margin, and a reason wherever one is missing")
struct NumbersTableTests {
    private static func row(_ buckets: [String], _ count: Int128?, _ revenue: Int128? = nil, day: Int64 = 2)
        -> AnalystRow
    {
        ExplorerAnswerTests.row(buckets, count, revenue, day: day)
    }

    /// Orders by system on a day, with the day before, the whole, and visits of the same systems.
    private static func answer() throws -> ExplorerAnswer {
        let visits = [row(["iOS"], 240), row(["it's"], nil), row(["other"], 0)]
        return try ExplorerAnswerTests.answer(
            "&over=visits", [row(["iOS"], 60, 150_000), row(["it's"], nil), row(["other"], 20, 10_000)],
            whole: [row([], 80)], before: [row(["iOS"], 40, day: 1), row(["it's"], 30, day: 1)],
            over: .init(metric: "visits", title: "Visits", columns: ["os"], rows: visits))
    }

    private static let why = Withheld.wording

    @Test(
        "CSV: the names are those of SQL, then what is computed; withheld numbers are empty, with the reason beside them"
    )
    func csv() throws {
        let lines = NumbersTable(try Self.answer()).csv.split(separator: "\r\n").map(String.init)
        #expect(
            lines == [
                "period,local_date,period_start,os,events,events_margin,revenue,revenue_margin,devices,devices_margin,"
                    + "withheld,devices_withheld,over_visits,over_visits_margin,over_visits_withheld,share,share_margin,"
                    + "share_withheld,mean_revenue,mean_revenue_margin,mean_revenue_withheld,change,change_margin,"
                    + "change_withheld,delete_by",
                // 60 of 240, of 80, 1,500 EUR of 60; 60 after 40. √(12² + 0.25² 12²) / 240, √(12² + 0.75² 12²) / 80,
                // √(3.4² + 25² 12²) / 60, √(12² + 1.5² 12² - 1.5 12²) / 40.
                "2026-11-23,2026-11-23,2026-11-23T00:00:00Z,iOS,60,12,1500.00,3.40,30,7,,,0.250000,0.051539,,0.750000,"
                    + "0.187500,,25.000000,5.000322,,0.500000,0.396863,,",
                "2026-11-23,2026-11-23,2026-11-23T00:00:00Z,\"it's\",,,,,,,\(Self.why),\(Self.why),,,\(Self.why),,,"
                    + "\(Self.why),,,\(Self.why),,,\(Self.why),",
                "2026-11-23,2026-11-23,2026-11-23T00:00:00Z,other,20,12,100.00,3.40,10,7,,,,,"
                    + "not told: it would be divided by 0,0.250000,0.154617,,5.000000,3.004813,,,,not told,",
            ])
        let hostile = try ExplorerAnswerTests.answer("", [Self.row(["=cmd()"], 60)])
        #expect(NumbersTable(hostile).csv.contains(",\"'=cmd()\",60,12,"))
    }

    @Test(
        "JSON has the same names and digits, and says of each column what it is, what is beside it and whether it adds up"
    )
    func json() throws {
        let table = NumbersTable(try Self.answer())
        let text = table.json(next: nil).written()
        for part in [
            #""revenue": 1500.00"#, #""revenue_margin": 3.40"#, #""share": 0.750000"#, #""events": null"#,
            #""next": null"#,
            #""withheld": "withheld: it stands for too few people""#, #""local_date": "2026-11-23""#, #""adds": true"#,
            #""margin": "devices_margin""#, #""reason": "devices_withheld""#,
        ] { #expect(text.contains(part), "\(part)") }
        #expect(table.columns.filter(\.adds).map(\.name) == ["events", "revenue"])
        #expect(table.rows.allSatisfy { $0.count == table.columns.count })
        #expect(Set(table.columns.map(\.name)).count == table.columns.count)
    }

    @Test("a share of what is withheld, a mean and a change stand on the page; a change within its margin is none")
    func page() throws {
        let answer = try Self.answer()
        let marks = answer.figures.map { figure in (0..<3).map { answer.mark(figure, $0).text(in: .english) } }
        #expect(answer.figures.map(\.title) == ["Over Visits", "Share", "Mean of revenue (EUR)", "Change"])
        #expect(
            marks == [
                ["25.0%", "withheld", "not told"], ["75.0%", "withheld", "25.0%"], ["25.00", "withheld", "5.00"],
                ["+50.0%", "withheld", "not told"],
            ])
        let still = try ExplorerAnswerTests.answer("", [Self.row(["iOS"], 60)], before: [Self.row(["iOS"], 58, day: 1)])
        let change = try #require(still.figures.first { $0.kind == .change })
        #expect(still.mark(change, 0).text(in: .english) == "about the same")
        let none = try ExplorerAnswerTests.answer("", [Self.row(["iOS"], 60)])
        #expect(!none.figures.contains { $0.kind == .change })
    }
}
