package import ThrongPlan

/// The rows of an answer in one period of a trend.
package struct AnswerPoint: Sendable, Hashable {
    /// What it covers.
    package let period: Period
    /// How many devices each number stands for; nil where there is no release that can be compared.
    package let threshold: Threshold?
    /// Of the period's whole, what its published rows leave out, in events; nil where that is unknown.
    package let withheldShare: Decimals?
    /// One a row of the answer's table.
    package let figures: [Figure]
}
