internal import CSimdJSON
internal import ThrongCounting
internal import ThrongPlan
internal import ThrongWire

/// Reads one batch at a time; keeps its buffers from one to the next.
///
/// It holds no value of a client between two calls: the parser's buffers are overwritten by the next document, and the
/// arrays here hold node numbers and buckets.
///
/// Unchecked: a reader is either in the pool of ``Intake``, behind its mutex, or in the hands of the one call that took
/// it out; nothing else refers to its parser.
struct BatchReader: @unchecked Sendable {
    let limits: IntakeLimits
    private let parser: JSONParser
    /// By field number: the context's node, or -1.
    var contextNodes: [Int] = []
    /// By field number: the event's node, or -1.
    private var eventNodes: [Int] = []
    /// By dimension: the bucket that the context gives, or -1 where it was not asked for yet.
    private var contextBuckets: [Int] = []
    /// By metric of an event: which firsts it says it is.
    private var firsts: [FirstSet] = []
    private var timestamps = TimestampReader()
    private var periods: [PeriodKind: Period] = [:]
    /// By revealed dimension: the bucket of the event that is being read.
    var revealedBuckets: [Int] = []
    /// What hashes mean in the window of the batch that is being read.
    var vocabulary = WindowVocabulary(slots: [])
    /// Hashes of the batch that is being read; handed over with it.
    var candidates: [RevealCandidate] = []
    /// What the events of the batch that is being read are to metrics that count identifiers.
    var marks: [BucketedBatch.Mark] = []
    /// User agents of the batch that is being read, none twice for a dimension that reads them.
    var agents: [(dimension: Int, node: Int)] = []
    /// Whether others wait for the thread that reads.
    var isHurried = false
    /// Whether one of the user agents takes long to read, and there is no time for it.
    var isLaborious = false
    /// Whether one of the user agents is a bot's.
    var isBot = false
    /// By place, what is known of refusals of the batch that is being read.
    var details: [Int: BatchAnswer.Refusal] = [:]
    /// By event name, the last run of contributions that an event without fields of its own came to.
    private var runs: [Run] = []

    /// What events of one name add that have no fields of their own and happen once.
    private struct Run {
        var contributions: Range<Int32>
        var marks = 0..<0
        /// The instants at which it is the same: within one period of each metric.
        var instants: Range<UnixSeconds>

        static let none = Run(contributions: 0..<0, instants: .epoch ..< .epoch)
    }

    init?(limits: IntakeLimits) {
        guard let parser = JSONParser(depth: limits.depth, stringBytes: limits.stringBytes) else { return nil }
        self.parser = parser
        self.limits = limits
    }

