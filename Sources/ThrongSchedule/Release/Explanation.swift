package import ThrongPlan

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
    /// The small cells for whose sake it was withheld; or, of a small one, the numbers that were withheld for its sake.
    package var others: [String] = []
    /// What could have been withheld instead, the cheapest first, and the number itself; none where nobody knows any more.
    package var weights: [CandidateWeight] = []
    /// What would help, in the plan's terms.
    package var cures: [Cure] = []

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

/// Why a cell can't be explained.
package enum ExplanationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The plan has no such metric.
    case unknownMetric(MetricName, known: [String])
    /// The metric has no release for that period.
    case notReleased(MetricName, period: String)
    /// The metric's release of that period is not there, has a margin, or has lost numbers to age.
    case notReviewed(MetricName, period: String)
    /// The metric has no such dimension.
    case unknownDimension(DimensionName, known: [String])
    /// The dimension has no such bucket.
    case unknownBucket(BucketLabel, of: DimensionName, known: [String])
    /// The release does not show that grouping.
    case notShown(known: [[String]])

    /// What was found, what there is, and what to do.
    package var description: String {
        switch self {
        case .unknownMetric(let name, let known):
            "The plan has no metric '\(name)'. It has: \(known.joined(separator: ", "))."
        case .notReleased(let metric, let period):
            """
            There is no release of \(metric) for \(period). `throng release` makes those that are due: once the period \
            is over and the plan's grace has passed, or with --ignore-grace.
            """
        case .notReviewed(let metric, let period):
            """
            There is no release of \(metric) for \(period) to look at: it was not made, the metric has a `margin` (then \
            nothing stays for another number's sake), or age has taken numbers of it.
            """
        case .unknownDimension(let name, let known):
            known.isEmpty
                ? "The metric has no dimension '\(name)', nor any other. Write: total."
                : "The metric has no dimension '\(name)'. It has: \(known.joined(separator: ", "))."
        case .unknownBucket(let label, let dimension, let known):
            "The dimension \(dimension) has no bucket '\(label)'. It has: \(known.joined(separator: ", "))."
        case .notShown(let known):
            """
            The release does not show this grouping: no insight and no margin of the plan asks for it. It shows: \
            \(known.map { $0.isEmpty ? "total" : $0.joined(separator: " by ") }.joined(separator: "; ")).
            """
        }
    }
}
