extension PlanReader {
    /// The word that asks for a bucketing's usual shape.
    static var standard: String { "standard" }

    mutating func bucketingRule(
        _ kind: PlanKeys.Dimension, _ value: PlanValue
    ) -> (rule: BucketingRule, buckets: [BucketLabel])? {
        guard let rule = writtenRule(kind, value) else { return nil }
        do { return (rule, try rule.labels()) } catch { return problems.refuse(value, "\(error)") }
    }

    private mutating func writtenRule(_ kind: PlanKeys.Dimension, _ value: PlanValue) -> BucketingRule? {
        switch kind {
        case .title, .field, .partitions, .of, .groups, .titles: nil
        case .list: groups(value).map { .list($0) }
        case .bands: ascending(value).map { .bands(edges: $0) }
        case .significantFigures: significantFigures(value)
        case .powers: powers(value)
        case .version: version(value)
        case .screen: screen(value)
        case .browser: known(value, standard: BrowserFamily.standard).map { .browser(families: $0) }
        case .operatingSystem:
            known(value, standard: OperatingSystemFamily.standard).map { .operatingSystem(families: $0) }
        case .deviceClass: standard(value, .deviceClass)
        case .language: known(value).map { .language(known: $0) }
        case .utcOffset: utcOffset(value)
        case .region: isStandard(value) ? .region(BucketingRule.unRegions) : regions(value)
        case .time: timePart(value)
        case .host: known(value).map { .host(known: $0) }
        case .route: known(value).map { .route(templates: $0) }
        case .fileType: standard(value, .fileType)
        case .memory: standard(value, BucketingRule.memoryBands)
        case .cores: standard(value, BucketingRule.coreBands)
        case .revealed: revealed(value)
        }
    }

    private func isStandard(_ value: PlanValue) -> Bool { value.scalar == Self.standard }

    private mutating func standard(_ value: PlanValue, _ rule: BucketingRule) -> BucketingRule? {
        isStandard(value) ? rule : problems.refuse(value, allowed: "only the word '\(Self.standard)' is allowed")
    }

    private mutating func known(_ value: PlanValue?, standard: [String]? = nil) -> [String]? {
        if let standard, let value, case .scalar = value.node.content {
            if isStandard(value) { return standard }
            return problems.refuse(value, allowed: "a list or the word '\(Self.standard)' is allowed")
        }
        guard let value, let texts = texts(value) else { return nil }
        for (text, place) in texts { checkLabel(text, at: place, value.subject) }
        return texts.map(\.text)
    }

    private mutating func checkLabel(_ label: String, at place: YAMLNode.Place, _ subject: String) {
        if label == BucketLabel.other.text {
            problems.add(place, "\(subject): every bucketing has a bucket 'other' of its own; leave it out")
        }
    }

    // MARK: Groups

    /// Reads `[a, b]`, in which each value is a bucket, or `{label: [values]}`.
    mutating func groups(_ value: PlanValue) -> [BucketGroup]? {
        guard let entries = value.entries else {
            return known(value)?.map { BucketGroup(label: BucketLabel($0), values: [$0]) }
        }
        if entries.isEmpty { return problems.refuse(value, it: "is empty; name at least one bucket") }
        let subject = value.subject
        var bucketOf: [BucketLabel: String] = [:]
        for entry in entries { bucketOf[BucketLabel(entry.key)] = entry.key }
        var groups: [BucketGroup] = []
        var isFine = true
        for entry in entries {
            checkLabel(entry.key, at: entry.place, subject)
            let bucket = "bucket \(YAMLNode.quoted(entry.key))"
            if groups.contains(where: { $0.label == BucketLabel(entry.key) }) {
                problems.add(entry.place, "\(subject): the \(bucket) is given twice; join them")
                continue
            }
            guard let texts = texts(PlanValue(node: entry.value, subject: "\(subject) \(bucket)")) else { continue }
            for (text, place) in texts {
                if let other = bucketOf[BucketLabel(text)], other != entry.key {
                    problems.add(
                        place,
                        "\(subject): \(YAMLNode.quoted(text)) belongs to the bucket \(YAMLNode.quoted(other)) already; "
                            + "a value has one bucket")
                    isFine = false
                }
                bucketOf[BucketLabel(text)] = entry.key
            }
            groups.append(BucketGroup(label: BucketLabel(entry.key), values: texts.map(\.text)))
        }
        return isFine && groups.count == entries.count ? groups : nil
    }

