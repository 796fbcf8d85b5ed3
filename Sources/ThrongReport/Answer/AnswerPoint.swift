public import ThrongPlan

/// The rows of an answer in one period of a trend.
public struct AnswerPoint: Sendable, Hashable {
    /// What it covers.
    public let period: Period
    /// How many devices each number stands for; nil where there is no release that can be compared.
    public let threshold: Threshold?
    /// Of the period's whole, what its published rows leave out, in events; nil where that is unknown.
    public let withheldShare: Decimals?
    /// One a row of the answer's table.
    public let figures: [Figure]
}
