import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("numbers and dates are written as the reader writes them")
struct LocaleTests {
    /// All that Throng speaks, and regions that write otherwise.
    static let languages =
        Language.all + ["en-US", "de-CH", "pt-PT", "zh-TW"].compactMap { LanguageTag($0).flatMap { Language($0) } }

    /// The same without those of which Foundation brings newer data: another grouping, other digits, other names of days.
    private static func languages(but newer: Set<String>) -> [Language] {
        languages.filter { !newer.contains($0.tag.text) }
    }

    private static func plain(_ text: String) -> String {
        text.replacing("\u{a0}", with: " ").replacing("\u{202f}", with: " ").replacing("\u{2212}", with: "-")
            .filter { !"\u{200e}\u{200f}\u{61c}".contains($0) }
    }

    private static func theirs(_ language: Language) -> Locale {
        Locale(identifier: language == .english ? "en_GB" : language.tag.text)
    }

    @Test(
        "every language writes numbers and percentages as Foundation does, with a true minus",
        arguments: languages(but: ["ar", "it"]))
    func numbers(language: Language) {
        let theirs = Self.theirs(language)
        for number: Int64 in [0, 7, 999, 1234, 12_345, 1_234_567, -54_321] {
            #expect(Self.plain(language.text(number)) == Self.plain(number.formatted(.number.locale(theirs))))
        }
        let mean = 12_345.67.formatted(.number.precision(.fractionLength(2)).locale(theirs))
        #expect(Self.plain(language.text(Decimals(1_234_567, shiftedBy: 2, over: 1, places: 2))) == Self.plain(mean))
        let share = 0.421.formatted(.percent.precision(.fractionLength(1)).locale(theirs))
        #expect(Self.plain(language.percent(421, of: 1000)) == Self.plain(share))
        #expect(language.text(-5).contains("\u{2212}"))
    }

    @Test(
        "a day's title has the names that Foundation has for its month and its weekday",
        arguments: languages(but: ["zh-Hans"]))
    func dates(language: Language) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Self.theirs(language)
        for day in stride(from: Int64(20_777), to: 20_777 + 366, by: 19) {
            let date = CalendarDate(daysSince1970: day)
            let period = PeriodCalendar.utc.period(.day, containing: UnixSeconds(day * 86_400))
            let title = PeriodCalendar.utc.title(of: period, in: language)
            let names = [calendar.monthSymbols[date.month - 1], calendar.weekdaySymbols[(date.weekday + 1) % 7]]
            for name in names { #expect(title.contains(name), "\(title) has no \(name)") }
        }
    }

    @Test("a German report has German sentences, numbers and dates on its page, and none of them in CSV")
    func page() throws {
        var course = Course()
        course.locale = .german
        let html = try course.document.html()
        #expect(html.contains("<html lang=\"de\" dir=\"ltr\">"))
        #expect(html.contains("16. bis 22. November 2026"))
        #expect(html.contains("24.610"))
        #expect(!html.contains("24,610"))
        #expect(html.contains("59,4\u{a0}%"))
        #expect(html.contains("KW 46"))
        #expect(!html.contains("in 19 of 20 cases"))
        let english = Course().document.csv
        #expect(course.document.csv == english)
    }

    @Test("weeks that cross a month or a year keep what tells the days apart")
    func weeks() throws {
        func title(_ label: String, _ tag: String) throws -> String {
            let language = try #require(LanguageTag(tag).flatMap { Language($0) })
            return Shop.calendar.title(of: try #require(Shop.calendar.period(labelled: label)), in: language)
        }
        #expect(try title("2026-W47", "en") == "16 to 22 November 2026")
        #expect(try title("2026-W47", "en-US") == "November 16 to November 22, 2026")
        #expect(try title("2026-W49", "en-US") == "November 30 to December 6, 2026")
        #expect(try title("2026-W49", "de") == "30. November bis 6. Dezember 2026")
        #expect(try title("2026-W53", "de-CH") == "28. Dezember 2026 bis 3. Januar 2027")
        #expect(try title("2026-11", "de") == "November 2026")
    }
}
