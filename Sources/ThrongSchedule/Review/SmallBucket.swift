package import ThrongPlan

/// A bucket of a dimension, as places in a layout.
struct BucketPlace: Hashable {
    /// Which dimension.
    let dimension: Int
    /// Which of its buckets.
    let bucket: Int
}

/// What a small bucket costs a release: the numbers that stand for k devices and stay for its sake.
package struct SmallBucket: Sendable, Hashable {
    /// The dimension.
    package let dimension: DimensionName
    /// The bucket.
    package let bucket: BucketLabel
    /// How many numbers are withheld for its sake.
    package internal(set) var numbers = 0
    /// How many events they count together; an event is in one number of each grouping.
    package internal(set) var events: Int64 = 0
    /// The buckets of the same dimension that these numbers are of, the costliest first.
    package internal(set) var neighbours: [BucketLabel] = []
}
