internal import CSimdJSON
internal import ThrongPlan

extension BatchReader {
    /// The contributions of the last event of one name that happens once and claims no firsts, as far as they don't follow
    /// from fields of its own: the same for the next such event with the same fields.
    struct EventRun {
        var contributions: Range<Int32>
        var marks = 0..<0
        /// The fields that the event has, as ``MetricTables/fields``.
        var fields: UInt64 = 0
        /// The instants at which the run is the same: within one period of each metric.
        var instants: Range<UnixSeconds>
        /// The number of events that repeat it.
        var repeats: Int32 = 0

        static let none = EventRun(contributions: 0..<0, instants: .epoch ..< .epoch)

        func add(to repeated: inout [Int32]) { for place in contributions { repeated[Int(place)] += repeats } }
    }

    /// A batch's content as far as its events are read: see ``BucketedBatch``.
    private struct BucketedDraft {
        var events: [BucketedBatch.Event] = []
        var contributions: [BucketedBatch.Contribution] = []
        var amounts: [Int64] = []
        var repeats: [Int32] = []

        init(events count: Int) {
            events.reserveCapacity(count)
            contributions.reserveCapacity(min(count * 2, 64))
            repeats.reserveCapacity(min(count * 2, 64))
        }

        /// The place of the next contribution.
        var end: Int32 { Int32(contributions.count) }
    }

    /// A batch's document, and what its events are read by.
    private struct BatchScene {
        let document: JSONDocument
        let tables: PurposeTables
        let now: UnixSeconds
        /// True if an event may repeat what an earlier one adds.
        let hasRuns: Bool
        /// True if it may repeat a part. A preview shows what an event adds in the order of its metrics, so it does not.
        let hasParts: Bool
    }

    /// An event, its place in the batch, and the place of its name among the purpose's.
    private struct PlacedEvent {
        let event: WireEvent
        let index: Int
        let place: Int
    }

    /// Forgets the results for the last batch.
    private mutating func begin(_ tables: PurposeTables) {
        Self.reset(&contextNodes, count: tables.fieldCount)
        Self.reset(&eventNodes, count: tables.fieldCount)
        Self.reset(&contextBuckets, count: tables.dimensions.count)
        agents.removeAll(keepingCapacity: true)
        (hasEventNodes, isLaborious, isBot) = (false, false, false)
        marks.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
    }

    /// Buckets a batch's events.
    ///
    /// - Returns: nil for a batch that takes long, if there is no time for it.
    mutating func bucket(
        _ document: JSONDocument, _ envelope: Envelope, _ use: IntakeUse, window: WindowID, tables: PurposeTables,
        now: UnixSeconds
    ) -> BucketedBatch? {
        begin(tables)
        let contextRefusal = envelope.context.flatMap { take(context: $0, of: document, tables: tables) }
        if isLaborious { return nil }
        // A flag, as comparing the refusal for each event takes longer than all else that a repeated event does.
        let isPlanned = contextRefusal == nil
        let count = document.count(envelope.events)
        if count > 1 { runs.append(contentsOf: repeatElement(.none, count: tables.events.count)) }
        let scene = BatchScene(
            document: document, tables: tables, now: now, hasRuns: count > 1, hasParts: count > 1 && use == .counting)
        var draft = BucketedDraft(events: count)
        var next = envelope.events + 1
        for index in 0..<count {
            let node = next
            next = document.next(node)
            let event: WireEvent
            do throws(OddEvent) {
                event = try WireEvent(document, node: node, limits: limits, timestamps: &timestamps)
            } catch {
                let refusal = refuse(odd: error, at: index, in: document, tables: tables)
                draft.events.append(.init(refusal: refusal, contributions: 0..<0))
                continue
            }
            guard isPlanned, let place = tables.eventNames[document.bytes(event.name)] else {
                let refusal =
                    contextRefusal.map { note($0, of: index) }
                    ?? refuse(unknownEvent: event, at: index, in: document, tables: tables)
                draft.events.append(.init(refusal: refusal, contributions: draft.end..<draft.end))
                continue
            }
            if event.fields == nil, event.isSingle, count > 1,
                let run = repeated(place, fields: 0, by: index, at: event.at)
            {
                draft.events.append(.init(refusal: nil, contributions: run))
            } else if !add(PlacedEvent(event: event, index: index, place: place), in: scene, to: &draft) {
                return nil
            }
        }
        for run in runs { run.add(to: &draft.repeats) }
        return BucketedBatch(
            id: envelope.batch, window: window, events: draft.events, contributions: draft.contributions,
            amounts: draft.amounts, repeats: draft.repeats, marks: marks)
    }

