import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("A part of a period is told by the hours of a day, or by the days of a longer period, that it touches")
struct PartOfPeriodTests {
    private static let calendar = PeriodCalendar(timeZone: "Europe/Vienna") ?? .utc

    private static func midnight(_ month: Int, _ day: Int) throws -> UnixSeconds {
        calendar.midnight(of: try #require(CalendarDate(year: 2026, month: month, day: day)))
    }

    /// "12 of 24 hour", or nothing where it touches all.
    private static func told(_ period: Period, from: UnixSeconds? = nil, until: UnixSeconds? = nil) throws -> String {
        let part = try #require(PartOfPeriod(of: period, from: from, until: until, isSplit: false))
        return part.units(of: period, in: calendar).map { "\($0.counted) of \($0.all) \($0.kind.rawValue)" } ?? ""
    }

    @Test("a day has 23, 24 or 25 hours, and the one that counting began in is one of them")
    func hours() throws {
        for (month, day, told) in [(3, 29, "13 of 23 hour"), (6, 15, "13 of 24 hour"), (10, 25, "13 of 25 hour")] {
            let period = Self.calendar.period(.day, containing: try Self.midnight(month, day))
            // Half an hour before noon by the wall clock.
            #expect(try Self.told(period, from: period.end - 12 * 3600 - 1800) == told)
        }
        let hour = Self.calendar.period(.hour, containing: try Self.midnight(6, 15))
        #expect(try Self.told(hour, from: hour.start + 60) == "")
    }

    @Test("weeks and months have days; a day that ended before counting did is whole")
    func days() throws {
        let week = Self.calendar.period(.week, containing: try Self.midnight(11, 12))
        #expect(try Self.told(week, from: Self.midnight(11, 11) + 43_200) == "5 of 7 day")
        #expect(try Self.told(week, until: Self.midnight(11, 11)) == "2 of 7 day")
        #expect(try Self.told(week, from: Self.midnight(11, 10), until: Self.midnight(11, 11) + 1) == "2 of 7 day")
        // Some hours of the first day are missing, and no day.
        #expect(try Self.told(week, from: week.start + 3600) == "")
        let month = Self.calendar.period(.month, containing: try Self.midnight(10, 31))
        #expect(try Self.told(month, from: Self.midnight(10, 25) + 3600) == "7 of 31 day")
    }

    @Test("every language says how many there are of how many, once", arguments: Language.all)
    func words(language: Language) throws {
        let week = Self.calendar.period(.week, containing: try Self.midnight(11, 12))
        let part = try #require(
            PartOfPeriod(of: week, from: Self.midnight(11, 11) + 43_200, until: nil, isSplit: false))
        let said = part.sentence(about: "Views", week, Self.calendar, in: language)
        for number in ["5", "7"] {
            #expect(said.components(around: language.digits(number)) == 2, "\(language.tag): \(said)")
        }
        #expect(said.contains("Views") && !said.contains("{"), "\(said)")
        let whole = try #require(PartOfPeriod(of: week, from: week.start + 3600, until: nil, isSplit: false))
        let other = whole.sentence(about: "Views", week, Self.calendar, in: language)
        #expect(!other.contains(language.digits("7")), "\(language.tag): \(other)")
    }
}

extension String {
    /// The number of parts into which a text cuts it.
    fileprivate func components(around text: String) -> Int { ranges(of: text).count + 1 }
}
