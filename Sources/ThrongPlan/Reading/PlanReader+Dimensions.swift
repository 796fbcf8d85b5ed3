extension PlanReader {
    private enum Partitions: String, CaseIterable { case devices }

    /// Reads one of `dimensions`. One that is made of another is only noted here, and read after that one.
    mutating func readDimension(_ part: Part) {
        checkColumn(part.name, at: part.place, "dimension '\(part.name)'")
        guard let body: PlanBody<PlanKeys.Dimension> = body(of: part, .dimension) else { return }
        let kinds = PlanKeys.Dimension.kinds.filter { body[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first, let node = body[kind] else {
            let allowed = PlanKeys.Dimension.kinds.map(\.rawValue).joined(separator: ", ")
            problems.add(
                part.place,
                kinds.isEmpty
                    ? "\(body.subject) does not say how it coarsens its field; exactly one of \(allowed) is allowed"
                    : """
                    \(body.subject) coarsens its field in \(kinds.count) ways: \
                    \(kinds.map(\.rawValue).joined(separator: ", ")); keep one
                    """)
            return
        }
        if kind == .of {
            derivedBodies.append((part, body))
            return
        }
        if let groups = body.keyPlaces[.groups] {
            problems.add(groups, "\(body.subject): 'groups' goes with 'of' only; leave it out")
        }
        let title = words(.title, in: body, of: "dimensions.\(part.name)")
        let partitions: Partitions? = choice(.partitions, in: body)
        let field: FieldName? = name(.field, in: body, noun: "field")
        let bucketing = bucketingRule(kind, node, body.subject(kind))
        places.set(line: node.place.line, column: node.place.column, of: .dimension, named: "\(part.name).list")
        guard let field = checkedField(field, of: body, kind: kind) else { return }
        checkPartitions(partitions != nil, of: body, field: field, kind: kind)
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

    /// Returns the field that a dimension reads: the event's own time for `time`, else a field that the plan names.
    /// Notes a field that does not fit, and then returns nil unless the kind is `time`.
    private mutating func checkedField(
        _ field: FieldName?, of body: PlanBody<PlanKeys.Dimension>, kind: PlanKeys.Dimension
    ) -> FieldName? {
        let place = body[.field]?.place ?? body.place
        if kind == .time {
            if let field, field != .time {
                problems.add(place, "\(body.subject): 'time' reads the event's own time; leave 'field' out")
            }
            return .time
        }
        guard let field else {
            if body[.field] == nil {
                problems.add(
                    place, "\(body.subject): 'field' is missing; name the field that '\(kind.rawValue)' coarsens")
            }
            return nil
        }
        if field == .time {
            return problems.refuse(
                place, "\(body.subject): 'at' is the event's own time; 'time' splits it, '\(kind.rawValue)' can't")
        }
        if field == .event, kind != .list {
            return problems.refuse(
                place, "\(body.subject): 'event' is the event's own name; 'list' splits it, '\(kind.rawValue)' can't")
        }
        return field
    }

    private mutating func checkPartitions(
        _ partitions: Bool, of body: PlanBody<PlanKeys.Dimension>, field: FieldName, kind: PlanKeys.Dimension
    ) {
        let isDoing = field == .event || [.time, .host, .route, .fileType, .revealed].contains(kind)
        guard partitions, isDoing else { return }
        problems.add(
            body[.partitions]?.place ?? body.place,
            """
            \(body.subject): 'partitions: devices' is for what a device is; this says what it does, and one device \
            does many things: leave it out
            """)
    }

    /// Reads `{most: 500}`.
    mutating func revealed(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard let body: PlanBody<PlanKeys.Revealed> = body(of: node, subject, at: node.place) else { return nil }
        return integer(.most, in: body, 1...4095).map { .revealed(most: $0) }
    }

    /// True if a dimension's buckets are learned while counting goes on, so that a plan can't name them.
    func isRevealed(_ name: DimensionName) -> Bool { dimensions.contains { $0.name == name && $0.isRevealed } }

    /// Returns the message for a place at which a plan would have to name such a bucket.
    static func unknownBuckets(of name: DimensionName) -> String {
        "the buckets of '\(name)' are learned while counting goes on, and no plan can name them; leave it out"
    }
}