    /// Adds one event to a draft; returns false if that takes long and there is no time for it.
    private mutating func add(_ placed: PlacedEvent, in scene: BatchScene, to draft: inout BucketedDraft) -> Bool {
        let (first, firstAmount) = (draft.end, draft.amounts.count)
        let (firstCandidate, firstMark) = (candidates.count, marks.count)
        var added = (shared: first..<first, own: Int32(0)..<Int32(0))
        var refusal = prepare(placed, in: scene)
        if isLaborious { return false }
        if refusal == nil {
            let own = scene.hasParts && hasEventNodes && placed.event.isSingle ? ownFields(placed, scene.tables) : 0
            refusal =
                own == 0
                ? addWhole(placed, in: scene, to: &draft) : addParts(placed, own, in: scene, to: &draft, &added)
            if own == 0 { added.shared = first..<draft.end }
        }
        if refusal != nil {
            draft.contributions.removeLast(draft.contributions.count - Int(first))
            draft.amounts.removeLast(draft.amounts.count - firstAmount)
            candidates.removeLast(candidates.count - firstCandidate)
            marks.removeLast(marks.count - firstMark)
            added = (first..<first, 0..<0)
        }
        draft.repeats.append(contentsOf: repeatElement(1, count: draft.contributions.count - draft.repeats.count))
        draft.events.append(.init(refusal: refusal, contributions: added.shared, own: added.own))
        return true
    }

    /// Returns the contributions of the last event of its name that an event repeats; nil if it does not.
    ///
    /// - Parameter fields: the event's own fields, as ``MetricTables/fields``.
    @inline(__always) private mutating func repeated(
        _ place: Int, fields: UInt64, by index: Int, at instant: UnixSeconds
    ) -> Range<Int32>? {
        let run = runs[place]
        guard run.fields == fields, run.instants.contains(instant) else { return nil }
        runs[place].repeats = run.repeats &+ 1
        if !run.marks.isEmpty { repeatMarks(run.marks, at: index) }
        return run.contributions
    }

