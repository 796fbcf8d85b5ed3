/// Whether a number is there, as CSV and JSON say it.
public enum NumberStatus: String, Sendable, Hashable, CaseIterable {
    /// It is.
    case published
    /// It is not, and nothing says why: ``Withheld/wording``.
    case withheld
    /// No release covers the insight's metric, period and grouping.
    case notReleased = "not_released"
}
