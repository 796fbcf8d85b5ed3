package import ThrongPlan

/// The reason why one number was published or withheld, in words.
package struct Explanation: Sendable, Hashable, Encodable {
    /// The metric.
    package let metric: String
    /// The period's label, such as 2026-11-20.
    package let period: String
    /// The cell, such as `os = iOS, channel = Email`.
    package let cell: String
    /// The outcome for the cell.
    package let state: State
    /// The reason, in a sentence or two.
    package let sentence: String

    /// The outcome for a cell.
    package enum State: String, Sendable, Hashable, Encodable {
        /// The number was published.
        case published
        /// Fewer than k devices are behind it.
        case small
        /// It has k devices or more, and the number that was drawn for them is under k and its margin.
        case nearThreshold = "near k"
        /// The cell has no counts.
        case empty
        /// The plan says that it cannot occur.
        case impossible
        /// Neither an insight nor the plan asks for numbers that are split so.
        case notAsked = "not asked"
        /// The number was withheld, and the reason is no longer known.
        case forgotten
    }
}

/// The reason why a cell can't be explained.
package enum ExplanationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The plan has no such metric.
    case unknownMetric(MetricName, known: [String])
    /// The metric has no release for that period.
    case notReleased(MetricName, period: String)
    /// The metric has no such dimension.
    case unknownDimension(DimensionName, known: [String])
    /// The dimension has no such bucket.
    case unknownBucket(BucketLabel, of: DimensionName, known: [String])

    /// The problem, the names that exist, and the remedy.
    package var description: String {
        switch self {
        case .unknownMetric(let name, let known):
            "The plan has no metric '\(name)'. It has: \(known.joined(separator: ", "))."
        case .notReleased(let metric, let period):
            """
            There is no release of \(metric) for \(period). `throng release` makes those that are due: once the period \
            is over and the plan's grace has passed, or with --ignore-grace.
            """
        case .unknownDimension(let name, let known):
            known.isEmpty
                ? "The metric has no dimension '\(name)', nor any other. Write: total."
                : "The metric has no dimension '\(name)'. It has: \(known.joined(separator: ", "))."
        case .unknownBucket(let label, let dimension, let known):
            "The dimension \(dimension) has no bucket '\(label)'. It has: \(known.joined(separator: ", "))."
        }
    }
}
