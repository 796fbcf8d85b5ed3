import Foundation
import Testing

@testable import ThrongPlan

@Suite("A schedule is cron's, read by the app's wall clock")
struct CronScheduleTests {
    private static let instant = UnixSeconds(1_800_000_000)

    @Test("the next times are the ones that croniter finds", arguments: CronVectors.lines.split(separator: "\n"))
    func croniter(line: Substring) throws {
        let parts = line.split(separator: " | ")
        let schedule = try CronSchedule(String(parts[0]))
        var instant = UnixSeconds(try #require(Int64(parts[1])))
        for expected in parts[2].split(separator: " ") {
            instant = try #require(schedule.next(after: instant, in: .utc))
            #expect(instant.value == Int64(expected), "\(schedule)")
        }
    }

    private func times(_ text: String, _ zone: String, after: String, count: Int) throws -> [String] {
        let calendar = try #require(PeriodCalendar(timeZone: zone))
        let schedule = try CronSchedule(text)
        var instant = UnixSeconds(Int64(try Date(after, strategy: .iso8601).timeIntervalSince1970))
        return try (0..<count).map { _ in
            instant = try #require(schedule.next(after: instant, in: calendar))
            return Date(timeIntervalSince1970: Double(instant.value)).formatted(.iso8601)
        }
    }

    @Test("a time that the clock skips in spring runs at the first instant after the gap, once")
    func spring() throws {
        // Berlin, 2027-03-28: 02:00 becomes 03:00 at 01:00 UTC.
        #expect(
            try times("30 2 * * *", "Europe/Berlin", after: "2027-03-27T12:00:00Z", count: 2)
                == ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"])
        #expect(
            try times("*/30 1-3 * * *", "Europe/Berlin", after: "2027-03-28T00:00:00Z", count: 3)
                == ["2027-03-28T00:30:00Z", "2027-03-28T01:00:00Z", "2027-03-28T01:30:00Z"])
    }

    @Test("an hour that the clock repeats in autumn runs once, the first time")
    func autumn() throws {
        // Berlin, 2026-10-25: 03:00 becomes 02:00 at 01:00 UTC.
        #expect(
            try times("30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00Z", count: 2)
                == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
        #expect(
            try times("0 * * * *", "Europe/Berlin", after: "2026-10-24T23:30:00Z", count: 3)
                == ["2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"])
    }

    @Test("a midnight that the clock skips runs when the day begins")
    func skippedMidnight() throws {
        // Beirut, 2026-03-29: 00:00 becomes 01:00 at 22:00 UTC of the day before.
        #expect(
            try times("0 0 * * *", "Asia/Beirut", after: "2026-03-28T12:00:00Z", count: 2)
                == ["2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z"])
    }

    @Test("a date that a zone skipped altogether runs when the next one begins")
    func skippedDate() throws {
        // Apia had no 30 December 2011.
        #expect(
            try times("0 12 30 * *", "Pacific/Apia", after: "2011-12-01T00:00:00Z", count: 1)
                == ["2011-12-30T10:00:00Z"])
    }

    @Test("zones off by less than an hour keep their minutes")
    func oddOffsets() throws {
        #expect(
            try times("0 6 * * *", "Asia/Kathmandu", after: "2026-11-21T00:00:00Z", count: 1)
                == ["2026-11-21T00:15:00Z"])
    }

    @Test("an alias is its five fields", arguments: CronSchedule.aliases.map { [$0.name, $0.fields] })
    func aliases(pair: [String]) throws {
        let alias = try CronSchedule(pair[0])
        let fields = try CronSchedule(pair[1])
        #expect(alias.next(after: Self.instant, in: .utc) == fields.next(after: Self.instant, in: .utc))
    }

    @Test("names may be in capitals, and a week may end on a Sunday")
    func names() throws {
        let named = try CronSchedule("0 0 * JAN,Feb Fri-Sun")
        let numbered = try CronSchedule("0 0 * 1,2 5-7")
        #expect(named.months == numbered.months)
        #expect(named.weekdays == numbered.weekdays)
        #expect(named.weekdays == 0b110_0001)
    }

    @Test("what is no schedule is refused with what is allowed", arguments: Self.wrong)
    func refused(text: String, message: String) throws {
        let problem = #expect(throws: CronProblem.self) { try CronSchedule(text) }
        #expect(problem?.description.contains(message) == true, "\(problem?.description ?? "none")")
    }

    static let wrong = [
        ("", "found 0 fields"),
        ("* * * *", "found 4 fields; five are allowed"),
        ("* * * * * *", "found 6 fields"),
        ("60 * * * *", "the minute '60' does not exist; 0 to 59 are allowed"),
        ("* 24 * * *", "the hour '24' does not exist"),
        ("* * 0 * *", "the day of month '0' does not exist"),
        ("* * * 13 *", "the month '13' does not exist; 1 to 12 or jan to dec"),
        ("* * * * 8", "the day of week '8' does not exist"),
        ("* * * * funday", "can't be read"),
        ("* 22-2 * * *", "runs backwards"),
        ("*/0 * * * *", "a step follows * or a range"),
        ("5/15 * * * *", "a step follows * or a range"),
        ("1,,2 * * * *", "can't be read"),
        ("-1 * * * *", "can't be read"),
        ("0 0 L * *", "can't be read"),
        ("0 0 30 2 *", "never happens"),
        ("0 0 31 4,6 *", "never happens"),
        ("@reboot", "unknown alias '@reboot'; @hourly"),
    ]
}
