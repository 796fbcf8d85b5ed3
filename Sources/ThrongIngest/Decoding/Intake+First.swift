package import ThrongPlan

extension Intake {
    /// The largest body of `POST /v1/firsts`. Unit: bytes.
    package static let firstBytes = 16 << 10

    /// Reads the body of `POST /v1/firsts`; nil if the purpose honours one of the signals. Its proof is not checked.
    package func readFirst(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, now: UnixSeconds, isSealed: Bool = false
    ) throws(IntakeError) -> IncomingFirst? {
        guard body.count <= Self.firstBytes else { throw .bodyTooLarge(limit: Self.firstBytes) }
        guard let parser = JSONParser(depth: 3) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: IntakeLimits(depth: 3))
        let members = try NamedMembers<FirstMember>(document)
        let app = try members.text(.app)
        let metric = try members.text(.metric)
        let kind = document.bytes(try members.text(.period))
        guard let start = document.integer(try members.node(.start)) else {
            throw .wrongShape(pointer: "/start", expected: "a whole number of seconds")
        }
        let cell = try members.node(.cell)
        guard document.isObject(cell) else { throw .wrongShape(pointer: "/cell", expected: "an object of buckets") }
        guard let proof = Base64URL.bytes(of: document.bytes(try members.text(.proof))) else {
            throw .wrongShape(pointer: "/proof", expected: "base64url without padding")
        }
        guard let place = appNames[document.bytes(app)] else { throw .unknownApp }
        let tables = apps[place]
        guard let number = tables.firstNames[document.bytes(metric)] else { throw .noFirsts }
        let asked = tables.firsts[number]
        try asked.purpose.checkWay(isSealed: isSealed)
        guard asked.purpose.purpose.refusedBy.isDisjoint(with: signals) else { return nil }
        guard let kind = asked.published.periods.first(where: { kind.elementsEqual($0.rawValue.utf8) }) else {
            throw .noFirsts
        }
        let period = try asked.openPeriod(kind, start: start, calendar: tables.calendar, now: now)
        let (margin, index) = try asked.cell(cell, in: document)
        return IncomingFirst(
            layout: asked.layout, name: asked.published.layout, period: period, calendar: tables.calendar,
            margin: margin, cell: index, proof: proof)
    }

    /// The largest body of `POST /v1/credentials`: chains of certificates take some kilobytes. Unit: bytes.
    package static let credentialBytes = 64 << 10

    /// Reads the body of `POST /v1/credentials`: `app`, `epoch`, `request`, and `attestation` with `by` and other strings.
    package func readCredential(_ body: UnsafeBufferPointer<UInt8>) throws(IntakeError) -> IncomingCredential {
        guard body.count <= Self.credentialBytes else { throw .bodyTooLarge(limit: Self.credentialBytes) }
        guard let parser = JSONParser(depth: 3) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: IntakeLimits(depth: 3))
        let members = try NamedMembers<CredentialMember>(document)
        let app = try members.text(.app)
        let texts = (epoch: try members.text(.epoch), request: try members.text(.request))
        let attestation = try members.node(.attestation)
        guard document.isObject(attestation) else {
            throw .wrongShape(pointer: "/attestation", expected: "an object with by")
        }
        var evidence: [String: String] = [:]
        var key = attestation + 1
        for _ in 0..<document.count(attestation) {
            guard document.isString(key + 1) else {
                throw .wrongShape(pointer: "/attestation", expected: "an object of strings")
            }
            evidence[document.text(key)] = document.text(key + 1)
            key = document.next(key + 1)
        }
        guard let attester = evidence.removeValue(forKey: "by") else {
            throw .wrongShape(pointer: "/attestation/by", expected: "a string")
        }
        guard let place = appNames[document.bytes(app)] else { throw .unknownApp }
        return IncomingCredential(
            app: apps[place].name, epoch: document.text(texts.epoch), request: document.text(texts.request),
            attester: attester, evidence: evidence)
    }

    /// Returns the app with a name; nil if no plan is for it.
    package func app(named name: String) -> AppName? { apps.first { $0.name.text == name }?.name }

    /// The largest body of `POST /v1/reveals`. Unit: bytes.
    package static let revealBytes = 4096

    /// Reads the body of `POST /v1/reveals`; nil if the purpose honours one of the signals: see
    /// ``read(_:signals:bearer:now:use:isSealed:)``.
    package func readReveal(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String? = nil, now: UnixSeconds,
        isSealed: Bool = false
    ) throws(IntakeError) -> IncomingReveal? {
        guard body.count <= Self.revealBytes else { throw .bodyTooLarge(limit: Self.revealBytes) }
        guard let parser = JSONParser(depth: 2) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: limits)
        let members = try NamedMembers<RevealMember>(document)
        let names = (app: try members.text(.app), purpose: try members.text(.purpose))
        let wanted = document.bytes(try members.text(.dimension))
        let value = try members.text(.value)
        let written = try members.optionalText(.output)
        let number = try members.window(.window)
        let (app, tables) = try purpose(names.purpose, of: names.app, in: document)
        try tables.checkWay(isSealed: isSealed)
        let shown = ShownKeys(key: try members.optionalText(.key), bearer: bearer, isCounted: true)
        _ = try keys?.admit(shown, to: tables.purpose, of: app)
        guard tables.purpose.refusedBy.isDisjoint(with: signals) else { return nil }
        let window = try tables.openWindow(number, app: app.name, now: now)
        guard let dimension = tables.revealed.first(where: { $0.name.text.utf8.elementsEqual(wanted) }) else {
            throw .wrongShape(pointer: "/dimension", expected: "a dimension of the purpose whose values are revealed")
        }
        var output: EvaluatedOutput?
        if dimension.evaluator != nil {
            output = written.flatMap { EvaluatedOutput(text: $0.utf8) }
            guard output != nil else {
                throw .wrongShape(
                    pointer: "/output", expected: "what the plan's evaluator makes of the value, 32 bytes in base64url")
            }
        }
        return IncomingReveal(
            window: window, dimension: dimension.name, most: dimension.most,
            value: String(decoding: document.bytes(value), as: UTF8.self), output: output)
    }

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

    /// Returns a purpose of an app, both by the nodes of their names.
    func purpose(_ name: Int, of app: Int, in document: JSONDocument) throws(IntakeError) -> (AppTables, PurposeTables)
    {
        guard let place = appNames[document.bytes(app)] else { throw .unknownApp }
        let tables = apps[place]
        guard let purpose = tables.purposeNames[document.bytes(name)] else { throw .unknownPurpose }
        return (tables, tables.purposes[purpose])
    }
}

