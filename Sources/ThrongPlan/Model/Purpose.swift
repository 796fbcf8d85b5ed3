package import ThrongWire

/// A purpose that something is counted for. Identifiers of two purposes can't be linked.
package struct Purpose: Sendable, Hashable {
    /// The name that clients send as `purpose`.
    package let name: PurposeName
    package internal(set) var explanation: String
    package let needsConsent: Bool
    /// True if a parent has to agree for a person who may be a child.
    package internal(set) var needsParent: Bool = false
    /// The legal basis where nobody is asked; nil if the plan does not say, and where a person's yes is it.
    package internal(set) var legalBasis: LegalBasis?
    /// The version that people are asked about, from 1; consent to an earlier one is asked for again.
    package internal(set) var consentVersion: Int = 1
    /// The use of the numbers; nil if the plan does not say.
    package internal(set) var use: PurposeUse?
    package let refusedBy: Set<OptOutSignal>
    package internal(set) var identifier: PurposeIdentifier = .rotating
    /// The devices that the purpose's floors count.
    package internal(set) var floor: FloorKind = .any
    /// The length of a window: the life of an identifier, or the time for which batches are recognized.
    package let rotation: Rotation
    /// The time for which released numbers are kept.
    package let retention: Duration
    package internal(set) var transport: PurposeTransport = .direct
    package internal(set) var senders: PurposeSenders = .anybody
    /// The number of identifiers of one network that lift floors in a window; nil for all.
    package internal(set) var floorPerNetwork: Int?

    /// True if the purpose's floors count proved devices alone.
    package var needsProof: Bool { floor == .attested }

    /// True if devices show an identifier, so that they can be told apart within a window.
    package var hasIdentifiers: Bool { identifier == .rotating }
}

/// A legal basis other than consent: Article 6(1)(b) to (f) of Regulation (EU) 2016/679 (GDPR).
package enum LegalBasis: String, Sendable, Hashable, Encodable, CaseIterable {
    case contract
    case legalObligation = "legal_obligation"
    case vitalInterests = "vital_interests"
    case publicTask = "public_task"
    case legitimateInterests = "legitimate_interests"

    /// Its letter in Article 6(1).
    var letter: String {
        switch self {
        case .contract: "b"
        case .legalObligation: "c"
        case .vitalInterests: "d"
        case .publicTask: "e"
        case .legitimateInterests: "f"
        }
    }

    /// True if people may object (Article 21(1)).
    var allowsObjection: Bool { self == .publicTask || self == .legitimateInterests }

    /// "legitimate interests".
    var words: String { rawValue.replacing("_", with: " ") }
}

/// The thing that numbers of a purpose stand for, in the public's words: a device is one for a day, a visit ends when its
/// code changes, and where nothing tells devices apart, only actions are counted.
package enum LabelUnit: String, Sendable, Hashable, CaseIterable {
    case device, visit, action

    init(_ hasIdentifiers: Bool, _ rotation: Rotation) {
        self = !hasIdentifiers ? .action : rotation == .longest ? .device : .visit
    }

    var many: String { rawValue + "s" }

    /// Returns the word by which messages choose for several units: `device_visit`.
    static func word(for units: Set<LabelUnit>) -> String {
        units.isEmpty ? action.rawValue : allCases.filter(units.contains).map(\.rawValue).joined(separator: "_")
    }
}

extension Purpose { var unit: LabelUnit { LabelUnit(hasIdentifiers, rotation) } }
