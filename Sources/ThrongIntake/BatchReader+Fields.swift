internal import ThrongPlan
internal import ThrongWire

extension BatchReader {
    /// Notes where the context's fields lie; says why not where one is not planned or no scalar.
    mutating func take(context: Int, of document: JSONDocument, tables: PurposeTables) -> BatchAnswer.Refusal? {
        Self.take(context, of: document, at: -1, tables: tables, allows: nil, saysMore: true, into: &contextNodes)
            ?? noteUserAgents(contextNodes, of: nil, in: document, tables: tables)
    }

    /// Notes where an object's fields lie; says why not where one is not planned or no scalar.
    ///
    /// - Parameters:
    ///   - index: the event's place; -1 for the context.
    ///   - saysMore: whether it looks for what was meant.
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

    /// Notes user agents that the batch has not had yet, before any of them is read. A batch comes from one device: it has
    /// one, or a few while its browser is brought up to date, and each may take milliseconds.
    ///
    /// - Parameters:
    ///   - nodes: by field number.
    ///   - index: the event's place; nil for the context.
    /// - Returns: why not, where there are too many.
    mutating func noteUserAgents(
        _ nodes: [Int], of index: Int?, in document: JSONDocument, tables: PurposeTables
    ) -> BatchAnswer.Refusal? {
        for (field, dimension) in tables.userAgents where nodes[field] >= 0 && document.isString(nodes[field]) {
            let text = document.bytes(nodes[field])
            // There are few of them, and none is hard to read.
            if let label = tables.userAgentLabels[text] {
                isBot = isBot || label == PurposeTables.botLabel
                continue
            }
            // Counted in a loop: a lazy sequence would hold on to the array, and each append copy it.
            var (others, isKnown) = (0, false)
            for agent in agents where agent.dimension == dimension {
                others += 1
                isKnown = isKnown || document.bytes(agent.node).elementsEqual(text)
            }
            if isKnown { continue }
            guard others < IntakeLimits.userAgentsPerBatch else {
                return .invalid(
                    at: index ?? -1,
                    RefusalDetail(pointer: Self.pointer(toFieldsOf: index ?? -1), field: tables.fieldList[field]))
            }
            agents.append((dimension, nodes[field]))
            let value = value(of: nodes[field], in: document)
            if let found = tables.dimensions[dimension].bucketing.isBot(value, atOnce: isHurried) {
                isBot = isBot || found
            } else {
                isLaborious = true
            }
        }
        return nil
    }

    // MARK: Saying where

    /// Whether this batch's answer says more of another refusal.
    var saysMore: Bool { details.count < IntakeLimits.detailsPerBatch }

    /// Keeps what is known of a refusal, for the first few of a batch.
    @discardableResult
    mutating func note(_ refusal: BatchAnswer.Refusal, of index: Int) -> RefusalReason {
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
                    expected: event.expected)),
            of: index)
    }

    mutating func refuse(
        unknownEvent event: WireEvent, at index: Int, in document: JSONDocument, tables: PurposeTables
    ) -> RefusalReason {
        guard saysMore else { return .unknownEvent }
        let nearest = Self.nearest(to: document.bytes(event.name), among: tables.eventList)
        return note(
            .init(
                index: index, reason: .unknownEvent,
                detail: RefusalDetail(pointer: "/events/\(index)/event", nearest: nearest)),
            of: index)
    }

    mutating func refuse(noNumber source: FieldSource, at index: Int, tables: PurposeTables) -> RefusalReason {
        var field: String?
        if case .field(let number) = source { field = tables.fieldList[number] }
        return note(
            .invalid(at: index, RefusalDetail(pointer: Self.pointer(toFieldsOf: index), field: field)), of: index)
    }

    private static func pointer(toFieldsOf index: Int) -> String { index < 0 ? "/context" : "/events/\(index)/fields" }

    /// The name that was likely meant; looked for only where a name could have been.
    private static func nearest(to written: UnsafeBufferPointer<UInt8>, among known: [String]) -> String? {
        guard written.count <= longestName else { return nil }
        return NearestName.nearest(to: String(decoding: written, as: UTF8.self), among: known)
    }

    /// Of what is taken for a slip of a name. Unit: bytes.
    private static let longestName = 40

    /// Looks up the hashes of an event, once for all of its metrics; false where one of their fields holds anything else:
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
                // Of a client with a plan from before the evaluator, or after it: it is looked at no further.
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
}

extension BatchAnswer.Refusal {
    static func invalid(at index: Int, _ detail: RefusalDetail) -> Self {
        .init(index: index, reason: .invalidValue, detail: detail)
    }
}
