internal import CSimdJSON
internal import ThrongPlan
internal import ThrongWire

/// Reads one batch at a time, and reuses its buffers for the next.
///
/// It holds no value of a client between two calls, but the minute of the last time. The parser's buffers are
/// overwritten by the next document, and the arrays here hold node numbers, buckets and periods of the app's calendar.
struct BatchReader {
    let limits: IntakeLimits
    private let parser: JSONParser
    /// The context's nodes, by field number; -1 for an absent field.
    var contextNodes: [Int] = []
    /// The event's nodes, by field number; -1 for an absent field.
    var eventNodes: [Int] = []
    /// True if an event had fields since all of its nodes were absent.
    var hasEventNodes = false
    /// The buckets that the context gives, by dimension; -1 if not computed yet.
    var contextBuckets: [Int] = []
    /// The firsts that the event claims to be, by metric of the event.
    var firsts: [FirstSet] = []
    var timestamps = TimestampReader()
    /// The period that was computed last, by rank of its kind, for ``app``.
    var periods = Self.noPeriods
    /// The app of the last batch.
    private var app: AppTables?
    /// The buckets of the current event, by revealed dimension.
    var revealedBuckets: [Int] = []
    /// The known hashes in the window of the current batch.
    var vocabulary = WindowVocabulary(slots: [])
    /// The unknown hashes of the current batch; handed over with it.
    var candidates: [RevealCandidate] = []
    /// The marks of the current batch's events for metrics that count identifiers.
    var marks: [BucketedBatch.Mark] = []
    /// The user agents of the current batch, without repeats within a field.
    var agents: [(field: Int, node: Int)] = []
    /// True if other work waits for the thread that reads.
    var isHurried = false
    /// True if a user agent takes long to read, and there is no time for it.
    var isLaborious = false
    /// True if a user agent is a bot's.
    var isBot = false
    /// The explanations of the current batch's refusals, by event place.
    var details: [Int: BatchAnswer.Refusal] = [:]
    /// The last reusable run of contributions, by event name.
    var runs: [EventRun] = []

    init?(limits: IntakeLimits) {
        guard let parser = JSONParser(depth: limits.depth, stringBytes: limits.stringBytes) else { return nil }
        self.parser = parser
        self.limits = limits
    }

    private static let noPeriods: [Period?] = PeriodKind.allCases.map { _ in nil }

    mutating func read(
        _ body: UnsafeBufferPointer<UInt8>, for intake: Intake, signals: Set<OptOutSignal>, bearer: String?,
        now: UnixSeconds, use: IntakeUse, isSealed: Bool
    ) throws(IntakeError) -> IntakeOutcome? {
        let document = try parser.parseWithFlaws(body)
        let envelope = try Envelope(document, limits: limits, use: use)
        guard let appPlace = intake.appNames[document.bytes(envelope.app)] else { throw .unknownApp }
        let app = intake.apps[appPlace]
        guard let purposePlace = app.purposeNames[document.bytes(envelope.purpose)] else { throw .unknownPurpose }
        let tables = app.purposes[purposePlace]
        if use == .counting { try tables.checkWay(isSealed: isSealed) }
        let shown = ShownKeys(
            key: envelope.key.map { String(decoding: document.bytes($0), as: UTF8.self) }, bearer: bearer,
            isCounted: use == .counting)
        let isBackend = try intake.keys?.admit(shown, to: tables.purpose, of: app) ?? false
        try envelope.check(tables.purpose, use: use)
        let current = tables.purpose.rotation.window(at: now)
        let number = envelope.window ?? current.value
        let isCurrent = (current.value - 1...current.value + 1).contains(number)
        let window = WindowID(
            app: app.name, purpose: tables.purpose.name, rotation: tables.purpose.rotation,
            number: WindowNumber(number))
        let isApart = envelope.isTest && use == .counting && !intake.countsTests
        func refused(_ reason: RefusalReason) -> BatchAnswer {
            BatchAnswer(
                accepted: 0, refused: (0..<document.count(envelope.events)).map { .init(index: $0, reason: reason) },
                test: isApart ? 0 : nil)
        }
        if !tables.purpose.refusedBy.isDisjoint(with: signals) {
            if isApart { return .keptApart(refused(.optedOut)) }
            var sender: IncomingWithdrawal?
            if isCurrent, tables.countsIdentifiers, let node = envelope.identifier {
                sender = IncomingWithdrawal(
                    window: window, identifier: RawIdentifier(document.bytes(node)),
                    isOfKeyHolder: tables.purpose.needsProof)
            }
            return .optedOut(refused(.optedOut), app: app.name, of: sender)
        }
        // A preview without a consent version is not refused: nobody has agreed to anything there.
        let agreed = envelope.consentVersion ?? (use == .preview ? Int64.max : 1)
        if tables.purpose.needsConsent, agreed < tables.purpose.consentVersion {
            return isApart
                ? .keptApart(refused(.consentOutdated)) : .consentOutdated(refused(.consentOutdated), app: app.name)
        }
        guard isCurrent else { throw .windowOutOfRange(current: current.value) }
        // Finding a period takes a time zone's rules, and most batches are of the same periods.
        if app !== self.app { (self.app, periods) = (app, Self.noPeriods) }
        if !tables.revealed.isEmpty {
            vocabulary = intake.vocabulary.hashes(of: tables.revealed, in: window)
            Self.reset(&revealedBuckets, count: tables.revealed.count)
        }
        defer {
            candidates = []
            details = [:]
        }
        guard let bucketed = bucket(document, envelope, use, window: window, tables: tables, now: now) else {
            return nil
        }
        return isApart
            ? .keptApart(testAnswer(to: bucketed))
            : .batch(try incoming(bucketed, envelope, of: document, for: tables, isBackend: isBackend))
    }

    private func incoming(
        _ batch: BucketedBatch, _ envelope: Envelope, of document: JSONDocument, for tables: PurposeTables,
        isBackend: Bool
    ) throws(IntakeError) -> IncomingBatch {
        let identifier = envelope.identifier.map { RawIdentifier(document.bytes($0)) } ?? .none
        return IncomingBatch(
            bucketed: batch, identifier: identifier, isBackend: isBackend,
            floorPerNetwork: tables.purpose.floorPerNetwork,
            proof: tables.purpose.needsProof ? try Self.proof(in: document, envelope) : nil, candidates: candidates,
            details: details, isBot: isBot, isOfKeyHolder: tables.purpose.needsProof, isTest: envelope.isTest)
    }

    /// Returns what a test's batch is told: the events that the plan refuses, and how many it takes.
    private func testAnswer(to batch: BucketedBatch) -> BatchAnswer {
        let refused = batch.events.enumerated().compactMap { index, event in
            event.refusal.map { details[index] ?? BatchAnswer.Refusal(index: index, reason: $0) }
        }
        return BatchAnswer(accepted: 0, refused: refused, test: batch.events.count - refused.count)
    }

    private static func proof(in document: JSONDocument, _ envelope: Envelope) throws(IntakeError) -> IdentifierProof? {
        guard let proof = envelope.proof, let identifier = envelope.identifier else { return nil }
        guard let read = IdentifierProof(document.bytes(proof), of: document.bytes(identifier)) else {
            throw .wrongShape(pointer: "/proof", expected: "base64url without padding, and so is the id that it proves")
        }
        return read
    }
}
