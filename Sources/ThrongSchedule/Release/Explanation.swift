package import ThrongPlan

/// The reason why one number was published or withheld, in words.
package struct Explanation: Sendable, Hashable, Encodable {
    package let metric: String
    /// The period's label, such as 2026-11-20.
    package let period: String
    /// The cell, such as `os = iOS, channel = Email`.
    package let cell: String
    package let state: State
    package let sentence: String

    package enum State: String, Sendable, Hashable, Encodable {
        case published
        /// Fewer than k devices are behind it.
        case small
        /// It has k devices or more, and the number that was drawn for them is under k and its margin.
        case nearThreshold = "near k"
        case empty
        case impossible
        /// Neither an insight nor the plan asks for numbers that are split so.
        case notAsked = "not asked"
        case forgotten
    }
}

/// The reason why a cell can't be explained.
package enum ExplanationError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownMetric(MetricName, known: [String])
    case notReleased(MetricName, period: String)
    case unknownDimension(DimensionName, known: [String])
    case unknownBucket(BucketLabel, of: DimensionName, known: [String])

    package var description: String {
        switch self {
        case .unknownMetric(let name, let known):
            "The plan has no metric '\(name)'. It has: \(known.joined(separator: ", "))."
        case .notReleased(let metric, let period):
            """
            There is no release of \(metric) for \(period): nothing was counted in it, or its release waits. `throng release \
            --period \(period)` says for what.
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
