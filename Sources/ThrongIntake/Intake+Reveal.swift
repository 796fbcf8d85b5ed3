internal import CSimdJSON
internal import ThrongCounting
package import ThrongPlan

extension Intake {
    /// How large the body of `POST /v1/reveals` may be. Unit: bytes.
    package static let revealBytes = 4096

    /// Reads the body of `POST /v1/reveals`; nil where the purpose honours one of the signals.
    ///
    /// - Parameters:
    ///   - signals: the opt-out signals of the request's headers.
    /// - Throws: ``IntakeError``.
    package func readReveal(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, now: UnixSeconds
    ) throws(IntakeError) -> IncomingReveal? {
        guard body.count <= Self.revealBytes else { throw .bodyTooLarge(limit: Self.revealBytes) }
        guard let parser = JSONParser(depth: 2) else { throw .noMemory }
        let document = try parser.parse(body, limits: limits)
        let members = try RevealMembers(document)
        guard let appPlace = appNames[document.bytes(members.app)] else { throw .unknownApp }
        let app = apps[appPlace]
        guard let purposePlace = app.purposeNames[document.bytes(members.purpose)] else { throw .unknownPurpose }
        let tables = app.purposes[purposePlace]
        guard tables.purpose.refusedBy.isDisjoint(with: signals) else { return nil }
        let current = tables.purpose.rotation.window(at: now)
        guard (current.value - 1...current.value + 1).contains(members.window) else {
            throw .windowOutOfRange(current: current.value)
        }
        let wanted = document.bytes(members.dimension)
        guard let dimension = tables.revealed.first(where: { $0.name.text.utf8.elementsEqual(wanted) }) else {
            throw .wrongShape(pointer: "/dimension", expected: "a dimension of the purpose whose values are revealed")
        }
        return IncomingReveal(
            window: WindowID(
                app: app.name, purpose: tables.purpose.name, rotation: tables.purpose.rotation,
                number: WindowNumber(members.window)),
            dimension: dimension.name, most: dimension.most,
            value: String(decoding: document.bytes(members.value), as: UTF8.self))
    }
}

/// Where the members of a reveal lie, with their shapes checked.
private struct RevealMembers {
    let app: Int
    let purpose: Int
    let dimension: Int
    let value: Int
    let window: Int64

    init(_ document: JSONDocument) throws(IntakeError) {
        guard document.isObject(0) else { throw .wrongShape(pointer: "", expected: "an object") }
        var nodes: [Member: Int] = [:]
        var key = 1
        for _ in 0..<document.count(0) {
            guard let member = Member(rawValue: String(decoding: document.bytes(key), as: UTF8.self)) else {
                throw .wrongShape(pointer: "", expected: "only app, purpose, window, dimension and value")
            }
            nodes[member] = key + 1
            key = document.next(key + 1)
        }
        func text(_ member: Member) throws(IntakeError) -> Int {
            guard let node = nodes[member], document.isString(node) else {
                throw .wrongShape(pointer: "/\(member.rawValue)", expected: "a string")
            }
            return node
        }
        app = try text(.app)
        purpose = try text(.purpose)
        dimension = try text(.dimension)
        value = try text(.value)
        guard let node = nodes[.window], let number = document.integer(node) else {
            throw .wrongShape(pointer: "/window", expected: "a whole number: floor(unix time / rotation)")
        }
        window = number
    }

    private enum Member: String { case app, purpose, window, dimension, value }
}
