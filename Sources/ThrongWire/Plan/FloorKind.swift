/// The devices that a purpose's floors count: these alone can reach k.
public enum FloorKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// All devices that show an identifier. Identifiers can be made up, so k is a bound against honest clients.
    case any
    /// Devices whose identifier is proved by a credential. Others add to values, and to no floor.
    case attested
}
