import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("numbers and dates are written as the reader writes them")
struct LocaleTests {
    private static func plain(_ text: String) -> String {
        text.replacing("\u{a0}", with: " ").replacing("\u{202f}", with: " ").replacing("\u{2212}", with: "-")
    }

    @Test(
        "every language writes numbers and percentages as Unicode's own library does", arguments: ReportLocale.allCases)
    func numbers(locale: ReportLocale) {
        let theirs = Locale(identifier: locale == .english ? "en_GB" : locale.rawValue)
        for number: Int64 in [0, 7, 999, 1234, 12_345, 1_234_567, -54_321] {
            #expect(Self.plain(locale.text(number)) == Self.plain(number.formatted(.number.locale(theirs))))
        }
        let mean = 12_345.67.formatted(.number.precision(.fractionLength(2)).locale(theirs))
        #expect(Self.plain(locale.text(Decimals(1_234_567, shiftedBy: 2, over: 1, places: 2))) == Self.plain(mean))
        let share = 0.421.formatted(.percent.precision(.fractionLength(1)).locale(theirs))
        #expect(Self.plain(locale.percent(421, of: 1000)) == Self.plain(share))
    }

    @Test(
        "every language writes dates as Unicode's own library does, for each month and weekday",
        arguments: ReportLocale.allCases)
    func dates(locale: ReportLocale) throws {
        var style = Date.FormatStyle(date: .complete, time: .omitted)
        style.locale = Locale(identifier: locale == .english ? "en_GB" : locale.rawValue)
        style.timeZone = try #require(TimeZone(identifier: "UTC"))
        style.calendar = Calendar(identifier: .gregorian)
        for day in stride(from: Int64(20_777), to: 20_777 + 366, by: 19) {
            let period = PeriodCalendar.utc.period(.day, containing: UnixSeconds(day * 86_400))
            let theirs = Date(timeIntervalSince1970: Double(day * 86_400)).formatted(style)
            // British English has dropped the comma behind the weekday since CLDR 38; ours keeps it.
            let ours = PeriodCalendar.utc.title(of: period, in: locale)
            #expect(
                Self.plain(ours).replacing(",", with: "").replacing("1er", with: "1")
                    == Self.plain(theirs).replacing(",", with: "").replacing(" at", with: "").replacing(
                        "1er", with: "1"))
        }
    }

    @Test("a German report has German numbers and dates everywhere on its page, and none in CSV and JSON")
    func page() throws {
        var course = Course()
        course.locale = .german
        let html = try course.document.html()
        #expect(html.contains("16. November \u{2013} 22. November 2026"))
        #expect(html.contains("24.610"))
        #expect(!html.contains("24,610"))
        #expect(html.contains("59,4\u{a0}%"))
        #expect(html.contains("KW 46"))
        let english = Course().document.csv
        #expect(course.document.csv == english)
    }

    @Test("weeks that cross a month or a year keep what tells the days apart")
    func weeks() throws {
        func title(_ label: String, _ locale: ReportLocale) throws -> String {
            Shop.calendar.title(of: try #require(Shop.calendar.period(labelled: label)), in: locale)
        }
        #expect(try title("2026-W49", .americanEnglish) == "November 30 to December 6, 2026")
        #expect(try title("2026-W49", .german) == "30. November \u{2013} 6. Dezember 2026")
        #expect(try title("2026-W53", .french) == "28 décembre 2026 \u{2013} 3 janvier 2027")
        #expect(try title("2026-11", .spanish) == "noviembre de 2026")
    }
}
