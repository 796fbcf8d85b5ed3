internal import ThrongPlan
public import ThrongWire

/// A hash of a batch that means nothing yet: it was counted as `other`.
public struct RevealCandidate: Sendable {
    /// The event's place in the batch.
    public let event: Int
    /// The dimension.
    public let dimension: DimensionName
    /// As the client sent it. Not stored.
    public let hash: RevealedHash
}
