package import ThrongPlan

extension Intake {
    /// The largest body of `POST /v1/withdraw`. Unit: bytes.
    package static let withdrawalBytes = 4096

    /// Reads the body of `POST /v1/withdraw`.
    package func readWithdrawal(
        _ body: UnsafeBufferPointer<UInt8>, now: UnixSeconds, isSealed: Bool = false
    ) throws(IntakeError) -> IncomingWithdrawal {
        guard body.count <= Self.withdrawalBytes else { throw .bodyTooLarge(limit: Self.withdrawalBytes) }
        guard let parser = JSONParser(depth: 2) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: limits)
        let members = try NamedMembers<WithdrawalMember>(document)
        let names = (app: try members.text(.app), purpose: try members.text(.purpose))
        let (app, tables) = try purpose(names.purpose, of: names.app, in: document)
        try tables.checkWay(isSealed: isSealed)
        // This check comes first: a client of such a purpose has no identifier to name.
        guard tables.purpose.hasIdentifiers else { throw .nothingToTellApart }
        let number = try members.window(.window)
        let identifier = try members.identifier(.id)
        return IncomingWithdrawal(
            window: try tables.openWindow(number, app: app.name, now: now),
            identifier: RawIdentifier(document.bytes(identifier)), isOfKeyHolder: tables.purpose.needsProof)
    }
}

/// An identifier that withdraws from a window, by `POST /v1/withdraw` or by an opt-out signal.
package struct IncomingWithdrawal: Sendable {
    /// A window that accepts batches now.
    package let window: WindowID
    /// The identifier as the client sent it. Not printable, not stored.
    package let identifier: RawIdentifier
    /// True if the purpose counts proved identifiers.
    package var isOfKeyHolder = false

    /// Returns it for a window that an epoch took over while it was open; itself if `epoch` is nil.
    package func taken(over epoch: Int64?) -> IncomingWithdrawal {
        IncomingWithdrawal(
            window: epoch.map(window.taken) ?? window, identifier: identifier, isOfKeyHolder: isOfKeyHolder)
    }
}

private enum WithdrawalMember: String, CaseIterable { case app, purpose, window, id }
