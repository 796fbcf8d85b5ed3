extension PlanReader {
    private enum Partitions: String, CaseIterable { case devices }

    /// Reads one of `dimensions`. One that is made of another is only noted here, and read after that one.
    mutating func readDimension(_ part: Part) {
        checkColumn(part.name, at: part.place, part.value.subject)
        guard let body = body(of: part, PlanKeys.Dimension.self) else { return }
        let kinds = PlanKeys.Dimension.kinds.filter { body[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first, let value = body[kind] else {
            func list(_ kinds: [PlanKeys.Dimension]) -> String { kinds.map(\.rawValue).joined(separator: ", ") }
            let message =
                kinds.isEmpty
                ? "does not say how it coarsens its field; exactly one of \(list(PlanKeys.Dimension.kinds)) is allowed"
                : "coarsens its field in \(kinds.count) ways: \(list(kinds)); keep one"
            return problems.add(part.place, "\(body.subject) \(message)")
        }
        if kind == .of { return derivedBodies.append((part.name, body)) }
        if let groups = body.keyPlaces[.groups] {
            problems.add(groups, "\(body.subject): 'groups' goes with 'of' only; leave it out")
        }
        let title = words(.title, in: body, of: "dimensions.\(part.name)")
        let partitions: Partitions? = choice(body[.partitions])
        let field: FieldName? = name(body[.field], noun: "field")
        let bucketing = bucketingRule(kind, value)
        places.set(line: value.place.line, column: value.place.column, of: .dimension, named: "\(part.name).list")
        guard let field = checkedField(field, of: body, kind: kind) else { return }
        let isDoing = field == .event || [.time, .host, .route, .fileType, .revealed].contains(kind)
        if partitions != nil, isDoing {
            problems.add(
                body[.partitions]?.place,
                """
                \(body.subject): 'partitions: devices' is for what a device is; this says what it does, and one device \
                does many things: leave it out
                """)
        }
        guard let title, let bucketing else { return }
        buckets[DimensionName(part.name)] = bucketing.buckets
        dimensions.append(
            Dimension(
                name: DimensionName(part.name), title: title, field: field, rule: bucketing.rule,
                partitionsDevices: partitions != nil))
    }

    /// The names that the analyst's tables have columns for anyway.
    static var reservedColumns: Set<String> {
        [
            "app", "basis", "devices", "events", "floor", "identifiers", "margin", "metric", "period", "released_at",
            "threshold", "withheld",
        ]
    }

    /// Notes a name that would make two columns of one name.
    mutating func checkColumn(_ name: String, at place: YAMLNode.Place, _ subject: String) {
        guard Self.reservedColumns.contains(name) else { return }
        problems.add(
            place,
            """
            \(subject): every released table has a column '\(name)' of its own; choose another name, such as \
            '\(name)_kind'
            """)
    }

    /// Returns the field that a dimension reads, the event's time for `time`; notes one that does not fit.
    private mutating func checkedField(
        _ field: FieldName?, of body: PlanBody<PlanKeys.Dimension>, kind: PlanKeys.Dimension
    ) -> FieldName? {
        func note(_ message: String) {
            problems.add(body[.field]?.place ?? body.place, "\(body.subject): \(message)")
        }
        switch field {
        case _ where kind == .time:
            if let field, field != .time { note("'time' reads the event's own time; leave 'field' out") }
            return .time
        case nil:
            if body[.field] == nil { note("'field' is missing; name the field that '\(kind.rawValue)' coarsens") }
        case .time?: note("'at' is the event's own time; 'time' splits it, '\(kind.rawValue)' can't")
        case .event? where kind != .list:
            note("'event' is the event's own name; 'list' splits it, '\(kind.rawValue)' can't")
        default: return field
        }
        return nil
    }

    /// True if a dimension's buckets are learned while counting goes on, so that a plan can't name them.
    func isRevealed(_ name: DimensionName) -> Bool { dimensions.contains { $0.name == name && $0.isRevealed } }

    /// Returns the message for a place at which a plan would have to name such a bucket.
    static func unknownBuckets(of name: DimensionName) -> String {
        "the buckets of '\(name)' are learned while counting goes on, and no plan can name them; leave it out"
    }
}
