extension Plan {
    /// The fields of an event that metrics of a purpose use: in dimensions, sums and histograms.
    ///
    /// The event's own time and name are not among them. Empty for an event that no metric of the purpose counts.
    package func fields(of event: EventName, purpose: PurposeName) -> Set<FieldName> {
        metrics.filter { $0.purpose == purpose && $0.events.contains(event) }
            .reduce(into: []) { $0.formUnion(fields(of: $1).union(stepFields(of: $1, event: event))) }
    }

    /// The fields that events of a purpose may share as their context: whatever any metric of the purpose uses.
    package func contextFields(of purpose: PurposeName) -> Set<FieldName> {
        metrics.filter { $0.purpose == purpose }
            .reduce(into: []) { $0.formUnion(fields(of: $1).union(stepFields(of: $1))) }
    }

    /// The events that metrics of a purpose count, by name.
    package func events(of purpose: PurposeName) -> [EventName] {
        Set(metrics.filter { $0.purpose == purpose }.flatMap(\.events)).sorted()
    }

    private func fields(of metric: Metric) -> Set<FieldName> {
        Set(cubeDimensions(of: metric).map(\.field) + metric.sums.map(\.field)).subtracting([.time, .event])
    }
}
