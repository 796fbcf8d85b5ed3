package import ThrongWire

extension Plan {
    /// Returns the origins of a metric's base dimensions; none for those that the daemon fills or learns.
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
    /// Returns the events that each bucket holds; nil if the dimension does not tell events apart by their names.
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

extension BucketingRule {
    /// The bucketing with user agents known only by their labels: it needs no rules for them.
    var bucketingByLabel: any Bucketing {
        get throws(BucketingProblem) {
            try compiled { part, families throws(BucketingProblem) in
                try LabelBucketing(UserAgentBucketing.table(part, families).labels)
            }
        }
    }
}
