internal import ThrongPlan

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

    /// Notes the nodes of the context's fields; returns a refusal if one is not planned or not a scalar.
    mutating func take(context: Int, of document: JSONDocument, tables: PurposeTables) -> BatchAnswer.Refusal? {
        Self.take(context, of: document, at: -1, tables: tables, allows: nil, saysMore: true, into: &contextNodes)
            ?? noteUserAgents(contextNodes, of: nil, in: document, tables: tables)
    }

    /// Notes the nodes of an object's fields; returns a refusal if one is not planned or not a scalar.
    ///
    /// - Parameter index: the event's place; -1 for the context.
    static func take(
        _ object: Int, of document: JSONDocument, at index: Int, tables: PurposeTables, allows: [Bool]?, saysMore: Bool,
        into nodes: inout [Int]
    ) -> BatchAnswer.Refusal? {
        var key = object + 1
        for member in 0..<document.count(object) {
            let field = tables.fieldNames[document.bytes(key)]
            guard let field, allows?[field] != false else {
                guard saysMore else { return .init(index: index, reason: .unknownField) }
                var nearest: String?
                if field == nil {
                    let known = tables.fieldList.indices.filter { allows?[$0] != false }.map { tables.fieldList[$0] }
                    nearest = Self.nearest(to: document.bytes(key), among: known)
                }
                return .init(
                    index: index, reason: .unknownField,
                    detail: RefusalDetail(
                        pointer: pointer(toFieldsOf: index), member: member, field: field.map { tables.fieldList[$0] },
                        nearest: nearest))
            }
            guard document.isScalar(key + 1) else {
                return .invalid(
                    at: index,
                    RefusalDetail(pointer: pointer(toFieldsOf: index), member: member, field: tables.fieldList[field]))
            }
            nodes[field] = key + 1
            key = document.next(key + 1)
        }
        return nil
    }

    /// Notes user agents that are new in the batch, before any of them is read. A batch comes from one device. It has
    /// one user agent, or a few while its browser is being updated, and each may take milliseconds.
    ///
    /// - Parameter index: the event's place; nil for the context.
    /// - Returns: a refusal if there are too many.
    mutating func noteUserAgents(
        _ nodes: [Int], of index: Int?, in document: JSONDocument, tables: PurposeTables
    ) -> BatchAnswer.Refusal? {
        for agent in tables.userAgents where nodes[agent.field] >= 0 && document.isString(nodes[agent.field]) {
            let node = nodes[agent.field]
            let text = document.bytes(node)
            // There are few labels, and they are quick to read.
            if let label = tables.userAgentLabels[text] {
                isBot = isBot || label == PurposeTables.botLabel
                continue
            }
            // The count is a loop: a lazy sequence would hold on to the array, and each append copy it.
            var (others, isKnown) = (0, false)
            for other in agents where other.field == agent.field {
                others += 1
                isKnown = isKnown || document.bytes(other.node).elementsEqual(text)
            }
            if isKnown { continue }
            guard others < IntakeLimits.userAgentsPerBatch else {
                return .invalid(
                    at: index ?? -1,
                    RefusalDetail(pointer: Self.pointer(toFieldsOf: index ?? -1), field: tables.fieldList[agent.field]))
            }
            agents.append((agent.field, node))
            guard let code = agent.bucketings[0].code(of: text, atOnce: isHurried) else {
                isLaborious = true
                continue
            }
            isBot = isBot || code.isBot
            guard index == nil else { continue }
            for (dimension, bucketing) in zip(agent.dimensions, agent.bucketings) {
                contextBuckets[dimension] = bucketing.bucket(code)
            }
        }
        return nil
    }

    // MARK: Explaining refusals

    /// True if this batch's answer explains another refusal.
    var saysMore: Bool { details.count < IntakeLimits.detailsPerBatch }

    /// Keeps the explanation of a refusal, for the first few of a batch.
    @discardableResult mutating func note(_ refusal: BatchAnswer.Refusal, of index: Int) -> RefusalReason {
        if saysMore {
            details[index] = BatchAnswer.Refusal(index: index, reason: refusal.reason, detail: refusal.detail)
        }
        return refusal.reason
    }

    mutating func refuse(
        odd event: OddEvent, at index: Int, in document: JSONDocument, tables: PurposeTables
    ) -> RefusalReason {
        let field = event.key.flatMap { tables.fieldNames[document.bytes($0)] }.map { tables.fieldList[$0] }
        return note(
            .invalid(
                at: index,
                RefusalDetail(
                    pointer: "/events/\(index)\(event.pointer)", member: event.member, field: field,
                    expected: event.expected)), of: index)
    }

    mutating func refuse(
        unknownEvent event: WireEvent, at index: Int, in document: JSONDocument, tables: PurposeTables
    ) -> RefusalReason {
        guard saysMore else { return .unknownEvent }
        let nearest = Self.nearest(to: document.bytes(event.name), among: tables.eventList)
        return note(
            .init(
                index: index, reason: .unknownEvent,
                detail: RefusalDetail(pointer: "/events/\(index)/event", nearest: nearest)), of: index)
    }

    mutating func refuse(
        noNumber source: FieldSource, at index: Int, in document: JSONDocument, tables: PurposeTables
    ) -> RefusalReason {
        guard saysMore, case .field(let number) = source else { return .invalidValue }
        let found = Self.shape(of: fieldValue(number, in: document))
        let detail = RefusalDetail(
            pointer: Self.pointer(toFieldsOf: index), field: tables.fieldList[number], found: found)
        return note(.invalid(at: index, detail), of: index)
    }

    /// The kind of a value that should be a number, out of a closed list.
    private static func shape(of value: FieldValue) -> String {
        switch value {
        case .missing: "nothing"
        case .flag: "true or false"
        case .integer, .number: "a number"
        case .text(let text): text.bytes.contains(UInt8(ascii: ",")) ? "text with a comma" : "text"
        }
    }

    private static func pointer(toFieldsOf index: Int) -> String { index < 0 ? "/context" : "/events/\(index)/fields" }

    /// Returns the name that was likely meant; nil if nothing similar is known, or if the text is too long to be a name.
    private static func nearest(to written: UnsafeBufferPointer<UInt8>, among known: [String]) -> String? {
        guard written.count <= longestName else { return nil }
        return NearestName.nearest(to: String(decoding: written, as: UTF8.self), among: known)
    }

    /// The most bytes of a misspelt name that is corrected. Unit: bytes.
    private static let longestName = 40

    /// Looks up the hashes of an event, once for all of its metrics. False if one of their fields holds anything else:
    /// a careless client must not hand in values as they are.
    mutating func readRevealed(
        _ dimensions: [Int], ofEvent index: Int, in document: JSONDocument, tables: PurposeTables
    ) -> Bool {
        for place in dimensions {
            let dimension = tables.revealed[place]
            revealedBuckets[place] = dimension.most
            switch fieldValue(dimension.field, in: document) {
            case .missing: continue
            case .text(let text):
                guard let hash = RevealedHash(wire: text.bytes) else { return false }
                // The client's plan is from before the evaluator, or from after it: the hash is ignored.
                guard hash.isEvaluated == (dimension.evaluator != nil) else { continue }
                if let slot = vocabulary.slots[place][hash] {
                    revealedBuckets[place] = slot
                } else {
                    candidates.append(RevealCandidate(event: index, dimension: dimension.name, hash: hash))
                }
            case .integer, .number, .flag: return false
            }
        }
        return true
    }

    /// Reads the firsts that an event claims to be: `{"METRIC": {"day": [[], ["os"]], "week": [[]]}}`, groupings by their dimensions.
    ///
    /// - Parameter firsts: the node of an object; its masks go to `masks`, one a metric that counts the event.
    /// - Returns: false if a metric counts no firsts or not this event, or if it lacks a length of time or a grouping.
    static func take(firsts: Int, of document: JSONDocument, event: EventTables, into masks: inout [FirstSet]) -> Bool {
        masks.removeAll(keepingCapacity: true)
        masks.append(contentsOf: repeatElement(.none, count: event.metrics.count))
        var metric = firsts + 1
        for _ in 0..<document.count(firsts) {
            guard let asked = event.firsts, let known = asked.names[document.bytes(metric)],
                document.isObject(metric + 1)
            else { return false }
            let (place, layout) = (asked.metrics[known].place, asked.metrics[known].layout)
            var period = metric + 2
            for _ in 0..<document.count(metric + 1) {
                guard let length = layout.place(ofPeriod: document.bytes(period)), document.isArray(period + 1) else {
                    return false
                }
                var grouping = period + 2
                for _ in 0..<document.count(period + 1) {
                    guard let margin = asked.metrics[known].margin(named: grouping, in: document),
                        let number = layout.groupings.firstIndex(of: margin)
                    else { return false }
                    masks[place].insert(layout.place(period: length, grouping: number))
                    grouping = document.next(grouping)
                }
                period = document.next(period + 1)
            }
            metric = document.next(metric + 1)
        }
        return true
    }
}

extension BatchAnswer.Refusal {
    static func invalid(at index: Int, _ detail: RefusalDetail) -> Self {
        .init(index: index, reason: .invalidValue, detail: detail)
    }
}

extension EventFirsts.Asked {
    /// Returns the margin that keeps the dimensions in a list; nil if the node is not a list of its dimensions.
    fileprivate func margin(named list: Int, in document: JSONDocument) -> Margin? {
        guard document.isArray(list) else { return nil }
        var margin = Margin.total
        var name = list + 1
        for _ in 0..<document.count(list) {
            guard document.isString(name), let place = dimensions[document.bytes(name)] else { return nil }
            margin = margin.union(Margin(keeping: [place]))
            name = document.next(name)
        }
        return margin
    }
}

extension FirstsLayout {
    /// Returns the place of a length of time among the periods, by its name; nil if there is none.
    fileprivate func place(ofPeriod name: UnsafeBufferPointer<UInt8>) -> Int? {
        periods.firstIndex { name.elementsEqual($0.rawValue.utf8) }
    }
}
