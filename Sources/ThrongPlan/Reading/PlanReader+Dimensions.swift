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
                "\(body.subject): 'partitions: devices' is for what a device is; this says what it does, and one "
                    + "device does many things: leave it out")
        }
        guard let title, let bucketing else { return }
        let titles = titles(body[.titles], of: part.name, bucketing.buckets)
        buckets[DimensionName(part.name)] = bucketing.buckets
        dimensions.append(
            Dimension(
                name: DimensionName(part.name), title: title, field: field, rule: bucketing.rule,
                partitionsDevices: partitions != nil, titles: titles))
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
            "\(subject): every released table has a column '\(name)' of its own; choose another name, such as "
                + "'\(name)_kind'")
    }

    /// Returns the field that a dimension reads, the event's time for `time`; notes one that does not fit.
    private mutating func checkedField(
        _ field: FieldName?, of body: PlanBody<PlanKeys.Dimension>, kind: PlanKeys.Dimension
    ) -> FieldName? {
        func note(_ message: String) { problems.add(body[.field]?.place ?? body.place, "\(body.subject): \(message)") }
        switch field {
        case _ where kind == .time:
            if let field, field != .time { note("'time' reads the event's own time; leave 'field' out") }
            return .time
        case nil: if body[.field] == nil { note("'field' is missing; name the field that '\(kind.rawValue)' coarsens") }
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

    static var mostDerived: Int { 8 }
    /// Most groupings of one metric: the journal tells tracked margins apart by a byte.
    static var mostGroupings: Int { 200 }

    /// Names of dimensions that are made of others, also of those that could not be read.
    var derivedNames: [String] { derivedBodies.map(\.name) }
    /// Names of dimensions that are made from fields.
    var baseNames: [String] { (declared[.dimension] ?? []).filter { !derivedNames.contains($0) } }

    /// Returns the derived dimensions that a metric may use, those whose base could not be read among them.
    func derivedNames(of dimensions: [DimensionName]) -> [String] {
        derivedNames.filter { bases[DimensionName($0)].map(dimensions.contains) ?? true }
    }

    /// Returns the base of a derived dimension for a message: its name in quotes, if it could be read.
    func baseText(of derived: String) -> String {
        bases[DimensionName(derived)].map { "'\($0)'" } ?? "the dimension that it is made of"
    }

    /// Reads one of `dimensions` that is made of another, once those are read that are made from fields.
    mutating func readDerivedDimension(_ name: String, _ body: PlanBody<PlanKeys.Dimension>) {
        let title = words(.title, in: body, of: "dimensions.\(name)")
        if let field = body[.field] {
            problems.add(field.place, "\(body.subject): 'of' takes the buckets of another dimension; leave 'field' out")
        }
        if let partitions = body[.partitions] {
            problems.add(
                partitions.place,
                "\(body.subject): 'partitions' is that of the dimension that it is made of; leave it out")
        }
        let (written, name) = (name, DimensionName(name))
        guard let base = base(of: body[.of]) else { return }
        bases[name] = base
        guard let value = body[.groups] else {
            if body.keyPlaces[.groups] == nil {
                problems.add(body, "'groups' is missing; say which buckets of '\(base)' make one bucket here")
            }
            return
        }
        // A base that could not be read has its own problem already.
        guard let known = buckets[base], let whole = dimensions.first(where: { $0.name == base }),
            let groups = derivedGroups(value, of: base, known), let title
        else { return }
        let titles = titles(body[.titles], of: written, groups.map(\.label))
        let dimension = DerivedDimension(
            name: name, title: title, base: base, groups: groups, partitionsDevices: whole.partitionsDevices,
            titles: titles)
        buckets[name] = dimension.labels
        derivedDimensions.append(dimension)
    }

    private mutating func base(of value: PlanValue?) -> DimensionName? {
        if let written = value?.scalar, derivedNames.contains(written) {
            let advice = bases[DimensionName(written)].map { "take the buckets of '\($0)'" }
            return problems.refuse(
                value,
                "'\(written)' is made of another dimension itself; \(advice ?? "name one that is made from a field")")
        }
        let base: DimensionName? = reference(value, to: "dimension", among: baseNames)
        if let base, isRevealed(base) { return problems.refuse(value, Self.unknownBuckets(of: base)) }
        return base
    }

    /// Reads `{bucket: [buckets of the base]}`.
    private mutating func derivedGroups(
        _ value: PlanValue, of base: DimensionName, _ known: [BucketLabel]
    ) -> [BucketGroup]? {
        guard let entries = value.entries else {
            return problems.refuse(
                value,
                allowed: "buckets with those of '\(base)' that they hold are allowed, such as {first: "
                    + "[\(known.prefix(2).map(\.text).joined(separator: ", "))]}")
        }
        for bucket in entries.flatMap({ PlanValue(node: $0.value, subject: value.subject).elements ?? [] }) {
            checkBaseBucket(bucket, of: base, known)
        }
        // A bucket named 'other' has its own problem already.
        guard let groups = groups(value), !groups.contains(where: { $0.label == .other }) else { return nil }
        for (group, entry) in zip(groups, entries)
        where known.contains(group.label) && !group.values.contains(group.label.text) {
            problems.add(
                entry.place,
                "\(value.subject): \(YAMLNode.quoted(entry.key)) is a bucket of '\(base)', too; let it hold that one "
                    + "or rename it")
        }
        do {
            _ = try BucketingRule.list(groups).labels()
            return groups
        } catch { return problems.refuse(value, "\(error)") }
    }

    private mutating func checkBaseBucket(_ value: PlanValue, of base: DimensionName, _ known: [BucketLabel]) {
        guard let written = value.scalar else { return }
        if written == BucketLabel.other.text {
            problems.add(value, "'other' always goes to 'other'; leave it out")
        } else if !known.contains(BucketLabel(written)) {
            let named = known.filter { $0 != .other }.map(\.text)
            let advice = NearestName.advice(for: written, among: named, noun: "buckets")
            problems.add(value, "'\(base)' has no bucket \(YAMLNode.quoted(written))\(advice)")
        }
    }

    /// Notes a dimension that stands beside one made of it: the finer one says all that the coarser one could.
    mutating func checkGrains(of kept: [DimensionName], _ subject: String, place: (DimensionName) -> YAMLNode.Place?) {
        for name in kept {
            guard let base = bases[name], kept.contains(base) else { continue }
            problems.add(
                place(name), "\(subject): '\(name)' is made of '\(base)', which is here, too; leave one of them out")
        }
    }

    /// Notes metrics with more groupings than can be told apart.
    mutating func checkGroupings(of plan: Plan) {
        for metric in plan.metrics {
            let derived = plan.derivedDimensions(of: metric).count
            let groupings = plan.groupings(of: metric).count
            var message: String?
            if derived > Self.mostDerived {
                message = "uses \(derived) dimensions that are made of others; \(Self.mostDerived) are allowed"
            } else if groupings > Self.mostGroupings {
                message = "shows \(groupings) groupings; \(Self.mostGroupings) are allowed"
            } else if groupings * metric.firstPeriods.count > FirstSet.most {
                message = """
                    has 'reach: client' for \(groupings) groupings by \
                    \(metric.firstPeriods.map(\.rawValue).joined(separator: " and by ")), which makes \
                    \(groupings * metric.firstPeriods.count) counters a cell; \(FirstSet.most) are allowed
                    """
            }
            guard let message else { continue }
            problems.add(plan.places.advice(on: .metric, metric.name, "\(message): split it into two metrics"))
        }
    }
}