    private mutating func regions(_ value: PlanValue) -> BucketingRule? {
        guard let entries = value.entries else {
            return problems.refuse(
                value,
                allowed: """
                    regions with their countries are allowed, such as {DACH: [AT, DE, CH]}, or the word '\(Self.standard)'
                    """)
        }
        var isFine = true
        for country in entries.flatMap({ PlanValue(node: $0.value, subject: value.subject).elements ?? [] }) {
            guard case .scalar(let code, _) = country.node.content else { continue }
            if code.utf8.count == 2, code.utf8.allSatisfy({ (65...90).contains($0) }) { continue }
            problems.add(
                country,
                "\(YAMLNode.quoted(code)) is no country; two capital letters are allowed (ISO 3166-1), such as DE")
            isFine = false
        }
        return isFine ? groups(value).map { .region($0) } : nil
    }

    // MARK: Numbers

    mutating func ascending(_ value: PlanValue?) -> [Double]? {
        guard let values = list(value) else { return nil }
        var edges: [Double] = []
        for value in values {
            guard let edge = number(value) else { return nil }
            if let last = edges.last, edge <= last {
                let (edge, last) = (PlanNumber.text(edge), PlanNumber.text(last))
                return problems.refuse(value, "\(edge) follows \(last), so two bands overlap; edges ascend")
            }
            edges.append(edge)
        }
        return edges
    }

    private mutating func significantFigures(_ value: PlanValue) -> BucketingRule? {
        guard let body = body(value, PlanKeys.SignificantFigures.self) else { return nil }
        let digits = integer(body[.digits], 1...3)
        let from = number(body[.from])
        let to = number(body[.to])
        guard let digits, let from, let to else { return nil }
        return .significantFigures(digits: digits, lowest: from, highest: to)
    }

    private mutating func powers(_ value: PlanValue) -> BucketingRule? {
        guard let body = body(value, PlanKeys.Powers.self) else { return nil }
        let base = integer(body[.base], 2...1000)
        let from = integer(body[.from], -30...52)
        let to = integer(body[.to], -30...52)
        guard let base, let from, let to else { return nil }
        return .powers(base: base, lowestExponent: from, highestExponent: to)
    }

    private mutating func version(_ value: PlanValue) -> BucketingRule? {
        guard let body = body(value, PlanKeys.Version.self) else { return nil }
        let level: BucketingRule.VersionLevel? = choice(body[.level])
        guard let level, let versions = known(body[.known]) else { return nil }
        return .version(level: level, known: versions)
    }

    private mutating func screen(_ value: PlanValue) -> BucketingRule? {
        if isStandard(value) { return .standardScreen }
        guard let body = body(value, PlanKeys.Screen.self) else { return nil }
        let medium = integer(body[.mediumFrom], 1...100_000)
        let large = integer(body[.largeFrom], 1...100_000)
        guard let medium, let large else { return nil }
        if medium < large { return .screen(mediumFrom: medium, largeFrom: large) }
        return problems.refuse(value, "medium_from \(medium) is not under large_from \(large); the bands ascend")
    }

    private mutating func utcOffset(_ value: PlanValue) -> BucketingRule? {
        guard let body = body(value, PlanKeys.UtcOffset.self), let hours = integer(body[.bandHours], 1...12) else {
            return nil
        }
        if 24 % hours == 0 { return .utcOffset(bandHours: hours) }
        return problems.refuse(
            value, "a day has no whole number of bands of \(hours) hours; 1, 2, 3, 4, 6, 8, 12 are allowed")
    }

    private mutating func timePart(_ value: PlanValue) -> BucketingRule? {
        let part: BucketingRule.TimePart? = choice(value)
        return part.map { .time(part: $0, timeZone: app?.timeZone ?? "UTC") }
    }

    /// Reads `{most: 500}`.
    private mutating func revealed(_ value: PlanValue) -> BucketingRule? {
        integer(body(value, PlanKeys.Revealed.self)?[.most], 1...4095).map { .revealed(most: $0) }
    }
}