    mutating func read(
        _ body: UnsafeBufferPointer<UInt8>,
        apps: [AppTables],
        appNames: ByteTable,
        vocabulary: RevealedVocabulary,
        keys: AppKeyRing?,
        signals: Set<OptOutSignal>,
        bearer: String?,
        now: UnixSeconds,
        use: IntakeUse,
        isSealed: Bool
    ) throws(IntakeError) -> IntakeOutcome? {
        let document = try parser.parseWithFlaws(body)
        let envelope = try Envelope(document, limits: limits, use: use)
        guard let appPlace = appNames[document.bytes(envelope.app)] else { throw .unknownApp }
        let app = apps[appPlace]
        guard let purposePlace = app.purposeNames[document.bytes(envelope.purpose)] else { throw .unknownPurpose }
        let tables = app.purposes[purposePlace]
        if use == .counting { try tables.checkWay(isSealed: isSealed) }
        let shown = ShownKeys(
            key: envelope.key.map { String(decoding: document.bytes($0), as: UTF8.self) }, bearer: bearer,
            isCounted: use == .counting)
        let isBackend = try keys?.admit(shown, to: app.senderTerms(of: tables)) ?? false
        try envelope.check(tables.purpose, use: use)
        let current = tables.purpose.rotation.window(at: now)
        let number = envelope.window ?? current.value
        let isCurrent = (current.value - 1...current.value + 1).contains(number)
        let window = WindowID(
            app: app.name,
            purpose: tables.purpose.name,
            rotation: tables.purpose.rotation,
            number: WindowNumber(number))
        func refused(_ reason: RefusalReason) -> BatchAnswer {
            BatchAnswer(
                accepted: 0,
                refused: (0..<document.count(envelope.events)).map { .init(index: $0, reason: reason) })
        }
        if !tables.purpose.refusedBy.isDisjoint(with: signals) {
            var sender: OptedOutSender?
            if isCurrent, tables.countsIdentifiers, let node = envelope.identifier {
                sender = OptedOutSender(
                    window: window, identifier: RawIdentifier(document.bytes(node)),
                    isOfDesk: tables.purpose.needsProof)
            }
            return .optedOut(refused(.optedOut), app: app.name, of: sender)
        }
        // Whoever only looks what would be counted has agreed to nothing.
        let agreed = envelope.consentVersion ?? (use == .preview ? Int64.max : 1)
        if tables.purpose.needsConsent, agreed < tables.purpose.consentVersion {
            return .consentOutdated(refused(.consentOutdated), app: app.name)
        }
        guard isCurrent else { throw .windowOutOfRange(current: current.value) }
        periods.removeAll(keepingCapacity: true)
        if !tables.revealed.isEmpty {
            self.vocabulary = vocabulary.hashes(of: tables.revealed, in: window)
            Self.reset(&revealedBuckets, count: tables.revealed.count)
        }
        defer {
            candidates = []
            details = [:]
        }
        let bucketed = bucket(
            document, envelope: envelope, window: window, tables: tables, calendar: app.calendar, now: now)
        guard let bucketed else { return nil }
        let identifier = envelope.identifier.map { RawIdentifier(document.bytes($0)) } ?? .none
        return .batch(
            IncomingBatch(
                bucketed: bucketed, identifier: identifier, isBackend: isBackend,
                floorPerNetwork: tables.purpose.floorPerNetwork,
                proof: tables.purpose.needsProof ? try Self.proof(in: document, envelope) : nil,
                candidates: candidates, details: details, isBot: isBot, isOfDesk: tables.purpose.needsProof))
    }

    private static func proof(
        in document: JSONDocument, _ envelope: Envelope
    ) throws(IntakeError) -> IdentifierProof? {
        guard let proof = envelope.proof, let identifier = envelope.identifier else { return nil }
        guard let read = IdentifierProof(document.bytes(proof), of: document.bytes(identifier)) else {
            throw .wrongShape(pointer: "/proof", expected: "base64url without padding, and so is the id that it proves")
        }
        return read
    }

    // MARK: Bucketing

    /// Forgets what was found in the last batch.
    private mutating func begin(_ tables: PurposeTables) {
        Self.reset(&contextNodes, count: tables.fieldCount)
        Self.reset(&contextBuckets, count: tables.dimensions.count)
        agents.removeAll(keepingCapacity: true)
        (isLaborious, isBot) = (false, false)
        marks.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        runs.append(contentsOf: repeatElement(.none, count: tables.events.count))
    }

