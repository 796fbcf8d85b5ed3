package import ThrongPlan

/// The rows of an answer beside those of an earlier period.
package struct AnswerComparison: Sendable, Hashable {
    /// Which one.
    package let reference: Insight.Reference
    /// What it covers.
    package let period: Period
    /// One a row of the answer's table.
    package let rows: [Compared]

    /// One row then and since.
    package struct Compared: Sendable, Hashable {
        /// The number then.
        package let earlier: Figure
        /// How it changed, or why nobody can say: withheld where either number is.
        package let change: Outcome
    }

    /// How a number changed, or why nobody can say.
    package enum Outcome: Sendable, Hashable {
        /// Both numbers are published.
        case published(Change)
        /// Either number is withheld.
        case withheld
        /// Neither can be anything but zero.
        case impossible
        /// There is no number to compare with.
        case absent(Absence)

        /// The change, where there is one.
        package var change: Change? {
            guard case .published(let change) = self else { return nil }
            return change
        }
    }
}