/// A device's claim in `POST /v1/firsts` to be in a cell in a period, checked against the plan.
package struct IncomingFirst: Sendable {
    /// The layout that the cell is part of.
    package let layout: MetricLayout
    /// The layout's name in the public plan.
    package let name: String
    /// A period for which firsts are accepted now.
    package let period: Period
    package let calendar: PeriodCalendar
    /// The cell's margin, one of the layout's margins of proved firsts.
    package let margin: Margin
    /// A cell of that margin that can occur.
    package let cell: CellIndex
    /// The presentation of a credential: unchecked bytes.
    package let proof: [UInt8]

    /// The buckets that the proof is about: those of dimensions that do not partition devices.
    package var provedCell: [DimensionName: BucketLabel] {
        let kept = layout.dimensions.indices.filter(margin.keeps)
        var cell: [DimensionName: BucketLabel] = [:]
        for (place, bucket) in zip(kept, layout.buckets(of: self.cell, in: margin)) where !layout.partition.keeps(place)
        { cell[layout.dimensions[place].name] = layout.dimensions[place].labels[bucket] }
        return cell
    }
}

/// A metric for which devices prove firsts, ready to read them.
struct FirstTables: Sendable {
    let layout: MetricLayout
    let published: PublicPlan.ProvedFirsts
    let purpose: PurposeTables
    /// The dimensions' places, by name.
    private let dimensions: ByteTable
    /// The buckets, by dimension and label.
    private let buckets: [ByteTable]
    /// The time from which on it no longer counts.
    private let expires: UnixSeconds
    /// The time that a release waits after its period. Unit: seconds.
    private let grace: Int64

