internal import ThrongPlan

/// What a report calls periods, and how it writes numbers.
struct PeriodNames: Sendable, Hashable {
    /// The app's.
    let calendar: PeriodCalendar
    /// The reader's.
    let locale: ReportLocale

    /// "Saturday, 21 November 2026".
    func long(_ period: Period) -> String { calendar.title(of: period, in: locale) }
    /// "21 Nov".
    func short(_ period: Period) -> String { calendar.shortTitle(of: period, in: locale) }
    /// "2026-11-21".
    func label(_ period: Period) -> String { calendar.label(of: period) }
}
