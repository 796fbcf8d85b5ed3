import Testing
import ThrongPlan
@_spi(Ledger) import ThrongRelease
import ThrongReport

@Suite("Who did more than counts is said where a frequency of the same report tells it")
struct ExcessTests {
    /// Visits by band, of 1, 2 to 4, 5 to the last, the last; nil is withheld.
    private static let visits: [Int64?] = [700, 500, 400, 400]

    private static func notes(
        last: Int = 18, bound: Int? = 17, chosen: Int = 20, visits: [Int64?] = visits, whole: Int64 = 2000,
        events: String = "looked",
        insights: String = "views, again, often", by: String = ""
    ) throws -> [[String]] {
        try document(
            last: last, bound: bound, chosen: chosen, visits: visits, whole: whole, events: events, insights: insights,
            by: by
        ).answers.map { $0.likenesses.filter { $0.contains("count;") || $0.contains("counts;") } }
    }

    private static func document(
        last: Int = 18, bound: Int?, chosen: Int, visits: [Int64?] = visits, whole: Int64 = 2000,
        events: String = "looked",
        insights: String = "views, again, often", by: String = ""
    ) throws -> ReportDocument {
        let rest =
            "question: How often?, decision: That., owner: Team, expires: 2027-10-31, purpose: product, period: week"
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100000, grace: 3 days}
                purposes:
                  product: {explanation: To sell better., consent: not_required, rotation: 1 day, retention: 400 days}
                dimensions:
                  os: {title: System, field: os, list: [iOS, Android], partitions: devices}
                metrics:
                  views:
                    {title: Views, noun: {one: page view, many: page views}, events: [looked], \(rest),
                    contribution_bound: \(bound.map { "\($0)" } ?? "auto")}
                  times:
                    {title: Times, events: [\(events)], dimensions: [os], \(rest),
                    measures: {frequency: {bands: [1, 2, 5, \(last)]}}, margins: [[times]]}
                insights:
                  views: {title: Page views, metric: views, kind: count}
                  again: {title: Page views again, metric: views, kind: count}
                  often: {title: How often, metric: times, kind: frequency\(by)}
                partners:
                  bank: {title: Bank, contact: p@example.com}
                reports:
                  weekly: {title: Weekly, partner: bank, period: week, insights: [\(insights)]}
                """, file: "shop.yaml", today: CalendarDate(daysSince1970: 20_777))
        let period = PeriodCalendar.utc.period(.week, containing: UnixSeconds(1_795_255_200))
        let releases = try plan.metrics.map { metric in
            let layout = try plan.layout(of: metric, rules: .system).bounded(by: chosen)
            func row(_ margin: Margin, _ cell: Int, _ count: Int64) -> Release.Row {
                Release.Row(margin: margin, cell: CellIndex(UInt32(cell)), count: count, sums: [], reach: nil)
            }
            let bands = visits.enumerated().compactMap { band, count in count.map { row(Margin(bits: 2), band, $0) } }
            return try Release(
                decayed: ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period).drawn(within: 15),
                dropped: [], cells: [row(.total, 0, whole)] + (metric.within == nil ? [] : bands))
        }
        return ReportDocument(plan: plan, report: plan.reports[0], period: period, releases: releases)
    }

    @Test("the sentence stands once, beside the first numbers that lack something, with its margin")
    func once() throws {
        let sentence =
            "About 400 visits had more than 17 page views, of which the first 17 count; off by at most 15 in 19 of 20 cases."
        #expect(try Self.notes() == [[sentence], [], []])
        let reached = sentence.replacing("more than 17 page views", with: "17 page views or more")
        #expect(try Self.notes(last: 17)[0] == [reached])
        let single = "more than one page view, of which the first counts; off by at most"
        #expect(try Self.notes(bound: 1)[0][0].contains(" visits had \(single)"))
    }

    @Test(
        "a bound that the release chose is said once, in the report's JSON, too, and how many exceeded it goes by that one"
    )
    func chosen() throws {
        let document = try Self.document(last: 11, bound: nil, chosen: 10)
        let told = "Page views: of one device at most 10 count; this bound follows what was released before."
        let notes = document.answers.map { $0.likenesses.filter { $0.hasPrefix("Page views:") } }
        #expect(notes == [[told], [], []])
        #expect(document.json.contains("\"contribution_bound\": 10"))
        let excess = try Self.notes(last: 11, bound: nil, chosen: 10)[0]
        #expect(excess.first?.hasPrefix("About 400 visits had more than 10 page views") == true, "\(excess)")
        #expect(try Self.notes(last: 11, bound: nil, chosen: 20) == [[told.replacing("10", with: "20")], [], []])
        #expect(try !Self.document(bound: 17, chosen: 10).json.contains("contribution_bound"))
    }

    @Test("of a band that is withheld, the whole less the others tells, unless few are left")
    func withheld() throws {
        let told = try Self.notes(visits: [700, 500, 400, nil])[0]
        #expect(told.map { $0.hasPrefix("About 400 visits had more than 17 page views") } == [true])
        #expect(try Self.notes(visits: [700, 500, nil, nil])[0].isEmpty)
        // 30 are k and less than the margin more.
        #expect(try Self.notes(visits: [700, 500, 770, nil])[0].isEmpty)
        #expect(try Self.notes(visits: [700, 500, 900, nil])[0].isEmpty)
    }

    @Test(
        "nothing is said where no band begins there, the frequency is of something else, or the report does not show it whole"
    )
    func nothing() throws {
        #expect(try Self.notes(last: 16) == [[], [], []])
        #expect(try Self.notes(events: "heard") == [[], [], []])
        #expect(try Self.notes(insights: "views, again") == [[], []])
        #expect(try Self.notes(by: ", by: [os]") == [[], [], []])
    }
}
