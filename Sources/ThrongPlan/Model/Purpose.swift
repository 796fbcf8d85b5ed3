package import ThrongWire

/// A purpose that something is counted for. Identifiers of two purposes can't be linked.
package struct Purpose: Sendable, Hashable {
    /// The name that clients send as `purpose`.
    package let name: PurposeName
    package internal(set) var explanation: String
    package let needsConsent: Bool
    /// True if a parent has to agree for a person who may be a child.
    package internal(set) var needsParent: Bool = false
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
    package internal(set) var senders: Senders = .anybody
    /// The number of identifiers of one network that lift floors in a window; nil for all.
    package internal(set) var floorPerNetwork: Int?

    /// The senders whose batches are taken.
    package enum Senders: String, Sendable, Hashable, CaseIterable {
        /// Clients' and backends'.
        case anybody
        /// Backends' only, which show a secret.
        case backends
    }

    /// True if the purpose's floors count proved devices alone.
    package var needsProof: Bool { floor == .attested }

    /// True if devices show an identifier, so that they can be told apart within a window.
    package var hasIdentifiers: Bool { identifier == .rotating }
}
