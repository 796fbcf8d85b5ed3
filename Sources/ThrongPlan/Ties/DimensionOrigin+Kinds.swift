package import ThrongWire

extension Plan {
    /// What the base dimensions of a metric are made from.
    ///
    /// Left out are what only the daemon fills, and dimensions whose buckets are learned: each has slots of its own.
    package func origins(of metric: Metric) -> [DimensionName: DimensionOrigin] {
        var origins: [DimensionName: DimensionOrigin] = [:]
        for dimension in cubeDimensions(of: metric)
        where dimension.name != metric.within?.name && !dimension.isRevealed {
            origins[dimension.name] = DimensionOrigin(field: dimension.field, rule: dimension.rule)
        }
        return origins
    }
}

extension DimensionOrigin {
    /// By bucket, which of some events it holds; nil where the dimension does not tell events apart by their names.
    package func kinds(of events: Set<EventName>) -> [Set<EventName>]? {
        // Every plan's rules compiled when it was read; one that does not any more tells nothing apart.
        guard field == .event, let bucketing = try? rule.bucketingByLabel else { return nil }
        var kinds = bucketing.labels.map { _ in Set<EventName>() }
        for event in events {
            kinds[event.text.withFieldValue { bucketing.bucket($0) }].insert(event)
        }
        return kinds
    }
}

extension CountedEvents {
    /// What dimensions of events' names tell apart.
    package static func kinds(
        of events: Set<EventName>, by origins: some Sequence<DimensionOrigin>
    ) -> Set<Set<EventName>> {
        Set(origins.flatMap { $0.kinds(of: events) ?? [] }).subtracting([[]])
    }
}

extension BucketingRule {
    /// The bucketing, where user agents are only known by their labels: no rules for them are needed.
    var bucketingByLabel: any Bucketing {
        get throws(BucketingProblem) {
            try compiled { part, families throws(BucketingProblem) in
                try LabelBucketing(UserAgentBucketing.table(part, families).labels)
            }
        }
    }
}
