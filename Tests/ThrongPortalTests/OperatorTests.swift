import Testing
import ThrongPlan

@testable import ThrongPortal
@testable import ThrongStore

@Suite("The operator's page says what needs a look, and only that")
struct OperatorTests {
    private static let now = UnixSeconds(1_795_219_200)
    private static let day: Int64 = 86_400

    private static func run(
        _ report: ReportName, daysAgo days: Int64, _ outcome: ReportRun.Outcome, app: AppName = "shop"
    ) -> ReportRun {
        let period = PeriodCalendar.utc.period(.day, containing: now - days * day)
        return ReportRun(
            app: app, label: nil, report: report, partner: "bank", period: period, attempt: 1, startedAt: period.end,
            finishedAt: nil, outcome: outcome, detail: nil)
    }

    private static func view(_ runs: [ReportRun], now: UnixSeconds = now) throws -> OperatorView {
        OperatorView(
            DaemonHealth(panels: [], refusals: []), released: [], runs: runs, plans: [try PortalPlan.read()], now: now,
            frame: PageFrame(pageTitle: "", css: "", house: "", visitors: []))
    }

    @Test("a delivery that was given up needs a look, and so does a report that could not be made")
    func troubles() throws {
        #expect(try Self.view([Self.run("pulse", daysAgo: 1, .undelivered)]).headline == "One thing needs a look")
        #expect(
            try Self.view([
                Self.run("pulse", daysAgo: 1, .undelivered), Self.run("other", daysAgo: 1, .failed),
            ]).headline == "2 things need a look")
        #expect(
            try Self.view([Self.run("pulse", daysAgo: 1, .delivered), Self.run("other", daysAgo: 1, .made)]).headline
                == "All is well")
    }

    @Test("a failure of long ago is no alarm once a later period went well, nor of a report that is no more")
    func past() throws {
        let old = Self.run("pulse", daysAgo: 90, .failed)
        #expect(try Self.view([old, Self.run("pulse", daysAgo: 1, .delivered)]).headline == "All is well")
        #expect(try Self.view([Self.run("gone", daysAgo: 90, .failed)]).headline == "All is well")
        #expect(try Self.view([Self.run("pulse", daysAgo: 1, .failed, app: "other")]).headline == "All is well")
    }

    @Test("what needs a look is on the page, however long ago it began")
    func shown() throws {
        let runs =
            [Self.run("pulse", daysAgo: 90, .undelivered)]
            + (1...20).map {
                Self.run("other", daysAgo: $0, .delivered)
            }
        let view = try Self.view(runs)
        let table = try #require(view.panels.first { $0.panelTitle == "Last reports" }?.tables.first)
        #expect(table.tableRows.count == OperatorView.last + 1)
        #expect(table.tableRows.last?.tableCells[1] == "pulse")
    }

    @Test("on the date in its plan a metric is over, the day before it ends soon")
    func expiry() throws {
        func word(_ date: String) throws -> String? {
            let day = try #require(CalendarDate(date))
            let view = try Self.view([], now: PeriodCalendar.utc.midnight(of: day) + 3600)
            let table = view.panels.first { $0.panelTitle == "Expiring metrics" }?.tables.first
            #expect(table == nil || table?.headings[2] == "Ends on")
            return table?.tableRows.first?.tableCells.last
        }
        #expect(try word("2027-06-29") == "soon")
        #expect(try word("2027-06-30") == "over")
        #expect(try word("2027-05-01") == nil)
    }
}
