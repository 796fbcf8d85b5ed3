/// Why one number was published or withheld, in words and, where one binds it, with the equation.
public struct Explanation: Sendable, Hashable, Encodable {
    /// The metric.
    public let metric: String
    /// The period's label, such as 2026-11-20.
    public let period: String
    /// The cell, such as `os = iOS, channel = Email`.
    public let cell: String
    /// What became of it.
    public let state: State
    /// Why, in a sentence or two.
    public let sentence: String
    /// What it would let a reader compute.
    public let equation: Equation?

    /// What became of a cell.
    public enum State: String, Sendable, Hashable, Encodable {
        /// It left the house.
        case published
        /// Withheld for its own sake.
        case sensitive
        /// Withheld for another's sake.
        case complementary
        /// Nothing was counted in it.
        case empty
        /// The plan says that it cannot occur.
        case impossible
        /// Withheld; why is no longer known.
        case forgotten
    }

    /// A published whole and its parts.
    public struct Equation: Sendable, Hashable, Encodable {
        /// The sum.
        public let whole: Term
        /// What adds up to it.
        public let parts: [Term]
    }

    /// One number of an equation.
    public struct Term: Sendable, Hashable, Encodable {
        /// The cell.
        public let cell: String
        /// Unit: events; nil where it is withheld.
        public let count: Int64?
    }
}
