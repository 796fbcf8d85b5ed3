public import ThrongPlan

/// The rows of an answer beside those of an earlier period.
public struct AnswerComparison: Sendable, Hashable {
    /// Which one.
    public let reference: Insight.Reference
    /// What it covers.
    public let period: Period
    /// One a row of the answer's table.
    public let rows: [Compared]

    /// One row then and since.
    public struct Compared: Sendable, Hashable {
        /// The number then.
        public let earlier: Figure
        /// How it changed, or why nobody can say: withheld where either number is.
        public let change: Outcome
    }

    /// How a number changed, or why nobody can say.
    public enum Outcome: Sendable, Hashable {
        /// Both numbers are published.
        case published(Change)
        /// Either number is withheld.
        case withheld
        /// Neither can be anything but zero.
        case impossible
        /// There is no number to compare with.
        case absent(Absence)

        /// The change, where there is one.
        public var change: Change? {
            guard case .published(let change) = self else { return nil }
            return change
        }
    }
}
