internal import ThrongPlan
internal import ThrongRelease

// These are part of the release's transaction: its evidence and its numbers have to name the same labels.
extension ReleaseStore {
    /// Returns a layout with the labels that its slots have now.
    static func named(_ layout: MetricLayout, _ session: Session) throws -> MetricLayout {
        guard layout.isRevealing else { return layout }
        var known: [DimensionName: [Int: BucketLabel]] = [:]
        for label in try session.run(Query.selectLabels(app: layout.app)) {
            known[label.dimension, default: [:]][label.slot] = label.label
        }
        return layout.named(known)
    }

    /// Notes the labels that a release publishes numbers of: they live as long as they are of use.
    static func notePublished(_ release: Release, _ session: Session) throws {
        let layout = release.header.layout
        for (place, dimension) in layout.dimensions.enumerated() where dimension.isRevealed {
            var slots: Set<Int> = []
            for cell in release.cells where cell.margin.keeps(place) {
                let kept = layout.dimensions.indices.filter(cell.margin.keeps)
                guard let position = kept.firstIndex(of: place) else { continue }
                slots.insert(layout.buckets(of: cell.cell, in: cell.margin)[position])
            }
            slots.remove(dimension.labels.count - 1)
            guard !slots.isEmpty else { continue }
            try session.run(
                Query.notePublishedLabels(app: layout.app, dimension: dimension.name, slots: slots.sorted()))
        }
    }
}
