internal import ThrongAttestation
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongStore

/// Checks that identifiers are tags of credentials that this house issued.
struct ProofCheck: Sendable {
    let keys: EpochKeys

    /// Returns true if a proof holds for its identifier in a window.
    ///
    /// The proof shows a credential of the app and of the month in which the window begins. The identifier is the one
    /// tag that this credential has in that window.
    ///
    /// - Complexity: about a millisecond.
    func holds(_ proof: IdentifierProof, in window: WindowID) -> Bool {
        let epoch = Epoch(of: window.number, rotation: window.rotation)
        let tag = tag(in: proof.presentation, expecting: proof.tag, of: epoch, window.app) {
            try .window(window.number, of: window.purpose, app: window.app)
        }
        return tag != nil
    }

    /// Returns the device's tag in a first's cell and period; nil if its proof does not hold there.
    ///
    /// The proof shows a credential of the app and of the month of the period's last day.
    ///
    /// - Complexity: about a millisecond.
    func tag(of first: IncomingFirst) -> FirstTag? {
        let (app, epoch) = (first.layout.app, Epoch(of: first.period, in: first.calendar))
        return tag(in: first.proof, of: epoch, app) {
            try .first(
                in: first.provedCell, of: first.layout.metric, layout: first.name, period: first.period, app: app)
        }.map { FirstTag(hashing: $0) }
    }

    /// Returns the tag that a proof shows of a credential in a context; nil if it does not hold, or has another tag.
    private func tag(
        in proof: [UInt8], expecting expected: [UInt8]? = nil, of epoch: Epoch, _ app: AppName,
        _ context: () throws -> PresentationContext
    ) -> [UInt8]? {
        guard let secrets = keys.secrets(of: epoch, app: app) else { return nil }
        do {
            let presentation = try Presentation(rawRepresentation: proof)
            let tag = presentation.tag.rawRepresentation
            guard expected == nil || expected == tag else { return nil }
            let isProved = presentation.isProved(
                for: try context().bytes, requestContext: try epoch.requestContext(of: app), by: secrets)
            return isProved ? tag : nil
        } catch {
            // No presentation at all: whatever is wrong with it, it proves nothing.
            return nil
        }
    }
}
