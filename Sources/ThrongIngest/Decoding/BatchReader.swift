internal import CSimdJSON
internal import ThrongPlan
internal import ThrongWire

/// Reads one batch at a time, and reuses its buffers for the next.
///
/// It holds no value of a client between two calls. The parser's buffers are overwritten by the next document, and the
/// arrays here hold node numbers, buckets and periods of the app's calendar.
struct BatchReader {
    let limits: IntakeLimits
    private let parser: JSONParser
    /// The context's nodes, by field number; -1 for an absent field.
    var contextNodes: [Int] = []
    /// The event's nodes, by field number; -1 for an absent field.
    private var eventNodes: [Int] = []
    /// The buckets that the context gives, by dimension; -1 if not computed yet.
    var contextBuckets: [Int] = []
    /// The firsts that the event claims to be, by metric of the event.
    private var firsts: [FirstSet] = []
    private var timestamps = TimestampReader()
    /// The period that was computed last, by rank of its kind, for ``app``.
    private var periods = Self.noPeriods
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
    /// The user agents of the current batch, without repeats within a dimension that reads them.
    var agents: [(dimension: Int, node: Int)] = []
    /// True if other work waits for the thread that reads.
    var isHurried = false
    /// True if a user agent takes long to read, and there is no time for it.
    var isLaborious = false
    /// True if a user agent is a bot's.
    var isBot = false
    /// The explanations of the current batch's refusals, by event place.
    var details: [Int: BatchAnswer.Refusal] = [:]
    /// The last reusable run of contributions, by event name.
    private var runs: [Run] = []

    /// The contributions of an event that has no fields of its own and happens once.
    private struct Run {
        var contributions: Range<Int32>
        var marks = 0..<0
        /// The instants at which the run is the same: within one period of each metric.
        var instants: Range<UnixSeconds>

