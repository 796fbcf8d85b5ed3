import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("An hour that the clock shows twice has two names")
struct RepeatedHourTests {
    /// 2026-10-25T00:00:00Z: 02:00 in Vienna, for the first time.
    private static let first = UnixSeconds(1_792_886_400)

    private static func hour(_ start: UnixSeconds, _ zone: String = "Europe/Vienna") throws -> (PeriodCalendar, Period)
    {
        let calendar = try #require(PeriodCalendar(timeZone: zone))
        return (calendar, calendar.period(.hour, containing: start))
    }

    @Test("the label of either has its offset, those before and after have none")
    func labels() throws {
        let labels = try (Int64(-1)...2).map { hour in
            let (calendar, period) = try Self.hour(Self.first + hour * 3600)
            return calendar.label(of: period)
        }
        #expect(
            labels == [
                "2026-10-25T01:00", "2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:00",
            ])
        // 2026-11-01T06:00:00Z: 01:00 in New York, for the second time.
        let (calendar, period) = try Self.hour(UnixSeconds(1_793_512_800), "America/New_York")
        #expect(calendar.label(of: period) == "2026-11-01T01:00-05:00")
    }

    @Test(
        "every hour of two years has a label of its own, and is read back from it",
        arguments: ["Europe/Vienna", "America/New_York", "Asia/Kolkata", "Australia/Adelaide", "UTC"])
    func reading(zone: String) throws {
        let (calendar, begin) = try Self.hour(Self.first - 365 * 86_400, zone)
        var labels: Set<String> = []
        for hour in 0..<(2 * 365 * 24) {
            let period = calendar.period(.hour, containing: begin.start + Int64(hour) * 3600)
            let label = calendar.label(of: period)
            #expect(labels.insert(label).inserted, "\(label) twice")
            #expect(calendar.period(labelled: label) == period, "\(label)")
        }
    }

    @Test(
        "what names no hour is read as none",
        arguments: [
            "2026-10-25T02:00", "2026-10-25T02:00+03:00", "2026-10-25T03:00+01:00", "2026-10-25T02:00+", "2026-10-25T",
            "2026-10-25T02:00+01:00+01:00", "2026-10-25T+2:00", "2026-03-29T02:00", "2026-10-25T02:00+9999999999:00",
        ])
    func refused(label: String) throws {
        #expect(try Self.hour(Self.first).0.period(labelled: label) == nil)
    }

    @Test("their reports' files do not overwrite each other, and their titles differ")
    func files() throws {
        let documents = try [Self.first, Self.first + 3600].map { start in
            ReportDocument(
                plan: Shop().plan, report: Shop().report, period: try Self.hour(start).1, releases: [])
        }
        let names = try documents.flatMap { try ReportFiles(of: $0, formats: [.csv]).all.map(\.name) }
        #expect(names == ["02-00-02-00", "02-00-01-00"].map { "weekly_shop-2026-10-25T\($0).csv" })
        #expect(documents[0].periodTitle == "25 October 2026, 02:00 to 03:00 (UTC+02:00)")
        #expect(documents[1].periodTitle == "25 October 2026, 02:00 to 03:00 (UTC+01:00)")
        #expect(documents.map { $0.names.short($0.period) } == ["25 Oct 02:00+02:00", "25 Oct 02:00+01:00"])
    }
}
