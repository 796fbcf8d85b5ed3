/// How long a purpose's budget has to last, in the app's time zone.
package enum BudgetSpan: String, Sendable, Hashable, Codable, CaseIterable {
    /// A day.
    case day
    /// From Monday.
    case week
    /// A calendar month.
    case month
    /// For ever: a purpose that has used it up makes no noisy release any more.
    case purpose
}
