package import ThrongCounting
internal import ThrongPlan
package import ThrongWire

/// What a client says stands behind a hash: the body of `POST /v1/reveals`, checked against the plan.
package struct IncomingReveal: Sendable {
    /// The window whose hash it was.
    package let window: WindowID
    /// The dimension; it is one whose buckets are learned.
    package let dimension: DimensionName
    /// How many buckets that one can learn.
    package let most: Int
    /// As the client sent it. Not stored before its hash is known to be one of enough devices.
    package let value: String
    /// What the app's evaluator is said to make of it; nil where the app has none. Nothing of it was checked.
    package let output: EvaluatedOutput?
}
