import Testing
import ThrongPlan
@_spi(Ledger) import ThrongRelease

@testable import ThrongReport

@Suite("where age took what a report asks, it says so and shows what is left")
struct AgedTests {
    private static let yaml = """
        app: {name: kiosk, title: Kiosk, owner: Team, contact: a@example.com, audience: 100000}
        purposes:
          product: {explanation: To sell better., consent: not_required, rotation: 1 day, retention: 400 days}
        dimensions:
          os: {title: System, field: os, list: [Windows, macOS, iOS], partitions: devices}
          platform: {title: Platform, of: os, groups: {Desktop: [Windows, macOS], Mobile: [iOS]}}
          country: {title: Country, field: country, list: [AT, DE]}
        metrics:
          views:
            {title: Views, events: [view], question: What is read?, decision: What to write., owner: Team,
            expires: 2027-10-31, purpose: product, dimensions: [os, country], period: day,
            margins: [[os], [platform], [country], [os, country], [platform, country]],
            decay: [{after: 30 days, coarsen: os, to: platform}]}
        insights:
          systems: {title: By system, metric: views, kind: count, by: [os]}
          places: {title: By system and country, metric: views, kind: count, by: [os, country]}
          top: {title: Largest, metric: views, kind: count, by: [os], top: 2}
          apple: {title: iOS, metric: views, kind: count, where: {os: iOS}}
          days: {title: Days, metric: views, kind: count, by: [os], trend: 2}
          all: {title: All, metric: views, kind: count}
        partners:
          press: {title: Press, contact: p@example.com}
        reports:
          daily: {title: The day, partner: press, period: day, insights: [systems, places, top, apple, days, all]}
        """

    private static let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_255_200))

    /// A day of which every cell of every shown grouping is published with the number of its place, and which lost dimensions.
    private static func release(_ plan: Plan, _ period: Period, without lost: Set<DimensionName>) throws -> Release {
        let metric = try #require(plan.metric("views"))
        let layout = try plan.layout(of: metric, rules: .system)
        let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period).drawn(within: 28)
        let rows = header.groupings.flatMap { margin in
            (0..<layout.size(of: margin)).map { place in
                Release.Row(
                    margin: margin, cell: CellIndex(UInt32(place)), count: 1000 + Int64(place), sums: [], reach: nil)
            }
        }
        return try Release(decayed: header, dropped: lost, cells: rows)
    }

    private static func document(
        without lost: Set<DimensionName>, before: Set<DimensionName> = []
    ) throws -> ReportDocument {
        let plan = try Plan(yaml: yaml, file: "kiosk.yaml", today: CalendarDate(daysSince1970: 20_777))
        let yesterday = PeriodCalendar.utc.period(.day, containing: day.start - 1)
        return ReportDocument(
            plan: plan, report: try #require(plan.reports.first), period: day,
            releases: [try release(plan, day, without: lost), try release(plan, yesterday, without: before)])
    }

    @Test("each insight gives way to the finest dimension that is left, and names both")
    func coarser() throws {
        let document = try Self.document(without: ["os"], before: ["os"])
        for (name, axes) in [("systems", ["platform"]), ("places", ["platform", "country"]), ("top", ["platform"])] {
            let answer = try #require(document.answers.first { $0.insight.name.text == name })
            let answered = try #require(answer.answered, "\(name) is answered")
            #expect(answered.axes.map(\.name.text) == axes)
            #expect(answered.aged.map(\.name) == ["os"] && answered.aged.map(\.now?.name) == ["platform"])
            #expect(
                answer.ageNotes == [
                    "Numbers by “System” are no longer kept for this period: they are shown by “Platform” instead."
                ])
        }
        let trend = try #require(document.answers.first { $0.insight.name == "days" }?.answered)
        guard case .trend(let points) = trend.view else { throw NoTrend() }
        #expect(points.map(\.figures) == Array(repeating: trend.table.rows.map(\.figure), count: 2))
        #expect(document.csv.contains("os>platform") && document.json.contains("\"now\": \"platform\""))
        let page = try document.html()
        #expect(page.contains("are no longer kept for this period") && page.contains("Desktop"))
        #expect(!page.contains("Windows"))
    }

    @Test("what nothing coarser is left of, and numbers of one bucket, are said to be gone")
    func gone() throws {
        let document = try Self.document(without: ["os", "platform"])
        func answer(_ name: InsightName) throws -> InsightAnswer {
            try #require(document.answers.first { $0.insight.name == name })
        }
        #expect(try answer("systems").answered?.axes.isEmpty == true)
        #expect(try answer("systems").ageNotes.first?.hasSuffix("they are shown without it.") == true)
        #expect(try answer("places").answered?.axes.map(\.name) == ["country"])
        #expect(try answer("top").answered?.view == .table)
        #expect(try answer("apple").outcome == .absent(.aged))
        #expect(try answer("apple").sentence == "There is no number: numbers in this detail are no longer kept.")
        #expect(try answer("all").answered?.aged == [])
    }

    @Test("a day that is young enough is compared with an older one that is not")
    func beside() throws {
        let document = try Self.document(without: [], before: ["os"])
        let trend = try #require(document.answers.first { $0.insight.name == "days" }?.answered)
        guard case .trend(let points) = trend.view else { throw NoTrend() }
        #expect(points.map { Set($0.figures).count } == [1, 4] && points[0].figures.first == .absent(.aged))
        #expect(trend.aged.isEmpty && document.csv.contains(",aged,") && document.json.contains("\"status\": \"aged\""))
    }

    struct NoTrend: Error {}
}
