/// Whether a number is there, as CSV and JSON say it.
public enum NumberStatus: String, Sendable, Hashable, CaseIterable {
    /// It is.
    case published
    /// It is not, and nothing says why: ``Withheld/wording``.
    case withheld
    /// It is not, and everybody knows that it is zero: the plan says that it cannot occur.
    case impossible
    /// It is, and was computed from published numbers: what the withheld ones hold together.
    case derived
    /// No release covers the insight's metric, period and grouping.
    case notReleased = "not_released"
}
