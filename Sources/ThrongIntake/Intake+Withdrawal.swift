package import ThrongCounting
package import ThrongPlan

extension Intake {
    /// How large the body of `POST /v1/withdraw` may be. Unit: bytes.
    package static let withdrawalBytes = 4096

    /// Reads the body of `POST /v1/withdraw`.
    ///
    /// - Parameter isSealed: whether it came sealed, through a relay.
    /// - Throws: ``IntakeError``.
    package func readWithdrawal(
        _ body: UnsafeBufferPointer<UInt8>, now: UnixSeconds, isSealed: Bool = false
    ) throws(IntakeError) -> IncomingWithdrawal {
        guard body.count <= Self.withdrawalBytes else { throw .bodyTooLarge(limit: Self.withdrawalBytes) }
        guard let parser = JSONParser(depth: 2) else { throw .noMemory }
        let document = try parser.parse(body, limits: limits)
        let members = try NamedMembers<WithdrawalMember>(document)
        let names = (app: try members.text(.app), purpose: try members.text(.purpose))
        let (app, tables) = try purpose(names.purpose, of: names.app, in: document)
        try tables.checkWay(isSealed: isSealed)
        // Said first: whoever sends nothing but events has no identifier to name.
        guard tables.purpose.hasIdentifiers else { throw .nothingToTellApart }
        let number = try members.window(.window)
        let identifier = try members.identifier(.id)
        return IncomingWithdrawal(
            window: try tables.openWindow(number, app: app.name, now: now),
            identifier: RawIdentifier(document.bytes(identifier)), isOfDesk: tables.purpose.needsProof)
    }
}

/// Whom a client wants to be taken out of which window: the body of `POST /v1/withdraw`, checked against the plan.
package struct IncomingWithdrawal: Sendable {
    /// A window of which batches are accepted now.
    package let window: WindowID
    /// As the client sent it. Not printable, not stored.
    package let identifier: RawIdentifier
    /// Whether the purpose counts devices that prove who they are.
    package var isOfDesk = false

    /// The same in a window that was taken over under way, by an epoch; as it is for nil.
    package func taken(over epoch: Int64?) -> IncomingWithdrawal {
        IncomingWithdrawal(window: epoch.map(window.taken) ?? window, identifier: identifier, isOfDesk: isOfDesk)
    }
}

private enum WithdrawalMember: String, CaseIterable { case app, purpose, window, id }
