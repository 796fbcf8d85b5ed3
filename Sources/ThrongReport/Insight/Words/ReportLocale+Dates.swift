internal import Foundation
package import ThrongPlan

/// Dates as readers of a language write them.
///
/// Source: Unicode CLDR 46, Gregorian calendar, formats "full", "long" and "MMMd" or "Md".
extension ReportLocale {
    /// "Saturday, 21 November 2026".
    package func weekdayAndDate(_ date: CalendarDate) -> String {
        let weekday = weekdays[date.weekday]
        return switch self {
        case .english, .americanEnglish, .german, .swissGerman, .spanish: "\(weekday), \(longDate(date))"
        case .french, .italian, .dutch: "\(weekday) \(longDate(date))"
        }
    }

    /// "21 November 2026".
    package func longDate(_ date: CalendarDate) -> String {
        switch self {
        case .americanEnglish: "\(dayAndMonth(date)), \(date.year)"
        case .spanish: "\(dayAndMonth(date)) de \(date.year)"
        case .english, .german, .swissGerman, .french, .italian, .dutch: "\(dayAndMonth(date)) \(date.year)"
        }
    }

    /// "21 November".
    package func dayAndMonth(_ date: CalendarDate) -> String {
        let month = months[date.month - 1]
        return switch self {
        case .english, .italian, .dutch: "\(date.day) \(month)"
        case .americanEnglish: "\(month) \(date.day)"
        case .german, .swissGerman: "\(date.day). \(month)"
        case .french: "\(date.day == 1 ? "1er" : String(date.day)) \(month)"
        case .spanish: "\(date.day) de \(month)"
        }
    }

    /// "21 Nov", "21.11.".
    package func shortDate(_ date: CalendarDate) -> String {
        switch self {
        case .english: "\(date.day) \(months[date.month - 1].prefix(3))"
        case .americanEnglish: "\(months[date.month - 1].prefix(3)) \(date.day)"
        case .german, .swissGerman: "\(date.day).\(date.month)."
        case .french, .italian, .spanish: "\(date.day)/\(date.month)"
        case .dutch: "\(date.day)-\(date.month)"
        }
    }

    /// "November 2026".
    package func monthAndYear(_ date: CalendarDate) -> String {
        "\(months[date.month - 1])\(self == .spanish ? " de" : "") \(date.year)"
    }

    /// "Nov 2026", "11/2026".
    package func shortMonth(_ date: CalendarDate) -> String {
        switch self {
        case .english, .americanEnglish: "\(months[date.month - 1].prefix(3)) \(date.year)"
        case .german, .swissGerman, .french, .italian, .spanish, .dutch: "\(date.month)/\(date.year)"
        }
    }

    /// "W47".
    package func week(_ number: Int) -> String {
        switch self {
        case .english, .americanEnglish: "W\(number)"
        case .german, .swissGerman: "KW \(number)"
        case .french: "S\(number)"
        case .italian: "sett. \(number)"
        case .spanish: "sem. \(number)"
        case .dutch: "wk \(number)"
        }
    }

    private var months: [String] { Self.names[self]?.months ?? [] }

    /// The days of the week, from Monday.
    private var weekdays: [String] { Self.names[self]?.weekdays ?? [] }

    /// The names in running text, as Foundation has them from CLDR.
    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { locale in
            var calendar = Calendar(identifier: .gregorian)
            calendar.locale = Locale(identifier: locale.rawValue)
            let fromMonday = Array(calendar.weekdaySymbols.dropFirst() + calendar.weekdaySymbols.prefix(1))
            return (locale, (months: calendar.monthSymbols, weekdays: fromMonday))
        })
}
