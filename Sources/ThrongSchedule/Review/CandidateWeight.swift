/// A number that a release could have withheld to protect another, and what it was worth to publish it. For operators only.
package struct CandidateWeight: Sendable, Hashable, Encodable {
    /// The cell.
    package let cell: String
    /// Unit: events.
    package let events: Int64
    /// The more, the dearer to withhold. Unit: none.
    package let weight: Int64
    /// Whether it left the house.
    package let isPublished: Bool
    /// Whether it had of the period before; nil where that was not released, or nobody knows.
    package let wasPublished: Bool?
}
