package import ThrongPlan

/// What a report calls periods, and how it writes numbers.
package struct PeriodNames: Sendable, Hashable {
    /// The app's.
    package let calendar: PeriodCalendar
    /// The reader's.
    package let locale: ReportLocale

    package init(calendar: PeriodCalendar, locale: ReportLocale) {
        self.calendar = calendar
        self.locale = locale
    }

    /// "Saturday, 21 November 2026".
    package func long(_ period: Period) -> String { calendar.title(of: period, in: locale) }
    /// "21 Nov".
    package func short(_ period: Period) -> String { calendar.shortTitle(of: period, in: locale) }
    /// "2026-11-21".
    package func label(_ period: Period) -> String { calendar.label(of: period) }
}
