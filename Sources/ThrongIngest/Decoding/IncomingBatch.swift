internal import ThrongPlan
package import ThrongWire

/// A batch that was read and bucketed. Its identifier is still as the client sent it: key it at once.
package struct IncomingBatch: Sendable {
    /// The batch's cells and amounts.
    package private(set) var bucketed: BucketedBatch
    /// The identifier as the client sent it; ``RawIdentifier/none`` if the purpose has none. Not printable, not stored.
    package let identifier: RawIdentifier
    /// True if a backend sent it, which showed a secret.
    package let isBackend: Bool
    /// The most identifiers of one network that lift the purpose's floors; nil for all.
    package let floorPerNetwork: Int?
    /// The proof of the identifier; nil if there is none, or if no floor asks for it.
    package let proof: IdentifierProof?
    /// The unknown hashes of events that were not refused.
    package let candidates: [RevealCandidate]
    /// The explained refusals, by event place.
    let details: [Int: BatchAnswer.Refusal]
    /// True if a bot or a tool sent it, by its user agent: it adds to values, but to no number of devices.
    package let isBot: Bool
    /// True if its purpose counts proved identifiers.
    package var isOfKeyHolder = false
    /// True if it says that it is a test's, and counts nevertheless: see ``Intake/countsTests``.
    package var isTest = false

    /// The text that decides which daemon counts it: the identifier as it came or, without one, the batch's name.
    package var slotText: [UInt8] { identifier.isNobody ? Array(bucketed.id.description.utf8) : identifier.text }

    /// Returns the batch for a window that an epoch took over while it was open; the batch itself if `epoch` is nil.
    package func taken(over epoch: Int64?) -> IncomingBatch {
        guard let epoch else { return self }
        var other = self
        other.bucketed.window = bucketed.window.taken(over: epoch)
        return other
    }

    /// Returns the same refusals with their explanations. These come from reading the batch alone, so nothing of them
    /// has to be stored for a repeat.
    package func explained(_ refused: [BatchAnswer.Refusal]) -> [BatchAnswer.Refusal] {
        guard !details.isEmpty else { return refused }
        return refused.map { refusal in
            if let known = details[refusal.index], known.reason == refusal.reason { known } else { refusal }
        }
    }
}

/// A client's proof that its identifier is not invented: unchecked bytes.
package struct IdentifierProof: Sendable {
    /// The credential's presentation.
    package let presentation: [UInt8]
    /// The bytes of the identifier, which is their base64url.
    package let tag: [UInt8]

    /// Reads both; nil if one of them is not base64url.
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

    /// The absent identifier: no client can send it.
    static let none = RawIdentifier()

    /// True if it is the absent identifier.
    package var isNobody: Bool { bytes.isEmpty }

    /// The bytes that the client sent: to be hashed at once, and to go nowhere else.
    package var text: [UInt8] { bytes }

    /// Returns the identifier under its window's key; ``KeyedIdentifier/nobody`` if there is none.
    package func keyed(with key: WindowKey) -> KeyedIdentifier {
        bytes.isEmpty ? .nobody : bytes.withUnsafeBytes { key.keyed($0) }
    }
}

/// The result of reading a body.
package enum IntakeOutcome: Sendable {
    case batch(IncomingBatch)
    /// The request carries an opt-out signal that the purpose honours: nothing is counted, nothing is stored. The
    /// sender is given only if a metric of the purpose may have its progress, which is then to be forgotten.
    case optedOut(BatchAnswer, app: AppName, of: IncomingWithdrawal?)
    /// The person agreed to an earlier version of the purpose than the plan's: nothing is counted, nothing is stored.
    /// Counts under an earlier plan stay.
    case consentOutdated(BatchAnswer, app: AppName)
    /// The batch says that it is a test's: it was read like any other; nothing is counted, nothing is stored.
    case keptApart(BatchAnswer)
}
