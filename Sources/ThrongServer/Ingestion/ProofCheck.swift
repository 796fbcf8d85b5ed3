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
        guard let secrets = keys.secrets(of: epoch, app: window.app) else { return false }
        do {
            let presentation = try Presentation(rawRepresentation: proof.presentation)
            guard presentation.tag.rawRepresentation == proof.tag else { return false }
            let context = try PresentationContext.window(window.number, of: window.purpose, app: window.app)
            return presentation.isProved(
                for: context.bytes, requestContext: try epoch.requestContext(of: window.app), by: secrets)
        } catch {
            // No presentation at all: whatever is wrong with it, it proves nothing.
            return false
        }
    }

    /// Returns the device's tag in a first's cell and period; nil if its proof does not hold there.
    ///
    /// The proof shows a credential of the app and of the month of the period's last day.
    ///
    /// - Complexity: about a millisecond.
    func tag(of first: IncomingFirst) -> FirstTag? {
        let app = first.layout.app
        let epoch = Epoch(of: first.period, in: first.calendar)
        guard let secrets = keys.secrets(of: epoch, app: app) else { return nil }
        do {
            let presentation = try Presentation(rawRepresentation: first.proof)
            let context = try PresentationContext.first(
                in: first.provedCell, of: first.layout.metric, layout: first.name, period: first.period, app: app)
            guard
                presentation.isProved(
                    for: context.bytes, requestContext: try epoch.requestContext(of: app), by: secrets)
            else { return nil }
            return FirstTag(hashing: presentation.tag.rawRepresentation)
        } catch {
            // No presentation at all: whatever is wrong with it, it proves nothing.
            return nil
        }
    }
}