    /// - Returns: nil for a batch that takes long, if there is no time for it.
    private mutating func bucket(
        _ document: JSONDocument, envelope: Envelope, window: WindowID, tables: PurposeTables, calendar: PeriodCalendar,
        now: UnixSeconds
    ) -> BucketedBatch? {
        begin(tables)
        let contextRefusal = envelope.context.flatMap { take(context: $0, of: document, tables: tables) }
        if isLaborious { return nil }
        // Not asked of the refusal for each event: that takes longer than all else that an event like the one before it does.
        let isPlanned = contextRefusal == nil
        let count = document.count(envelope.events)
        var events: [BucketedBatch.Event] = []
        events.reserveCapacity(count)
        var contributions: [BucketedBatch.Contribution] = []
        contributions.reserveCapacity(count * 2)
        var amounts: [Int64] = []
        var repeats: [Int32] = []
        repeats.reserveCapacity(count * 2)
        var node = envelope.events + 1
        for _ in 0..<count {
            defer { node = document.next(node) }
            let event: WireEvent
            do throws(OddEvent) {
                event = try WireEvent(document, node: node, limits: limits, timestamps: &timestamps)
            } catch {
                let refusal = refuse(odd: error, at: events.count, in: document, tables: tables)
                events.append(.init(refusal: refusal, contributions: 0..<0))
                continue
            }
            let place = isPlanned ? tables.eventNames[document.bytes(event.name)] : nil
            let isPlain = event.fields == nil && event.firsts == nil && event.count == 1
            if isPlain, let place, runs[place].instants.contains(event.at) {
                let contributions = runs[place].contributions
                for contribution in contributions { repeats[Int(contribution)] += 1 }
                if !runs[place].marks.isEmpty { repeatMarks(runs[place].marks, at: events.count) }
                events.append(.init(refusal: nil, contributions: contributions))
                continue
            }
            let first = Int32(contributions.count)
            let firstAmount = amounts.count
            let firstCandidate = candidates.count
            let firstMark = marks.count
            var refusal: RefusalReason?
            if !isPlanned, let contextRefusal {
                refusal = note(contextRefusal, of: events.count)
            } else {
                refusal = add(
                    event, at: events.count, named: place, of: document, tables: tables, calendar: calendar, now: now,
                    to: &contributions, &amounts)
                if isLaborious { return nil }
            }
            if refusal != nil {
                contributions.removeLast(contributions.count - Int(first))
                amounts.removeLast(amounts.count - firstAmount)
                candidates.removeLast(candidates.count - firstCandidate)
                marks.removeLast(marks.count - firstMark)
            }
            let run = first..<Int32(contributions.count)
            repeats.append(contentsOf: repeatElement(1, count: run.count))
            events.append(.init(refusal: refusal, contributions: run))
            if isPlain, refusal == nil, let place {
                runs[place] = Run(
                    contributions: run, marks: firstMark..<marks.count,
                    instants: instants(around: event.at, of: tables.events[place], calendar: calendar, now: now))
            }
        }
        return BucketedBatch(
            id: envelope.batch, window: window, events: events, contributions: contributions, amounts: amounts,
            repeats: repeats, marks: marks)
    }

    /// The instants around one at which an event without fields of its own adds the same.
    private mutating func instants(
        around instant: UnixSeconds, of event: EventTables, calendar: PeriodCalendar, now: UnixSeconds
    ) -> Range<UnixSeconds> {
        guard !event.dependsOnTime else { return .epoch ..< .epoch }
        var first = now - IntakeLimits.oldestEvent
        var end = now + IntakeLimits.newestEvent + 1
        func confine(to kind: PeriodKind, until expires: UnixSeconds) {
            let period = period(kind, at: instant, calendar: calendar)
            first = max(first, period.start)
            end = min(end, period.end)
            if instant < expires { end = min(end, expires) } else { first = max(first, expires) }
        }
        for metric in event.metrics { confine(to: metric.period, until: metric.expires) }
        for metric in event.windows?.metrics ?? [] { confine(to: metric.period, until: metric.expires) }
        return first..<max(first, end)
    }

