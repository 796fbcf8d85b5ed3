internal import ThrongPlan
package import ThrongRelease

extension Plan {
    /// The dimensions of a release whose bucket `other` nothing can land in, as everybody can see in the plan: an
    /// event has a time; where a list has every event that the metric counts, no other one is counted; and of a field
    /// that is summed, an event without a number is refused. Their places in the layout.
    package func closedDimensions(of header: ReleaseHeader) -> Set<Int> {
        let dimensions = header.layout.dimensions
        let named = metric(header.layout.metric).map { cubeDimensions(of: $0) } ?? []
        let summed = header.layout.sums.map(\.field)
        let closed = dimensions.indices.filter { place in
            guard let dimension = named.first(where: { $0.name == dimensions[place].name }),
                dimensions[place].coarsening == nil,
                // The plan's rule tells about earlier counts only if it is still the same rule.
                dimension.rule.fingerprint(rules: .system) == dimensions[place].rule
            else { return false }
            switch (dimension.rule, dimension.field, header.events) {
            case (.time, _, _): return true
            case (.bands, let field, _): return summed.contains(field)
            case (.list(let groups), .event, let events?):
                let known = Set(groups.flatMap(\.values))
                return events.allSatisfy { known.contains($0.text) }
            default: return false
            }
        }
        let made = dimensions.indices.filter { place in
            guard let base = dimensions[place].coarsening, closed.contains(base.place) else { return false }
            return !base.buckets.dropLast().contains(dimensions[place].labels.count - 1)
        }
        return Set(closed + made)
    }
}
