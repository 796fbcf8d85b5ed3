internal import ThrongPlan

/// The nodes of a small body's members: an object with these members and no others.
struct NamedMembers<Member: RawRepresentable<String> & Hashable & CaseIterable> {
    private let document: JSONDocument
    private var nodes: [Member: Int] = [:]

    init(_ document: JSONDocument) throws(IntakeError) {
        self.document = document
        guard document.isObject(0) else { throw .wrongShape(pointer: "", expected: "an object") }
        var key = 1
        for _ in 0..<document.count(0) {
            guard let member = Member(rawValue: String(decoding: document.bytes(key), as: UTF8.self)) else {
                let names = Member.allCases.map(\.rawValue)
                throw .wrongShape(
                    pointer: "", expected: "only \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")")
            }
            nodes[member] = key + 1
            key = document.next(key + 1)
        }
    }

    func text(_ member: Member) throws(IntakeError) -> Int {
        try Envelope.text(nodes[member] ?? -1, "/\(member.rawValue)", in: document)
    }

    /// Returns the node of a value that must be there.
    func node(_ member: Member) throws(IntakeError) -> Int {
        guard let node = nodes[member] else { throw .wrongShape(pointer: "/\(member.rawValue)", expected: "a value") }
        return node
    }

    /// Returns a string that may be left out.
    func optionalText(_ member: Member) throws(IntakeError) -> String? {
        guard nodes[member] != nil else { return nil }
        return String(decoding: document.bytes(try text(member)), as: UTF8.self)
    }

    func identifier(_ member: Member) throws(IntakeError) -> Int {
        try Envelope.identifier(nodes[member] ?? -1, in: document)
    }

    func window(_ member: Member) throws(IntakeError) -> Int64 {
        try Envelope.window(nodes[member] ?? -1, in: document)
    }
}

extension Intake {
    /// Returns a purpose of an app, both by the nodes of their names.
    func purpose(_ name: Int, of app: Int, in document: JSONDocument) throws(IntakeError) -> (AppTables, PurposeTables)
    {
        guard let place = appNames[document.bytes(app)] else { throw .unknownApp }
        let tables = apps[place]
        guard let purpose = tables.purposeNames[document.bytes(name)] else { throw .unknownPurpose }
        return (tables, tables.purposes[purpose])
    }
}

extension PurposeTables {
    /// Refuses a direct request if the plan requires a relay, so that nobody here sees addresses.
    func checkWay(isSealed: Bool) throws(IntakeError) {
        guard isSealed || purpose.transport == .direct else { throw .obliviousOnly }
    }

    /// Returns the name of a window that accepts batches now.
    func openWindow(_ number: Int64, app: AppName, now: UnixSeconds) throws(IntakeError) -> WindowID {
        let current = purpose.rotation.window(at: now)
        guard (current.value - 1...current.value + 1).contains(number) else {
            throw .windowOutOfRange(current: current.value)
        }
        return WindowID(app: app, purpose: purpose.name, rotation: purpose.rotation, number: WindowNumber(number))
    }
}
