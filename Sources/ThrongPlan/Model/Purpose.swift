package import ThrongWire

/// Why something is counted. Identifiers of two purposes can't be linked.
package struct Purpose: Sendable, Hashable {
    /// What clients send as `purpose`.
    package let name: PurposeName
    /// The sentence that people read: what the numbers are for.
    package internal(set) var explanation: String
    /// Whether the person has to agree first.
    package let needsConsent: Bool
    /// Whether that has to be a parent, where the person may be a child.
    package let needsParent: Bool
    /// Which version of the purpose people are asked about now, from 1. Who agreed to an earlier one is asked again.
    package let consentVersion: Int
    /// What the numbers are used for; nil where the plan does not say so.
    package let use: PurposeUse?
    /// Which opt-out signals refuse this purpose.
    package let refusedBy: Set<OptOutSignal>
    /// Whether devices show an identifier.
    package let identifier: PurposeIdentifier
    /// Which devices its floors count.
    package let floor: FloorKind
    /// How long one identifier lives: the length of a window. Where there is none, batches are known again so long.
    package let rotation: Rotation
    /// How long released numbers are kept.
    package let retention: Duration
    /// How it is sent.
    package let transport: PurposeTransport
    /// Whose batches are taken.
    package let senders: Senders
    /// How many identifiers of one network lift floors in a window; nil for all.
    package let floorPerNetwork: Int?

    /// Whose batches are taken.
    package enum Senders: String, Sendable, Hashable, CaseIterable {
        /// Clients' and backends'.
        case anybody
        /// Backends' only, which show a secret.
        case backends
    }

    /// Puts a purpose together.
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

    /// Whether its floors count proved devices alone.
    package var needsProof: Bool { floor == .attested }

    /// Whether devices show an identifier, so that they can be told apart within a window.
    package var hasIdentifiers: Bool { identifier == .rotating }
}
