package import ThrongPlan

/// What a daemon that is lost with its data directory may have lost: what it acknowledged and PostgreSQL does not have.
package struct MemberLoss: Sendable, Hashable {
    /// All that it acknowledged before is counted.
    package let from: UnixSeconds
    /// From here on others counted in its place.
    package let until: UnixSeconds
    /// How many of the 256 slots of identifiers it counted.
    package let slots: Int
}
