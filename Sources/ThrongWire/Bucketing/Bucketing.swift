/// A coarsening: total, closed and idempotent.
///
/// Total: every value, also a missing one, has a bucket. Closed: the buckets are ``labels``, known before any event.
/// Idempotent: a bucket's label, sent as the value, lands in that bucket, so a client may coarsen on the device.
public protocol Bucketing: Sendable {
    /// The buckets, in display order; the last one is ``BucketLabel/other`` unless the rule has no need of it.
    var labels: [BucketLabel] { get }

    /// The bucket of a value: an index into ``labels``.
    ///
    /// - Complexity: no allocation on values seen before, but for user agents on their first sight.
    func bucket(_ value: FieldValue) -> Int

    /// Whether the value's bucket takes no long search; true for all but user agents on their first sight.
    func isAtHand(_ value: FieldValue) -> Bool
}

extension Bucketing {
    /// Most rules look nothing up that could take long.
    public func isAtHand(_ value: FieldValue) -> Bool { true }
}
