import Testing
import ThrongPlan
import ThrongReport

@testable import ThrongPortal
@testable import ThrongStore

@Suite("The explorer says of withheld rows that they are withheld, and nothing else")
struct ExplorerAnswerTests {
    private static let saturday: Int64 = 1_795_219_200

    private static func row(_ buckets: [String], _ number: Int128?, day: Int64 = 2, reason: String? = nil) -> AnalystRow
    {
        AnalystRow(
            start: saturday + day * 86_400, buckets: buckets,
            numbers: [number.map { AnalystRow.Number(units: $0, places: 0) }],
            withheld: number == nil ? reason ?? Withheld.wording : nil)
    }

    private static func answer(
        _ address: String, _ rows: [AnalystRow], whole: [AnalystRow] = [],
        shape: AnalystShape = ExplorerChoiceTests.shape
    ) throws -> ExplorerAnswer {
        ExplorerAnswer(
            try ExplorerChoiceTests.choice("app=shop&metric=orders\(address)", shape), rows: rows, whole: whole,
            titles: ExplorerTitles(plans: []))
    }

    @Test("what counts identifiers is asked for and said as identifiers")
    func identifiers() throws {
        let rows = [row(["iOS"], 60), row(["it's"], nil), row(["other"], nil)]
        let answer = try Self.answer("", rows, whole: [row([], 80)], shape: ExplorerChoiceTests.identifiers)
        #expect(answer.heading == "Identifiers by Os")
        #expect(answer.sentence.hasSuffix("with 60 of 80 identifiers (75.0%)."))
        #expect(answer.withheldNote?.hasSuffix("25.0% of the identifiers.") == true)
        #expect(answer.choice.question.sql.contains("    \"identifiers\",\n"))
        #expect(!answer.choice.question.sql.contains("events"))
    }

    @Test("what withheld rows leave out is told where the whole is published")
    func rest() throws {
        let rows = [row(["iOS"], 60), row(["it's"], nil), row(["other"], nil)]
        let known = try Self.answer("", rows, whole: [Self.row([], 80)])
        #expect(
            known.withheldNote
                == "\(Withheld.wording). 2 of 3 rows here. Together they are the whole less the published numbers: 25.0% of the events."
        )
        #expect(known.sentence.hasSuffix("is the largest published group, with 60 of 80 events (75.0%)."))
        let unknown = try Self.answer("", rows, whole: [Self.row([], nil)])
        #expect(unknown.withheldNote?.hasSuffix("How much of the whole that leaves out is unknown.") == true)
        #expect(unknown.sentence.hasSuffix("with 60 events."))
        #expect(try Self.answer("", [row(["iOS"], 60)]).withheldNote == nil)
    }

    private func row(_ buckets: [String], _ number: Int128?) -> AnalystRow { Self.row(buckets, number) }

    @Test("over several periods the rest is unknown as soon as one whole is")
    func restOfPeriods() throws {
        let rows = [Self.row(["iOS"], 60, day: 0), Self.row(["other"], nil, day: 0), Self.row(["iOS"], 50, day: 1)]
        let span = "&from=2026-11-21&to=2026-11-22"
        let both = try Self.answer(span, rows, whole: [Self.row([], 70, day: 0), Self.row([], 50, day: 1)])
        #expect(both.withheldNote?.hasSuffix("8.3% of the events.") == true)
        let one = try Self.answer(span, rows, whole: [Self.row([], 70, day: 0), Self.row([], nil, day: 1)])
        #expect(one.withheldNote?.hasSuffix("unknown.") == true)
    }

    @Test("sentences: one number, all withheld, nothing that can occur, a course over days")
    func sentences() throws {
        func finding(_ address: String, _ rows: [AnalystRow]) throws -> String {
            try Self.answer(address, rows).sentence
        }
        #expect(try finding("&margin=(total)", [row([], 1410)]).hasSuffix("2026. 1,410 events were counted."))
        #expect(try finding("&margin=(total)", [row([], nil)]).hasSuffix("This number is \(Withheld.wording)."))
        #expect(
            try finding("", [row(["iOS"], nil), row(["other"], nil)]).hasSuffix(
                "Every number here is \(Withheld.wording)."))
        #expect(
            try finding("&margin=(total)", [Self.row([], nil, reason: "cannot occur")]).hasSuffix("This cannot occur."))
        #expect(
            try finding(
                "&margin=(total)&from=2026-11-21",
                [Self.row([], 5, day: 0), Self.row([], nil, day: 1), Self.row([], 9, day: 2)]
            ).hasSuffix("The published numbers lie between 5 (21 Nov) and 9 (23 Nov)."))
        #expect(try finding("", []).hasSuffix("age took them, or they were never released."))
    }

    @Test("a small, an empty and a protecting row make the same cell, whatever their places")
    func alike() throws {
        let rows = [row(["iOS"], 60), row(["it's"], nil), row(["other"], nil)]
        let view = ExplorerView(
            try Self.answer("", rows), metrics: [ExplorerChoiceTests.metric],
            frame: PageFrame(pageTitle: "", css: "", house: "", visitors: []))
        let cells = view.dataRows.dropFirst().map { "\($0.cells)" }
        #expect(Set(cells).count == 1 && view.dataRows[1].cells[0].cellWithheld)
        #expect(view.dataRows.map { $0.sides.last } == ["iOS", "it's", "other"])
    }

    @Test("a page says where its table ends, and where the answer does", arguments: [1000, 1001, 10_000])
    func limits(count: Int) throws {
        let rows = (0..<count).map { Self.row(["\($0)"], 60) }
        let view = ExplorerView(
            try Self.answer("", rows), metrics: [ExplorerChoiceTests.metric],
            frame: PageFrame(pageTitle: "", css: "", house: "", visitors: []))
        #expect(view.dataRows.count == 1000)
        #expect(view.warnings.count == (count == 1000 ? 0 : count == 1001 ? 1 : 2))
        #expect(view.warnings.allSatisfy { $0.contains(count == 1001 ? "1,001" : "10,000") })
    }

    @Test("CSV has the query's columns, empty cells for withheld numbers, and defused text")
    func csv() throws {
        let rows = [row(["=cmd()"], 60), row(["it's"], nil)]
        #expect(
            try Self.answer("", rows).csv
                == """
                period_start,os,events,withheld\r
                2026-11-23T00:00:00Z,"'=cmd()",60,\r
                2026-11-23T00:00:00Z,"it's",,"\(Withheld.wording)"\r\n
                """)
    }

    @Test("charts: bars, lines over periods, a heat table, one number, and a hint where a drawing would hold too much")
    func charts() throws {
        let one = try ExplorerCharts(Self.answer("", [row(["iOS"], 60)]))
        #expect(one.barCharts.count == 1 && one.hints.isEmpty)
        let days = (0..<3).map { Self.row(["iOS"], 60, day: $0) }
        #expect(try ExplorerCharts(Self.answer("&from=2026-11-21", days)).lineCharts.count == 1)
        let cells = [row(["iOS", "cart"], 60), row(["iOS", "other"], nil)]
        #expect(try ExplorerCharts(Self.answer("&margin=os,%20step", cells)).heatTables.count == 1)
        #expect(try ExplorerCharts(Self.answer("&margin=(total)", [row([], 60)])).stats.first?.statNumbers == ["60"])
        let many = (0..<61).map { row(["\($0)"], 60) }
        #expect(try ExplorerCharts(Self.answer("", many)).hints.count == 1)
        let wide = try ExplorerCharts(Self.answer("&margin=os,%20step&from=2026-11-21", cells))
        #expect(wide.heatTables.isEmpty && wide.hints.count == 1)
    }
}
