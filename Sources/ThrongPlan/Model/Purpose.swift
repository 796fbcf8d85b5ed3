package import ThrongWire

/// A purpose that something is counted for. Identifiers of two purposes can't be linked.
package struct Purpose: Sendable, Hashable {
    /// The name that clients send as `purpose`.
    package let name: PurposeName
    /// The sentence that people read: what the numbers are for.
    package internal(set) var explanation: String
    /// True if the person has to agree first.
    package let needsConsent: Bool
    /// True if a parent has to agree for a person who may be a child.
    package let needsParent: Bool
    /// The version of the purpose that people are asked about now, from 1. Consent to an earlier one is asked for
    /// again.
    package let consentVersion: Int
    /// The use of the numbers; nil if the plan does not say.
    package let use: PurposeUse?
    /// The opt-out signals that refuse this purpose.
    package let refusedBy: Set<OptOutSignal>
    /// The kind of identifier that devices show, if any.
    package let identifier: PurposeIdentifier
    /// The devices that the purpose's floors count.
    package let floor: FloorKind
    /// The life of one identifier: the length of a window. Without identifiers, batches are recognized again for so
    /// long.
    package let rotation: Rotation
    /// The time for which released numbers are kept.
    package let retention: Duration
    /// The way on which clients send for the purpose.
    package let transport: PurposeTransport
    /// The senders whose batches are taken.
    package let senders: Senders
    /// The number of identifiers of one network that lift floors in a window; nil for all.
    package let floorPerNetwork: Int?

    /// The senders whose batches are taken.
    package enum Senders: String, Sendable, Hashable, CaseIterable {
        /// Clients' and backends'.
        case anybody
        /// Backends' only, which show a secret.
        case backends
    }

    package init(
        name: PurposeName,
        explanation: String,
        needsConsent: Bool,
        refusedBy: Set<OptOutSignal>,
        rotation: Rotation,
        retention: Duration,
        needsParent: Bool = false,
        consentVersion: Int = 1,
        use: PurposeUse? = nil,
        identifier: PurposeIdentifier = .rotating,
        floor: FloorKind = .any,
        transport: PurposeTransport = .direct,
        senders: Senders = .anybody,
        floorPerNetwork: Int? = nil
    ) {
        self.name = name
        self.explanation = explanation
        self.needsConsent = needsConsent
        self.refusedBy = refusedBy
        self.rotation = rotation
        self.retention = retention
        self.needsParent = needsParent
        self.consentVersion = consentVersion
        self.use = use
        self.identifier = identifier
        self.floor = floor
        self.transport = transport
        self.senders = senders
        self.floorPerNetwork = floorPerNetwork
    }

    /// True if the purpose's floors count proved devices alone.
    package var needsProof: Bool { floor == .attested }

    /// True if devices show an identifier, so that they can be told apart within a window.
    package var hasIdentifiers: Bool { identifier == .rotating }
}
