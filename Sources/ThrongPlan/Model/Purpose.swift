public import ThrongNoise

/// Why something is counted. Identifiers of two purposes can't be linked.
public struct Purpose: Sendable, Hashable {
    /// What clients send as `purpose`.
    public let name: PurposeName
    /// The sentence that people read: what the numbers are for.
    public let explanation: String
    /// Whether the person has to agree first.
    public let needsConsent: Bool
    /// Which opt-out signals refuse this purpose.
    public let refusedBy: Set<OptOutSignal>
    /// How long one identifier lives: the length of a window.
    public let rotation: Rotation
    /// How long released numbers are kept.
    public let retention: Duration
    /// What its noisy releases may cost together; nil where it makes none.
    public let budget: PrivacyBudget?

    /// Puts a purpose together.
    public init(
        name: PurposeName,
        explanation: String,
        needsConsent: Bool,
        refusedBy: Set<OptOutSignal>,
        rotation: Rotation,
        retention: Duration,
        budget: PrivacyBudget? = nil
    ) {
        self.name = name
        self.explanation = explanation
        self.needsConsent = needsConsent
        self.refusedBy = refusedBy
        self.rotation = rotation
        self.retention = retention
        self.budget = budget
    }
}
