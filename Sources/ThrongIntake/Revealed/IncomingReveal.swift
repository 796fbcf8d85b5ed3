public import ThrongCounting
public import ThrongPlan

/// What a client says stands behind a hash: the body of `POST /v1/reveals`, checked against the plan.
public struct IncomingReveal: Sendable {
    /// The window whose hash it was.
    public let window: WindowID
    /// The dimension; it is one whose buckets are learned.
    public let dimension: DimensionName
    /// How many buckets that one can learn.
    public let most: Int
    /// As the client sent it. Not stored before its hash is known to be one of enough devices.
    public let value: String
}
