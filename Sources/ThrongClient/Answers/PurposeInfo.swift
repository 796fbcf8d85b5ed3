public import ThrongWire

/// A purpose as a consent screen needs it.
public struct PurposeInfo: Sendable, Hashable, Identifiable {
    /// The purpose's name in the plan.
    public let id: String
    /// The purpose's explanation, in the person's language if the plan has it or the app translates it.
    public let explanation: String
    /// The language of the plan's own words, a tag of BCP 47; nil if the plan does not say.
    public let language: String?
    /// True if the person has to agree first.
    public let needsConsent: Bool
    /// True if a parent has to agree now, because the person is a child or may be one: ``Consent/authorizedByParent``.
    public let needsParent: Bool
    /// The person's answer; ``Consent/notDetermined`` if they agreed to an earlier version.
    public let consent: Consent
    /// The version of the purpose that people are asked about now, from 1: see ``Throng/setConsent(_:for:version:)``.
    public let consentVersion: Int
    /// The signals that are set now and refuse it.
    public let refusedBy: Set<OptOutSignal>
    /// True if events are counted for it now.
    public let isAllowed: Bool
    /// The lifetime of one identifier; 0 if the device shows none. Unit: seconds.
    public let rotationSeconds: Int64
    /// The time for which numbers are kept. Unit: seconds.
    public let retentionSeconds: Int64
    /// The questions that its metrics answer.
    public let questions: [String]
}

/// A person's answer about a purpose.
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
