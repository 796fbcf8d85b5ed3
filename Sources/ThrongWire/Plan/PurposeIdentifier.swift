/// The identifier that devices show for a purpose, if any.
public enum PurposeIdentifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// A random one, another in each window.
    case rotating
    /// None: a value is sent, and a counter goes up. Nobody knows how many devices there were.
    case absent = "none"
}
