internal import ThrongPlan
internal import ThrongWire

extension BatchReader {
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
}

extension BatchAnswer.Refusal {
    static func invalid(at index: Int, _ detail: RefusalDetail) -> Self {
        .init(index: index, reason: .invalidValue, detail: detail)
    }
}
