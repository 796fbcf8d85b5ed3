package import ThrongPlan

/// Why a cell can't be explained.
package enum ExplanationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The plan has no such metric.
    case unknownMetric(MetricName, known: [String])
    /// The metric has no release for that period.
    case notReleased(MetricName, period: String)
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