        static let none = Run(contributions: 0..<0, instants: .epoch ..< .epoch)
    }

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
        guard let bucketed = bucket(document, envelope: envelope, window: window, tables: tables, now: now) else {
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

    /// Forgets the results for the last batch.
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
        _ document: JSONDocument, envelope: Envelope, window: WindowID, tables: PurposeTables, now: UnixSeconds
    ) -> BucketedBatch? {
        begin(tables)
        let contextRefusal = envelope.context.flatMap { take(context: $0, of: document, tables: tables) }
        if isLaborious { return nil }
        // A flag, as comparing the refusal for each event takes longer than all else that a repeated event does.
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
                    event, at: events.count, named: place, of: document, tables: tables, now: now, to: &contributions,
                    &amounts)
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
            // The last event of the batch needs no run: no event follows that could repeat it.
            if isPlain, refusal == nil, let place, events.count < count {
                runs[place] = Run(
                    contributions: run, marks: firstMark..<marks.count,
                    instants: instants(around: event.at, of: place, tables: tables, now: now))
            }
        }
        return BucketedBatch(
            id: envelope.batch, window: window, events: events, contributions: contributions, amounts: amounts,
            repeats: repeats, marks: marks)
    }

    /// Returns the instants around `instant` at which an event without fields of its own adds the same.
    ///
    /// - Parameter place: the event's place among the purpose's.
    private mutating func instants(
        around instant: UnixSeconds, of place: Int, tables: PurposeTables, now: UnixSeconds
    ) -> Range<UnixSeconds> {
        guard !tables.events[place].dependsOnTime else { return .epoch ..< .epoch }
        var first = now - IntakeLimits.oldestEvent
        var end = now + IntakeLimits.newestEvent + 1
        func confine(to kind: PeriodKind, until expires: UnixSeconds) {
            let period = period(kind, at: instant, of: tables)
            first = max(first, period.start)
            end = min(end, period.end)
            if instant < expires { end = min(end, expires) } else { first = max(first, expires) }
        }
        for metric in tables.events[place].metrics { confine(to: metric.period, until: metric.expires) }
        if let windows = tables.events[place].windows {
            for metric in windows.metrics { confine(to: metric.period, until: metric.expires) }
        }
        return first..<max(first, end)
    }

    /// Adds the contributions of one event, or returns the reason why it has none.
    private mutating func add(
        _ event: WireEvent, at index: Int, named place: Int?, of document: JSONDocument, tables: PurposeTables,
        now: UnixSeconds, to contributions: inout [BucketedBatch.Contribution], _ amounts: inout [Int64]
    ) -> RefusalReason? {
        guard let place else { return refuse(unknownEvent: event, at: index, in: document, tables: tables) }
        // The event's tables are not copied into a variable: that would cost reference counting for each event.
        if event.at < now - IntakeLimits.oldestEvent { return .tooOld }
        if event.at > now + IntakeLimits.newestEvent { return .inTheFuture }
        Self.reset(&eventNodes, count: tables.fieldCount)
        if let fields = event.fields,
            let refusal = Self.take(
                fields, of: document, at: index, tables: tables, allows: tables.events[place].allows,
                saysMore: saysMore, into: &eventNodes)
                ?? noteUserAgents(eventNodes, of: index, in: document, tables: tables)
        {
            return note(refusal, of: index)
        }
        if !tables.events[place].revealed.isEmpty,
            !readRevealed(tables.events[place].revealed, ofEvent: index, in: document, tables: tables)
        {
            return note(.invalid(at: index, RefusalDetail(pointer: "/events/\(index)/fields")), of: index)
        }
        if let firsts = event.firsts,
            !Self.take(firsts: firsts, of: document, event: tables.events[place], into: &self.firsts)
        {
            return note(.invalid(at: index, RefusalDetail(pointer: "/events/\(index)/firsts")), of: index)
        }
        var isExpired = true
        for (metricPlace, metric) in tables.events[place].metrics.enumerated()
        where event.at < metric.expires && now < metric.expires {
            isExpired = false
            let firstAmount = Int32(amounts.count)
            for sum in metric.sums {
                guard let value = number(sum.source, of: event, in: document) else {
                    return refuse(noNumber: sum.source, at: index, in: document, tables: tables)
                }
                amounts.append(sum.measure.quantum(of: value))
            }
            var cell = metric.base
            for axis in metric.dimensions {
                let bucket = bucket(axis.dimension, of: event, tables: tables, document: document)
                cell += UInt32(bucket) * axis.stride
            }
            if metric.impossible?.contains(CellIndex(cell)) == true { return .impossibleCombination }
            contributions.append(
                .init(
                    metric: metric.ordinal, cell: CellIndex(cell),
                    periodStart: period(metric.period, at: event.at, of: tables).start, count: event.count,
                    firstAmount: firstAmount, firsts: event.firsts == nil ? .none : firsts[metricPlace]))
        }
        if let windows = tables.events[place].windows,
            mark(event, at: index, for: windows, of: document, tables: tables, now: now)
        {
            isExpired = false
        }
        return isExpired ? .metricExpired : nil
    }

    mutating func bucket(_ place: Int, of event: WireEvent, tables: PurposeTables, document: JSONDocument) -> Int {
        let dimension = tables.dimensions[place]
        switch dimension.source {
        case .time: return dimension.bucketing.bucket(.integer(event.at.value))
        case .event: return dimension.bucketing.bucket(value(of: event.name, in: document))
        case .revealed(let place): return revealedBuckets[place]
        case .field(let field):
            if eventNodes[field] >= 0 {
                return dimension.bucketing.bucket(value(of: eventNodes[field], in: document))
            }
            if contextBuckets[place] < 0 {
                contextBuckets[place] = dimension.bucketing.bucket(value(of: contextNodes[field], in: document))
            }
            return contextBuckets[place]
        }
    }

    /// Returns a field's value: the event's, or else the context's.
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

    mutating func period(_ kind: PeriodKind, at time: UnixSeconds, of tables: PurposeTables) -> Period {
        if let known = periods[kind.rank], known.start <= time, time < known.end { return known }
        let period = tables.calendar.period(kind, containing: time)
        periods[kind.rank] = period
        return period
    }

    private static func reset(_ numbers: inout [Int], count: Int) {
        numbers.removeAll(keepingCapacity: true)
        numbers.append(contentsOf: repeatElement(-1, count: count))
    }
}