    /// Adds what one event contributes, or says why it contributes nothing.
    private mutating func add(
        _ event: WireEvent,
        at index: Int,
        named place: Int?,
        of document: JSONDocument,
        tables: PurposeTables,
        calendar: PeriodCalendar,
        now: UnixSeconds,
        to contributions: inout [BucketedBatch.Contribution],
        _ amounts: inout [Int64]
    ) -> RefusalReason? {
        guard let place else { return refuse(unknownEvent: event, at: index, in: document, tables: tables) }
        let eventTables = tables.events[place]
        if event.at < now - IntakeLimits.oldestEvent { return .tooOld }
        if event.at > now + IntakeLimits.newestEvent { return .inTheFuture }
        Self.reset(&eventNodes, count: tables.fieldCount)
        if let fields = event.fields,
            let refusal = Self.take(
                fields, of: document, at: index, tables: tables, allows: eventTables.allows, saysMore: saysMore,
                into: &eventNodes)
                ?? noteUserAgents(eventNodes, of: index, in: document, tables: tables)
        {
            return note(refusal, of: index)
        }
        if !eventTables.revealed.isEmpty,
            !readRevealed(eventTables.revealed, ofEvent: index, in: document, tables: tables)
        {
            return note(.invalid(at: index, RefusalDetail(pointer: "/events/\(index)/fields")), of: index)
        }
        if let firsts = event.firsts,
            !Self.take(firsts: firsts, of: document, event: eventTables, into: &self.firsts)
        {
            return note(.invalid(at: index, RefusalDetail(pointer: "/events/\(index)/firsts")), of: index)
        }
        var isExpired = true
        for (place, metric) in eventTables.metrics.enumerated()
        where event.at < metric.expires && now < metric.expires {
            isExpired = false
            let firstAmount = Int32(amounts.count)
            for sum in metric.sums {
                guard let value = number(sum.source, of: event, in: document) else {
                    return refuse(noNumber: sum.source, at: index, tables: tables)
                }
                amounts.append(sum.measure.quantum(of: value))
            }
            var cell: UInt32 = 0
            for axis in metric.dimensions {
                let bucket = bucket(axis.dimension, of: event, tables: tables, document: document)
                cell += UInt32(bucket) * axis.stride
            }
            if metric.impossible?.contains(CellIndex(cell)) == true { return .impossibleCombination }
            contributions.append(
                .init(
                    metric: metric.ordinal,
                    cell: CellIndex(cell),
                    periodStart: period(metric.period, at: event.at, calendar: calendar).start,
                    count: event.count,
                    firstAmount: firstAmount,
                    firsts: event.firsts == nil ? .none : firsts[place]))
        }
        if let windows = eventTables.windows,
            mark(
                event, at: index, for: windows, of: document, tables: tables, calendar: calendar, now: now)
        {
            isExpired = false
        }
        return isExpired ? .metricExpired : nil
    }

    mutating func bucket(
        _ place: Int, of event: WireEvent, tables: PurposeTables, document: JSONDocument
    ) -> Int {
        // No copy of what a dimension holds: that would be counted up and down for each event.
        switch tables.dimensions[place].source {
        case .time:
            return tables.dimensions[place].bucketing.bucket(.integer(event.at.value))
        case .event:
            return tables.dimensions[place].bucketing.bucket(value(of: event.name, in: document))
        case .revealed(let dimension):
            return revealedBuckets[dimension]
        case .field(let field):
            if eventNodes[field] >= 0 {
                return tables.dimensions[place].bucketing.bucket(value(of: eventNodes[field], in: document))
            }
            if contextBuckets[place] < 0 {
                contextBuckets[place] = tables.dimensions[place].bucketing.bucket(
                    value(of: contextNodes[field], in: document))
            }
            return contextBuckets[place]
        }
    }

    /// A field's value: the event's, else the context's.
    func fieldValue(_ field: Int, in document: JSONDocument) -> FieldValue {
        value(of: eventNodes[field] >= 0 ? eventNodes[field] : contextNodes[field], in: document)
    }

    private func number(_ source: FieldSource, of event: WireEvent, in document: JSONDocument) -> Double? {
        guard case .field(let field) = source else { return nil }
        let node = eventNodes[field] >= 0 ? eventNodes[field] : contextNodes[field]
        return node < 0 ? nil : document.number(node)
    }

    func value(of node: Int, in document: JSONDocument) -> FieldValue {
        guard node >= 0 else { return .missing }
        switch document.kind(node) {
        case THRONG_JSON_STRING: return .text(FieldText(document.bytes(node)))
        case THRONG_JSON_INTEGER: return .integer(document.nodes[node].value.integer)
        case THRONG_JSON_NUMBER: return .number(document.nodes[node].value.number)
        case THRONG_JSON_TRUE: return .flag(true)
        case THRONG_JSON_FALSE: return .flag(false)
        default: return .missing
        }
    }

    mutating func period(_ kind: PeriodKind, at time: UnixSeconds, calendar: PeriodCalendar) -> Period {
        if let known = periods[kind], known.start <= time, time < known.end { return known }
        let period = calendar.period(kind, containing: time)
        periods[kind] = period
        return period
    }

    private static func reset(_ numbers: inout [Int], count: Int) {
        numbers.removeAll(keepingCapacity: true)
        numbers.append(contentsOf: repeatElement(-1, count: count))
    }
}
