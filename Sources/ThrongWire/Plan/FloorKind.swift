/// Which devices a purpose's floors count: k is reached by these alone.
public enum FloorKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// All that show an identifier. Identifiers can be made up, so k is a bound against honest clients.
    case any
    /// Those whose identifier is proved by a credential. Others add to values, and to no floor.
    case attested
}
