/// Why one number was published or withheld, in words and, where one binds it, with the equation.
package struct Explanation: Sendable, Hashable, Encodable {
    /// The metric.
    package let metric: String
    /// The period's label, such as 2026-11-20.
    package let period: String
    /// The cell, such as `os = iOS, channel = Email`.
    package let cell: String
    /// What became of it.
    package let state: State
    /// Why, in a sentence or two.
    package let sentence: String
    /// What it would let a reader compute.
    package let equation: Equation?

    /// What became of a cell.
    package enum State: String, Sendable, Hashable, Encodable {
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
    package struct Equation: Sendable, Hashable, Encodable {
        /// The sum.
        package let whole: Term
        /// What adds up to it.
        package let parts: [Term]
    }

    /// One number of an equation.
    package struct Term: Sendable, Hashable, Encodable {
        /// The cell.
        package let cell: String
        /// Unit: events; nil where it is withheld.
        package let count: Int64?
    }
}
