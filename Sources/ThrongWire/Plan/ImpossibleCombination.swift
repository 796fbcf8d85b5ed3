/// Buckets of different dimensions that no event can have together, and everybody may know it.
///
/// A structural zero: cells that lie in one are empty because they must be, not because they are small.
public struct ImpossibleCombination: Sendable, Hashable, Codable {
    /// Never empty, each dimension once, in the order of the metric's dimensions.
    public let parts: [Part]

    /// One bucket of one dimension.
    public struct Part: Sendable, Hashable, Codable {
        /// A base dimension of the metric, or its histogram.
        public let dimension: DimensionName
        /// Its bucket.
        public let bucket: BucketLabel

        /// Creates a part with its dimension and bucket.
        public init(dimension: DimensionName, bucket: BucketLabel) {
            (self.dimension, self.bucket) = (dimension, bucket)
        }
    }

    /// Creates a combination with its parts.
    public init(parts: [Part]) { self.parts = parts }
}
