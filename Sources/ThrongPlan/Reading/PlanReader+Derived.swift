extension PlanReader {
    static var mostDerived: Int { 8 }
    /// Most groupings of one metric: the journal tells tracked margins apart by a byte.
    static var mostGroupings: Int { 200 }

    /// Names of dimensions that are made of others, also of those that could not be read.
    var derivedNames: [String] { derivedBodies.map(\.part.name) }
    /// Names of dimensions that are made from fields.
    var baseNames: [String] { declared[.dimension].filter { !derivedNames.contains($0) } }

    /// Returns the derived dimensions that a metric of these dimensions may use. One whose base could not be read is
    /// among them, because it has its own problem already.
    func derivedNames(of dimensions: [DimensionName]) -> [String] {
        derivedNames.filter { name in
            guard let base = bases[DimensionName(name)] else { return true }
            return dimensions.contains(base)
        }
    }

    /// Reads one of `dimensions` that is made of another, once those are read that are made from fields.
    mutating func readDerivedDimension(_ part: Part, _ body: PlanBody<PlanKeys.Dimension>) {
        let name = DimensionName(part.name)
        let title = words(.title, in: body, of: "dimensions.\(part.name)")
        if let node = body[.field] {
            problems.add(
                node.place, "\(body.subject): 'of' takes the buckets of another dimension; leave 'field' out")
        }
        if let node = body[.partitions] {
            problems.add(
                node.place, "\(body.subject): 'partitions' is that of the dimension that it is made of; leave it out")
        }
        guard let base = base(of: name, in: body) else { return }
        bases[name] = base
        guard let node = body[.groups] else {
            if body.keyPlaces[.groups] == nil {
                problems.add(
                    part.place,
                    "\(body.subject): 'groups' is missing; say which buckets of '\(base)' make one bucket here")
            }
            return
        }
        // A base that could not be read has its own problem already.
        guard let known = buckets[base], let whole = dimensions.first(where: { $0.name == base }),
            let groups = derivedGroups(node, body.subject(.groups), of: base, known), let title
        else { return }
        let dimension = DerivedDimension(
            name: name, title: title, base: base, groups: groups, partitionsDevices: whole.partitionsDevices)
        buckets[name] = dimension.labels
        derivedDimensions.append(dimension)
    }

    private mutating func base(of name: DimensionName, in body: PlanBody<PlanKeys.Dimension>) -> DimensionName? {
        guard let node = body[.of] else { return nil }
        if case .scalar(let written, _) = node.content, derivedNames.contains(written) {
            let advice = bases[DimensionName(written)].map { "take the buckets of '\($0)'" }
            return problems.refuse(
                node.place,
                """
                \(body.subject(.of)): '\(written)' is made of another dimension itself; \
                \(advice ?? "name one that is made from a field")
                """)
        }
        let base: DimensionName? = reference(node, body.subject(.of), to: "dimension", among: baseNames)
        if let base, isRevealed(base) {
            return problems.refuse(node.place, "\(body.subject(.of)): \(Self.unknownBuckets(of: base))")
        }
        return base
    }

    /// Reads `{bucket: [buckets of the base]}`.
    private mutating func derivedGroups(
        _ node: YAMLNode, _ subject: String, of base: DimensionName, _ known: [BucketLabel]
    ) -> [BucketGroup]? {
        guard case .mapping(let entries) = node.content else {
            return problems.refuse(
                node.place,
                """
                \(subject): found \(node.found); buckets with those of '\(base)' that they hold are allowed, such as \
                {first: [\(known.prefix(2).map(\.text).joined(separator: ", "))]}
                """)
        }
        for entry in entries {
            guard case .sequence(let nodes) = entry.value.content else { continue }
            for node in nodes {
                guard case .scalar(let written, _) = node.content, !node.isEmpty else { continue }
                checkBaseBucket(written, at: node.place, subject, of: base, known)
            }
        }
        // A bucket named 'other' has its own problem already.
        guard let groups = groups(node, subject), !groups.contains(where: { $0.label == .other }) else { return nil }
        for (group, entry) in zip(groups, entries)
        where known.contains(group.label) && !group.values.contains(group.label.text) {
            problems.add(
                entry.place,
                """
                \(subject): \(YAMLNode.quoted(entry.key)) is a bucket of '\(base)', too; let it hold that one or \
                rename it
                """)
        }
        do {
            _ = try BucketingRule.list(groups).labels()
            return groups
        } catch {
            return problems.refuse(node.place, "\(subject): \(error)")
        }
    }

    private mutating func checkBaseBucket(
        _ written: String, at place: YAMLNode.Place, _ subject: String, of base: DimensionName, _ known: [BucketLabel]
    ) {
        if written == BucketLabel.other.text {
            problems.add(place, "\(subject): 'other' always goes to 'other'; leave it out")
        } else if !known.contains(BucketLabel(written)) {
            let named = known.filter { $0 != .other }.map(\.text)
            let advice = NearestName.advice(for: written, among: named, noun: "buckets")
            problems.add(place, "\(subject): '\(base)' has no bucket \(YAMLNode.quoted(written))\(advice)")
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
                message =
                    """
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