    /// Returns the instants around an event's at which one without fields of its own adds the same.
    private mutating func instants(of placed: PlacedEvent, in scene: BatchScene) -> Range<UnixSeconds> {
        let (instant, place, tables, now) = (placed.event.at, placed.place, scene.tables, scene.now)
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

    /// Reads an event's fields and firsts; returns the reason if it is refused for them, or for its time.
    private mutating func prepare(_ placed: PlacedEvent, in scene: BatchScene) -> RefusalReason? {
        let (event, index, document, tables) = (placed.event, placed.index, scene.document, scene.tables)
        // The event's tables are not copied into a variable: that would cost reference counting for each event.
        if event.at < scene.now - IntakeLimits.oldestEvent { return .tooOld }
        if event.at > scene.now + IntakeLimits.newestEvent { return .inTheFuture }
        if hasEventNodes {
            for field in eventNodes.indices { eventNodes[field] = -1 }
            hasEventNodes = false
        }
        if let fields = event.fields {
            hasEventNodes = true
            let refusal =
                Self.take(
                    fields, of: document, at: index, tables: tables, allows: tables.events[placed.place].allows,
                    saysMore: saysMore, into: &eventNodes)
                ?? noteUserAgents(eventNodes, of: index, in: document, tables: tables)
            if let refusal { return note(refusal, of: index) }
        }
        if !tables.events[placed.place].revealed.isEmpty,
            !readRevealed(tables.events[placed.place].revealed, ofEvent: index, in: document, tables: tables)
        {
            return note(.invalid(at: index, RefusalDetail(pointer: "/events/\(index)/fields")), of: index)
        }
        if let firsts = event.firsts,
            !Self.take(firsts: firsts, of: document, event: tables.events[placed.place], into: &self.firsts)
        {
            return note(.invalid(at: index, RefusalDetail(pointer: "/events/\(index)/firsts")), of: index)
        }
        return nil
    }

    /// Returns the fields that an event has itself, as ``MetricTables/fields``, if only metrics that read them need be
    /// computed for it; 0 if all need be.
    private func ownFields(_ placed: PlacedEvent, _ tables: PurposeTables) -> UInt64 {
        guard tables.events[placed.place].hasParts else { return 0 }
        var own: UInt64 = 0
        for field in eventNodes.indices where eventNodes[field] >= 0 { own |= MetricTables.bit(of: field) }
        return own
    }

    /// Adds to all metrics of an event, or returns the reason why nothing is added.
    private mutating func addWhole(
        _ placed: PlacedEvent, in scene: BatchScene, to draft: inout BucketedDraft
    ) -> RefusalReason? {
        let (event, index, tables) = (placed.event, placed.index, scene.tables)
        let (first, firstMark) = (draft.end, marks.count)
        if let refusal = add(placed, in: scene, to: &draft, where: { _ in true }) { return refusal }
        var isExpired = draft.end == first
        if let windows = tables.events[placed.place].windows,
            mark(event, at: index, for: windows, of: scene.document, tables: tables, now: scene.now)
        {
            isExpired = false
        }
        guard !isExpired else { return .metricExpired }
        if event.fields == nil, event.isSingle, scene.hasRuns {
            keep(first..<draft.end, marks: firstMark..<marks.count, of: placed, in: scene, &draft)
        }
        return nil
    }

    /// Adds an event in two parts: what metrics get that read none of its fields, which earlier events may have added
    /// already, and what the others get. Returns the reason if nothing is added.
    private mutating func addParts(
        _ placed: PlacedEvent, _ fields: UInt64, in scene: BatchScene, to draft: inout BucketedDraft,
        _ added: inout (shared: Range<Int32>, own: Range<Int32>)
    ) -> RefusalReason? {
        let (event, place, first) = (placed.event, placed.place, draft.end)
        let known = repeated(place, fields: fields, by: placed.index, at: event.at)
        if known == nil, add(placed, in: scene, to: &draft, where: { $0 & fields == 0 }) != nil {
            // Of several reasons the first counts, in the order of metrics.
            details[placed.index] = nil
            return add(placed, in: scene, to: &draft, where: { _ in true })
        }
        added.shared = known ?? first..<draft.end
        let firstOwn = draft.end
        let refusal = add(placed, in: scene, to: &draft, where: { $0 & fields != 0 })
        added.own = firstOwn..<draft.end
        if refusal != nil || added.own.isEmpty && added.shared.isEmpty {
            if known != nil { runs[place].repeats -= 1 }
            return refusal ?? .metricExpired
        }
        if known == nil { keep(added.shared, fields, of: placed, in: scene, &draft) }
        if added.shared.isEmpty { added = (added.own, 0..<0) }
        return nil
    }

    private mutating func keep(
        _ contributions: Range<Int32>, _ fields: UInt64 = 0, marks: Range<Int> = 0..<0, of placed: PlacedEvent,
        in scene: BatchScene, _ draft: inout BucketedDraft
    ) {
        runs[placed.place].add(to: &draft.repeats)
        runs[placed.place] = EventRun(
            contributions: contributions, marks: marks, fields: fields, instants: instants(of: placed, in: scene))
    }

    /// Adds to an event's metrics whose fields are such and that have not expired, or returns the reason for a refusal.
    private mutating func add(
        _ placed: PlacedEvent, in scene: BatchScene, to draft: inout BucketedDraft, where reads: (UInt64) -> Bool
    ) -> RefusalReason? {
        let (event, document, tables) = (placed.event, scene.document, scene.tables)
        for (metricPlace, metric) in tables.events[placed.place].metrics.enumerated()
        where reads(metric.fields) && event.at < metric.expires && scene.now < metric.expires {
            let firstAmount = Int32(draft.amounts.count)
            for sum in metric.sums {
                guard let value = number(sum.source, in: document) else {
                    return refuse(noNumber: sum.source, at: placed.index, in: document, tables: tables)
                }
                draft.amounts.append(sum.quantum(of: value))
            }
            var cell = metric.base
            for axis in metric.dimensions {
                let bucket = bucket(axis.dimension, of: event, tables: tables, document: document)
                cell += UInt32(bucket) * axis.stride
            }
            if metric.impossible?.contains(CellIndex(cell)) == true { return .impossibleCombination }
            draft.contributions.append(
                .init(
                    metric: metric.ordinal, cell: CellIndex(cell),
                    periodStart: period(metric.period, at: event.at, of: tables).start, count: event.count,
                    firstAmount: firstAmount, firsts: event.firsts == nil ? .none : firsts[metricPlace]))
        }
        return nil
    }

    mutating func bucket(_ place: Int, of event: WireEvent, tables: PurposeTables, document: JSONDocument) -> Int {
        let dimension = tables.dimensions[place]
        switch dimension.source {
        case .time: return dimension.bucketing.bucket(.integer(event.at.value))
        case .event: return dimension.bucketing.bucket(value(of: event.name, in: document))
        case .revealed(let place): return revealedBuckets[place]
        case .field(let field):
            if eventNodes[field] >= 0 { return dimension.bucketing.bucket(value(of: eventNodes[field], in: document)) }
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

    private func number(_ source: FieldSource, in document: JSONDocument) -> Double? {
        guard case .field(let field) = source else { return nil }
        let node = eventNodes[field] >= 0 ? eventNodes[field] : contextNodes[field]
        return node < 0 ? nil : document.number(node)
    }

    func value(of node: Int, in document: JSONDocument) -> FieldValue {
        guard node >= 0 else { return .missing }
        switch document.kind(node) {
        case THRONG_JSON_STRING, THRONG_JSON_EVENT: return .text(FieldText(document.bytes(node)))
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

    static func reset(_ numbers: inout [Int], count: Int) {
        numbers.removeAll(keepingCapacity: true)
        numbers.append(contentsOf: repeatElement(-1, count: count))
    }
}
