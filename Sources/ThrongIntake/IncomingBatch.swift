package import ThrongCounting
internal import ThrongPlan
package import ThrongWire

/// A batch that was read and bucketed. Its identifier is still as it came: key it at once.
package struct IncomingBatch: Sendable {
    /// Cells and amounts.
    package private(set) var bucketed: BucketedBatch
    /// The identifier as the client sent it; nobody's where the purpose has none. Not printable, not stored.
    package let identifier: RawIdentifier
    /// Whether a backend sent it, which showed a secret.
    package let isBackend: Bool
    /// How many identifiers of one network lift the purpose's floors; nil for all.
    package let floorPerNetwork: Int?
    /// What is to prove the identifier; nil where there is none, or where no floor asks for it.
    package let proof: IdentifierProof?
    /// Hashes that mean nothing yet, of events that were not refused.
    package let candidates: [RevealCandidate]
    /// By place, refusals that say where their reasons are.
    let details: [Int: BatchAnswer.Refusal]
    /// Whether a bot or a tool sent it, by its user agent: it adds to values, and to no number of devices.
    package let isBot: Bool
    /// Whether its purpose counts devices that prove who they are.
    package var isOfDesk = false

    /// By what it is shared out among daemons: the identifier as it came; where there is none, the batch's name.
    package var slotText: [UInt8] { identifier.isNobody ? Array(bucketed.id.description.utf8) : identifier.text }

    /// The same in a window that was taken over under way, by an epoch; as it is for nil.
    package func taken(over epoch: Int64?) -> IncomingBatch {
        guard let epoch else { return self }
        var other = self
        other.bucketed.window = bucketed.window.taken(over: epoch)
        return other
    }

    /// The same refusals, with what is known of where their reasons are. It is known from reading the batch alone, so that
    /// nothing of it has to be remembered for a batch that comes again.
    package func explained(_ refused: [BatchAnswer.Refusal]) -> [BatchAnswer.Refusal] {
        guard !details.isEmpty else { return refused }
        return refused.map { refusal in
            if let known = details[refusal.index], known.reason == refusal.reason { known } else { refusal }
        }
    }
}

/// What a client sends to prove that its identifier is no invention: bytes of which nothing was checked.
package struct IdentifierProof: Sendable {
    /// The credential's presentation.
    package let presentation: [UInt8]
    /// What the identifier says in base64url.
    package let tag: [UInt8]

    /// Reads both; nil where one of them is no base64url.
    init?(_ proof: UnsafeBufferPointer<UInt8>, of identifier: UnsafeBufferPointer<UInt8>) {
        guard let presentation = Base64URL.bytes(of: proof), let tag = Base64URL.bytes(of: identifier) else {
            return nil
        }
        self.presentation = presentation
        self.tag = tag
    }
}

/// An identifier as it came from a client: 1 to 64 characters.
package struct RawIdentifier: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }
    private init() { bytes = [] }

    /// Nobody's: no client can send it.
    static let none = RawIdentifier()

    /// Whether it is nobody's.
    package var isNobody: Bool { bytes.isEmpty }

    /// As the client sent it: to be hashed at once, and to go nowhere else.
    package var text: [UInt8] { bytes }

    /// The identifier under its window's key; ``KeyedIdentifier/nobody`` where there is none.
    package func keyed(with key: WindowKey) -> KeyedIdentifier {
        bytes.isEmpty ? .nobody : bytes.withUnsafeBytes { key.keyed($0) }
    }
}

/// What reading a body came to.
package enum IntakeOutcome: Sendable {
    /// Count this.
    case batch(IncomingBatch)
    /// The request carries an opt-out signal that the purpose honours: nothing is counted, nothing is remembered. Of whom it
    /// comes is told only where a metric of the purpose may have how far they came, which is then to be forgotten.
    case optedOut(BatchAnswer, app: AppName, of: OptedOutSender?)
    /// The person agreed to an earlier version of the purpose than the plan's: nothing is counted, nothing is remembered.
    /// What came with an earlier plan stays.
    case consentOutdated(BatchAnswer, app: AppName)
}

/// Who sent a batch with an opt-out signal, and in which window.
package struct OptedOutSender: Sendable {
    /// A window of which batches are accepted now.
    package let window: WindowID
    /// As the client sent it.
    package let identifier: RawIdentifier
    /// Whether the purpose counts devices that prove who they are.
    package var isOfDesk = false

    /// The same in a window that was taken over under way, by an epoch; as it is for nil.
    package func taken(over epoch: Int64?) -> OptedOutSender {
        OptedOutSender(window: epoch.map(window.taken) ?? window, identifier: identifier, isOfDesk: isOfDesk)
    }
}
