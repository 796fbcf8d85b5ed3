/// What a person said about a purpose.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody has asked yet. Purposes that need consent count nothing.
    case notDetermined
    /// The person said no. Nothing is counted, also where the plan asks for no consent.
    case denied
    /// The person said yes.
    case authorized
    /// The person can't decide, such as a child under parental controls. Nothing is counted.
    case restricted
}
