internal import CSimdJSON
package import ThrongCounting
package import ThrongPlan

extension Intake {
    /// How large the body of `POST /v1/withdraw` may be. Unit: bytes.
    package static let withdrawalBytes = 4096

    /// Reads the body of `POST /v1/withdraw`.
    ///
    /// - Throws: ``IntakeError``.
    package func readWithdrawal(
        _ body: UnsafeBufferPointer<UInt8>, now: UnixSeconds
    ) throws(IntakeError) -> IncomingWithdrawal {
        guard body.count <= Self.withdrawalBytes else { throw .bodyTooLarge(limit: Self.withdrawalBytes) }
        guard let parser = JSONParser(depth: 2) else { throw .noMemory }
        let document = try parser.parse(body, limits: limits)
        let members = try WithdrawalMembers(document)
        guard let appPlace = appNames[document.bytes(members.app)] else { throw .unknownApp }
        let app = apps[appPlace]
        guard let purposePlace = app.purposeNames[document.bytes(members.purpose)] else { throw .unknownPurpose }
        let purpose = app.purposes[purposePlace].purpose
        let current = purpose.rotation.window(at: now)
        guard (current.value - 1...current.value + 1).contains(members.window) else {
            throw .windowOutOfRange(current: current.value)
        }
        return IncomingWithdrawal(
            window: WindowID(
                app: app.name, purpose: purpose.name, rotation: purpose.rotation, number: WindowNumber(members.window)),
            identifier: RawIdentifier(document.bytes(members.identifier)))
    }
}

/// Whom a client wants to be taken out of which window: the body of `POST /v1/withdraw`, checked against the plan.
package struct IncomingWithdrawal: Sendable {
    /// A window of which batches are accepted now.
    package let window: WindowID
    /// As the client sent it. Not printable, not stored.
    package let identifier: RawIdentifier
}

/// Where the members of a withdrawal lie, with their shapes checked.
private struct WithdrawalMembers {
    let app: Int
    let purpose: Int
    let identifier: Int
    let window: Int64

    init(_ document: JSONDocument) throws(IntakeError) {
        guard document.isObject(0) else { throw .wrongShape(pointer: "", expected: "an object") }
        var nodes: [Member: Int] = [:]
        var key = 1
        for _ in 0..<document.count(0) {
            guard let member = Member(rawValue: String(decoding: document.bytes(key), as: UTF8.self)) else {
                throw .wrongShape(pointer: "", expected: "only app, purpose, window and id")
            }
            nodes[member] = key + 1
            key = document.next(key + 1)
        }
        app = try Envelope.text(nodes[.app] ?? -1, "/app", in: document)
        purpose = try Envelope.text(nodes[.purpose] ?? -1, "/purpose", in: document)
        window = try Envelope.window(nodes[.window] ?? -1, in: document)
        identifier = try Envelope.identifier(nodes[.id] ?? -1, in: document)
    }

    private enum Member: String { case app, purpose, window, id }
}
