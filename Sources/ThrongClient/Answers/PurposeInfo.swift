public import ThrongWire

/// A purpose as a consent screen needs it.
public struct PurposeInfo: Sendable, Hashable, Identifiable {
    /// The purpose's name in the plan.
    public let id: String
    /// What the numbers are for, in the person's language where the plan has it or the app translates it.
    public let explanation: String
    /// The language of the plan's own words, a tag of BCP 47; nil where the plan does not say.
    public let language: String?
    /// Whether the person has to agree first.
    public let needsConsent: Bool
    /// Whether a parent has to agree now, because the person is a child or may be one: ``Consent/authorizedByParent``.
    public let needsParent: Bool
    /// What the person said; ``Consent/notDetermined`` where they agreed to an earlier version.
    public let consent: Consent
    /// Which version of the purpose people are asked about now, from 1: see ``Throng/setConsent(_:for:version:)``.
    public let consentVersion: Int
    /// Which of the signals that are set now refuse it.
    public let refusedBy: Set<OptOutSignal>
    /// Whether events are counted for it now.
    public let isAllowed: Bool
    /// How long one identifier lives; 0 where the device shows none. Unit: seconds.
    public let rotationSeconds: Int64
    /// How long numbers are kept. Unit: seconds.
    public let retentionSeconds: Int64
    /// The questions that its metrics answer.
    public let questions: [String]
}

/// What a person said about a purpose.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody has asked yet, or not about this version of the purpose. Purposes that need consent count nothing.
    case notDetermined
    /// The person said no. Nothing is counted, also where the plan asks for no consent.
    case denied
    /// The person said yes.
    case authorized
    /// A parent said yes for a child.
    case authorizedByParent
    /// The person can't decide, such as a child under parental controls. Nothing is counted.
    case restricted
}
