internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// How long a label outlives its last published number at least, and how long it keeps its slot afterwards: longer
    /// than a month and the longest grace together. Unit: seconds.
    private static let labelRest: Int64 = 100 * 86_400

    /// All labels of an app, by dimension and slot.
    static func labels(app: AppName, _ session: Session) throws -> [LearnedLabel] {
        try session.run(SelectLabels(app: app))
    }

    /// A layout with the labels that its slots have now.
    static func named(_ layout: MetricLayout, _ session: Session) throws -> MetricLayout {
        guard layout.isRevealing else { return layout }
        var known: [DimensionName: [Int: BucketLabel]] = [:]
        for label in try labels(app: layout.app, session) {
            known[label.dimension, default: [:]][label.slot] = label.label
        }
        return layout.named(known)
    }

    /// Notes of which labels a release publishes numbers: they live as long as they are of use.
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
            try session.run(NotePublishedLabels(app: layout.app, dimension: dimension.name, slots: slots.sorted()))
        }
    }

    /// Retires the labels of which no number was published for as long as their purposes keep numbers, and deletes those
    /// that were retired so long ago that their slots can be given to others.
    ///
    /// - Parameter now: Unit: Unix seconds.
    static func expireLabels(
        of app: AppName, now: Int64, _ session: Session, retention: (DimensionName) -> Duration
    ) throws {
        let known = Set(try labels(app: app, session).map(\.dimension))
        for dimension in known.sorted() {
            let kept = max(retention(dimension).components.seconds, labelRest)
            try session.run(RetireLabels(app: app, dimension: dimension, before: now - kept, now: now))
        }
        if !known.isEmpty { try session.run(DeleteLabels(app: app, before: now - labelRest)) }
    }
}

extension Plan {
    /// How long the purposes that use a dimension keep numbers; where none does, the longest of all.
    func retention(ofLabelsOf dimension: DimensionName) -> Duration {
        let users = Set(metrics.filter { $0.dimensions.contains(dimension) }.map(\.purpose))
        let longest = purposes.filter { users.contains($0.name) }.map(\.retention).max()
        return longest ?? purposes.map(\.retention).max() ?? .zero
    }
}
