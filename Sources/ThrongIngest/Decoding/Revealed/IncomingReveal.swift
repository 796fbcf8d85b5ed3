internal import ThrongPlan
package import ThrongWire

/// A client's claim of the value behind a hash: the body of `POST /v1/reveals`, checked against the plan.
package struct IncomingReveal: Sendable {
    package let window: WindowID
    /// The dimension; its buckets are learned.
    package let dimension: DimensionName
    /// The most buckets that the dimension can learn.
    package let most: Int
    /// The value as the client sent it. It is not stored before enough devices are known to have sent its hash.
    package let value: String
    /// The claimed output of the app's evaluator for the value, unchecked; nil if the app has no evaluator.
    package let output: EvaluatedOutput?
}
