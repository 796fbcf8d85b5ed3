/// A measure of identifiers instead of events: each that did anything counts once, in one bucket of a dimension that
/// only the daemon can fill, and which partitions devices.
package struct WindowMeasure: Sendable, Hashable {
    /// The dimension that the measure makes: a column in the analyst's tables.
    package let name: DimensionName
    package let kind: Kind

    /// A property of an identifier's window.
    package enum Kind: Sendable, Hashable {
        /// The number of its events, in bands by their lower edges: ascending, 1 is the first. Unit: events.
        case frequency(bands: [Int])
        /// The furthest step that it took: steps that count one after the other, 2 to 16.
        case funnel(steps: [FunnelStep])
    }

    package var title: String {
        switch kind {
        case .frequency: "Times"
        case .funnel: "Furthest step"
        }
    }

    /// The buckets in order. There is no `other`: whoever did nothing is not counted.
    package var labels: [BucketLabel] {
        switch kind {
        case .funnel(let steps): steps.map(\.title)
        case .frequency(let bands):
            bands.enumerated().map { place, edge in
                guard place + 1 < bands.count else { return BucketLabel(">=\(edge)") }
                let last = bands[place + 1] - 1
                return BucketLabel(last == edge ? "\(edge)" : "\(edge)-\(last)")
            }
        }
    }

    /// A text that tells measures with the same labels apart.
    var fingerprint: String {
        switch kind {
        case .frequency(let bands): "frequency \(bands)"
        case .funnel(let steps):
            "funnel "
                + steps.map { step in
                    step.event.text + step.filters.map { " \($0.dimension)=\($0.bucket)" }.joined()
                }.joined(separator: ", ")
        }
    }

    /// The number of one identifier's events beyond which more of them change nothing.
    var mostEvents: Int {
        switch kind {
        case .frequency(let bands): bands.last ?? 1
        case .funnel: 1_000_000
        }
    }

    package var word: String {
        switch kind {
        case .frequency: "frequency"
        case .funnel: "funnel"
        }
    }
}

/// One step of a funnel. It counts only identifiers that took all steps before it.
package struct FunnelStep: Sendable, Hashable {
    /// The step's title for people, which is also its bucket.
    package let title: BucketLabel
    package let event: EventName
    /// The buckets that the event has to be in, at most one a dimension; these need not be the metric's.
    package let filters: [Insight.Filter]
}

extension Metric {
    /// The events of which one makes an identifier count; all of them if the metric counts events.
    package var countingEvents: [EventName] {
        guard case .funnel(let steps)? = within?.kind, let first = steps.first else { return events }
        return [first.event]
    }

    package var steps: [FunnelStep] {
        guard case .funnel(let steps)? = within?.kind else { return [] }
        return steps
    }
}
