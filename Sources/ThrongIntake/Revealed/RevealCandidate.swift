internal import ThrongPlan
package import ThrongWire

/// A hash of a batch that means nothing yet: it was counted as `other`.
package struct RevealCandidate: Sendable {
    /// The event's place in the batch.
    package let event: Int
    /// The dimension.
    package let dimension: DimensionName
    /// As the client sent it. Not stored.
    package let hash: RevealedHash
}
