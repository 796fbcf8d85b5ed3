package import ThrongPlan

/// The possible loss with a daemon's data directory: what the daemon acknowledged and PostgreSQL does not have.
package struct MemberLoss: Sendable, Hashable {
    /// The start: all that it acknowledged before is counted.
    package let from: UnixSeconds
    /// The end: from here on others counted in its place.
    package let until: UnixSeconds
    /// The number of the 256 slots of identifiers that it counted.
    package let slots: Int
}