    init(
        _ layout: MetricLayout, _ published: PublicPlan.ProvedFirsts, purpose: PurposeTables, expires: UnixSeconds,
        grace: Int64
    ) {
        (self.layout, self.published, self.purpose) = (layout, published, purpose)
        (self.expires, self.grace) = (expires, grace)
        dimensions = ByteTable(layout.dimensions.map(\.name.text))
        buckets = layout.dimensions.map { ByteTable($0.labels.map(\.text)) }
    }

    /// Returns the period that begins at `start`, if it has begun and its release is not due yet.
    func openPeriod(
        _ kind: PeriodKind, start: Int64, calendar: PeriodCalendar, now: UnixSeconds
    ) throws(IntakeError) -> Period {
        // A start far from now is refused first: the arithmetic below would overflow with the lowest number.
        guard (now.value - Self.farthest...now.value + Self.farthest).contains(start) else { throw .periodNotOpen }
        let period = calendar.period(kind, containing: UnixSeconds(start))
        guard period.start.value == start, period.start <= now, now < period.end + grace, period.start < expires else {
            throw .periodNotOpen
        }
        return period
    }

    /// The most by which an open period's start differs from now. Unit: seconds.
    private static let farthest: Int64 = 100 * 86_400

    /// Returns the cell that an object of buckets names.
    func cell(_ object: Int, in document: JSONDocument) throws(IntakeError) -> (Margin, CellIndex) {
        var found: [Int: Int] = [:]
        var key = object + 1
        for _ in 0..<document.count(object) {
            guard let place = dimensions[document.bytes(key)], document.isString(key + 1),
                let bucket = buckets[place][document.bytes(key + 1)]
            else { throw .unknownCell }
            found[place] = bucket
            key = document.next(key + 1)
        }
        let margin = Margin(keeping: Array(found.keys))
        guard layout.provedFirsts?.margins.contains(margin) ?? false else { throw .unknownCell }
        let cell = layout.cell(buckets: found.sorted { $0.key < $1.key }.map(\.value), in: margin)
        guard !layout.isImpossible(cell, in: margin) else { throw .unknownCell }
        return (margin, cell)
    }
}

private enum FirstMember: String, CaseIterable { case app, metric, period, start, cell, proof }

/// A client's request for a credential, with its attestation: the body of `POST /v1/credentials`.
package struct IncomingCredential: Sendable {
    package let app: AppName
    package let epoch: String
    package let request: String
    package let attester: String
    /// The attestation's other members.
    package let evidence: [String: String]
}

private enum CredentialMember: String, CaseIterable { case app, epoch, request, attestation }

extension JSONDocument { fileprivate func text(_ node: Int) -> String { String(decoding: bytes(node), as: UTF8.self) } }

private enum RevealMember: String, CaseIterable { case app, purpose, window, dimension, value, output, key }

/// A client's claim of the value behind a hash: the body of `POST /v1/reveals`, checked against the plan.
package struct IncomingReveal: Sendable {
    package let window: WindowID
    /// The dimension; its buckets are learned.
    package let dimension: DimensionName
    /// The most buckets that the dimension can learn.
    package let most: Int
    /// The value as the client sent it. It is not stored before enough devices are known to have sent its hash.
    package let value: String
    /// The claimed output of the app's evaluator for the value, unchecked; nil if the app has no evaluator.
    package let output: EvaluatedOutput?
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
