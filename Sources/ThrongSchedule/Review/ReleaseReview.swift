internal import ThrongPlan

/// What a release shows and withholds as a whole, and what would help. For operators only.
package struct ReleaseReview: Sendable, Hashable, Encodable {
    /// The metric.
    package let metric: String
    /// The period's label, such as 2026-11-20.
    package let period: String
    /// Whether it is still known why numbers were withheld.
    package let isKnown: Bool
    /// What each grouping shows.
    package let groupings: [Grouping]
    /// The buckets for whose sake most publishable events are withheld, the costliest first.
    package let buckets: [MetricReview.Bucket]
    /// What would help the most.
    package let cures: [Cure]

    /// What the release shows of a grouping.
    package struct Grouping: Sendable, Hashable, Encodable {
        /// The dimensions that it keeps.
        package let dimensions: [String]
        /// Numbers that left.
        package let published: Int
        /// Numbers of k devices that were withheld for another's sake; nil where nobody knows any more.
        package let hidden: Int?
        /// The share of all events that it shows; nil where nobody knows.
        package let shown: Double?
        /// The share of publishable events that it shows; nil where nobody knows.
        package let publishableShown: Double?

        init(_ yield: GroupingYield) {
            dimensions = yield.dimensions.map(\.text)
            published = yield.published
            hidden = yield.hidden
            shown = yield.share
            publishableShown = yield.publishableShare
        }
    }
}
