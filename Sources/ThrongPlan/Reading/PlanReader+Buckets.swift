extension PlanReader {
    /// The word that asks for a bucketing's usual shape.
    static var standard: String { "standard" }

    mutating func bucketingRule(
        _ kind: PlanKeys.Dimension, _ node: YAMLNode, _ subject: String
    ) -> (rule: BucketingRule, buckets: [BucketLabel])? {
        guard let rule = writtenRule(kind, node, subject) else { return nil }
        do {
            return (rule, try rule.labels())
        } catch {
            return problems.refuse(node.place, "\(subject): \(error)")
        }
    }

    private mutating func writtenRule(
        _ kind: PlanKeys.Dimension, _ node: YAMLNode, _ subject: String
    ) -> BucketingRule? {
        switch kind {
        case .title, .field, .partitions, .of, .groups: nil
        case .list: groups(node, subject).map { .list($0) }
        case .bands: ascending(node, subject).map { .bands(edges: $0) }
        case .significantFigures: significantFigures(node, subject)
        case .powers: powers(node, subject)
        case .version: version(node, subject)
        case .screen: screen(node, subject)
        case .browser: known(node, subject, standard: BrowserFamily.standard).map { .browser(families: $0) }
        case .operatingSystem:
            known(node, subject, standard: OperatingSystemFamily.standard)
                .map { .operatingSystem(families: $0) }
        case .deviceClass: standard(node, subject, .deviceClass)
        case .language: known(node, subject).map { .language(known: $0) }
        case .utcOffset: utcOffset(node, subject)
        case .region: isStandard(node) ? .region(BucketingRule.unRegions) : regions(node, subject)
        case .time: timePart(node, subject)
        case .host: known(node, subject).map { .host(known: $0) }
        case .route: known(node, subject).map { .route(templates: $0) }
        case .fileType: standard(node, subject, .fileType)
        case .memory: standard(node, subject, BucketingRule.memoryBands)
        case .cores: standard(node, subject, BucketingRule.coreBands)
        case .revealed: revealed(node, subject)
        }
    }

    private func isStandard(_ node: YAMLNode) -> Bool {
        if case .scalar(Self.standard, _) = node.content { true } else { false }
    }

    private mutating func standard(_ node: YAMLNode, _ subject: String, _ rule: BucketingRule) -> BucketingRule? {
        if isStandard(node) { return rule }
        return problems.refuse(node, subject, "only the word '\(Self.standard)' is allowed")
    }

    private mutating func known(_ node: YAMLNode, _ subject: String, standard: [String]? = nil) -> [String]? {
        if let standard, isStandard(node) { return standard }
        if standard != nil, case .scalar = node.content {
            return problems.refuse(node, subject, "a list or the word '\(Self.standard)' is allowed")
        }
        guard let texts = texts(node, subject) else { return nil }
        for (text, place) in texts { checkLabel(text, at: place, subject) }
        return texts.map(\.text)
    }

    private mutating func checkLabel(_ label: String, at place: YAMLNode.Place, _ subject: String) {
        if label == BucketLabel.other.text {
            problems.add(place, "\(subject): every bucketing has a bucket 'other' of its own; leave it out")
        }
    }

    // MARK: Groups

    /// Reads `[a, b]`, in which each value is a bucket, or `{label: [values]}`.
    mutating func groups(_ node: YAMLNode, _ subject: String) -> [BucketGroup]? {
        guard case .mapping(let entries) = node.content else {
            return known(node, subject)?.map { BucketGroup(label: BucketLabel($0), values: [$0]) }
        }
        if entries.isEmpty { return problems.refuse(node.place, "\(subject) is empty; name at least one bucket") }
        var bucketOf: [BucketLabel: String] = [:]
        for entry in entries { bucketOf[BucketLabel(entry.key)] = entry.key }
        var groups: [BucketGroup] = []
        var isFine = true
        for entry in entries {
            checkLabel(entry.key, at: entry.place, subject)
            if groups.contains(where: { $0.label == BucketLabel(entry.key) }) {
                problems.add(
                    entry.place, "\(subject): the bucket \(YAMLNode.quoted(entry.key)) is given twice; join them")
                continue
            }
            guard let texts = texts(entry.value, "\(subject) bucket \(YAMLNode.quoted(entry.key))") else { continue }
            for (text, place) in texts {
                if let other = bucketOf[BucketLabel(text)], other != entry.key {
                    problems.add(
                        place,
                        """
                        \(subject): \(YAMLNode.quoted(text)) belongs to the bucket \(YAMLNode.quoted(other)) \
                        already; a value has one bucket
                        """)
                    isFine = false
                }
                bucketOf[BucketLabel(text)] = entry.key
            }
            groups.append(BucketGroup(label: BucketLabel(entry.key), values: texts.map(\.text)))
        }
        return isFine && groups.count == entries.count ? groups : nil
    }

    private mutating func regions(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard case .mapping(let entries) = node.content else {
            return problems.refuse(
                node.place,
                """
                \(subject): found \(node.found); regions with their countries are allowed, such as {DACH: [AT, DE, \
                CH]}, or the word '\(Self.standard)'
                """)
        }
        var isFine = true
        for entry in entries {
            guard case .sequence(let countries) = entry.value.content else { continue }
            for country in countries {
                guard case .scalar(let code, _) = country.content else { continue }
                if code.utf8.count == 2, code.utf8.allSatisfy({ (65...90).contains($0) }) { continue }
                problems.add(
                    country.place,
                    """
                    \(subject): \(YAMLNode.quoted(code)) is no country; two capital letters are allowed (ISO \
                    3166-1), such as DE
                    """)
                isFine = false
            }
        }
        guard isFine else { return nil }
        return groups(node, subject).map { .region($0) }
    }

    // MARK: Numbers

    mutating func ascending(_ node: YAMLNode, _ subject: String) -> [Double]? {
        guard let nodes = list(node, subject) else { return nil }
        var edges: [Double] = []
        for node in nodes {
            guard let edge = number(node, subject) else { return nil }
            if let last = edges.last, edge <= last {
                return problems.refuse(
                    node.place,
                    """
                    \(subject): \(PlanNumber.text(edge)) follows \(PlanNumber.text(last)), so two bands overlap; \
                    edges ascend
                    """)
            }
            edges.append(edge)
        }
        return edges
    }

    private mutating func significantFigures(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard let body: PlanBody<PlanKeys.SignificantFigures> = body(of: node, subject, at: node.place) else {
            return nil
        }
        let digits = integer(.digits, in: body, 1...3)
        let from = number(.from, in: body)
        let to = number(.to, in: body)
        guard let digits, let from, let to else { return nil }
        return .significantFigures(digits: digits, lowest: from, highest: to)
    }

    private mutating func powers(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard let body: PlanBody<PlanKeys.Powers> = body(of: node, subject, at: node.place) else { return nil }
        let base = integer(.base, in: body, 2...1000)
        let from = integer(.from, in: body, -30...52)
        let to = integer(.to, in: body, -30...52)
        guard let base, let from, let to else { return nil }
        return .powers(base: base, lowestExponent: from, highestExponent: to)
    }

    private mutating func version(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard let body: PlanBody<PlanKeys.Version> = body(of: node, subject, at: node.place) else { return nil }
        let level: BucketingRule.VersionLevel? = choice(.level, in: body)
        guard let level, let node = body[.known], let versions = known(node, body.subject(.known)) else { return nil }
        return .version(level: level, known: versions)
    }

    private mutating func screen(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        if isStandard(node) { return .standardScreen }
        guard let body: PlanBody<PlanKeys.Screen> = body(of: node, subject, at: node.place) else { return nil }
        let medium = integer(.mediumFrom, in: body, 1...100_000)
        let large = integer(.largeFrom, in: body, 1...100_000)
        guard let medium, let large else { return nil }
        guard medium < large else {
            return problems.refuse(
                node.place, "\(subject): medium_from \(medium) is not under large_from \(large); the bands ascend")
        }
        return .screen(mediumFrom: medium, largeFrom: large)
    }

    private mutating func utcOffset(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard let body: PlanBody<PlanKeys.UTCOffset> = body(of: node, subject, at: node.place) else { return nil }
        guard let hours = integer(.bandHours, in: body, 1...12) else { return nil }
        guard 24 % hours == 0 else {
            return problems.refuse(
                node.place,
                "\(subject): a day has no whole number of bands of \(hours) hours; 1, 2, 3, 4, 6, 8, 12 are allowed")
        }
        return .utcOffset(bandHours: hours)
    }

    private mutating func timePart(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        let part: BucketingRule.TimePart? = choice(node, subject)
        return part.map { .time(part: $0, timeZone: app?.timeZone ?? "UTC") }
    }
}
