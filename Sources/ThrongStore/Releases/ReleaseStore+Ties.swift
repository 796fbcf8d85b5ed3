internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// What metrics that count some of the same events published about a period, with everything that was counted
    /// behind it, published or not.
    ///
    /// Where something that holds the whole period was published, it is about all that it holds, and so is the answer:
    /// then also of the metric's own other periods.
    static func tied(
        by ties: EventTies, _ history: TermsHistory, _ layout: MetricLayout, _ period: Period, _ metric: Int64,
        _ session: Session
    ) throws -> [TiedMetric] {
        func isOwn(_ other: Int64, _ part: Period) -> Bool {
            other == metric && part.start >= period.start && part.end <= period.end
        }
        var published = try session.run(
            SelectOverlappingReleases(app: layout.app, from: period.start, to: period.end))
        let names = tiedNames(ties, layout, published.map(\.header))
        let overlapping = names.union(
            self.names(in: ties, layout, published.map(\.header)) {
                $0.metrics(overlapping: $1, counting: $2, others: $3)
            })
        func isTied(_ entry: OverlappingRelease) -> Bool {
            let other = entry.header.layout
            return entry.header.margins == nil && (overlapping.contains(other.metric) || other.metric == layout.metric)
                && !isOwn(entry.metric, entry.header.period)
        }
        published.removeAll { !isTied($0) }
        var (start, end) = (period.start, period.end)
        for other in published.map(\.header.period) where other.start <= period.start && other.end >= period.end {
            start = min(start, other.start)
            end = max(end, other.end)
        }
        if (start, end) != (period.start, period.end) {
            published = try session.run(SelectOverlappingReleases(app: layout.app, from: start, to: end))
                .filter(isTied)
        }
        var found: [TiedMetric] = []
        for (id, name, stored) in try session.run(SelectLayouts(app: layout.app)) {
            guard overlapping.contains(name) || name == layout.metric else { continue }
            let other = try stored.layout()
            let counted = SelectCountedPeriods(metric: id, kind: other.period, from: start, to: end)
            let periods = try session.run(counted).filter { !isOwn(id, $0) }
            guard !periods.isEmpty else { continue }
            let about = published.filter {
                $0.metric == id && $0.header.period.start >= start && $0.header.period.end <= end
            }
            // Of numbers that are off on purpose nothing can be worked out.
            if about.isEmpty, history.strictest(of: [name])?.margin != nil { continue }
            let parts = try periods.map { try cube(other, $0, id, session) }
            let releases = try about.filter { !$0.isDecayed }.map { try restored($0.release, session) }
            // Counters that are gone, or published numbers that age took, can't be reckoned with.
            let gone = Set(parts.filter { $0.counters.isEmpty }.map(\.period))
            let isWhole =
                about.allSatisfy { !$0.isDecayed }
                && releases.allSatisfy { $0.cells.isEmpty || !gone.contains($0.header.period) }
            // Only what is tied keeps its counters until all of it is released.
            guard isWhole || names.contains(name) || name == layout.metric else { continue }
            found.append(
                TiedMetric(
                    counted: ties.counted(
                        by: name, purpose: other.purpose, published: about.last?.header.events),
                    layout: other, parts: parts, releases: releases, isWhole: isWhole,
                    origins: history.origins(of: id), countedInLayout: history.counted(in: id),
                    // Of the metric itself some parts are left out: its longer periods are of more than is here.
                    proved: try proved(
                        in: Set(periods + (id == metric ? [] : releases.map(\.header.period))), of: other, id, session))
            )
        }
        return found
    }

    /// The metrics that the plan in force ties to a layout's.
    static func tiedNames(
        _ ties: EventTies, _ layout: MetricLayout, _ published: [ReleaseHeader] = []
    ) -> Set<MetricName> {
        names(in: ties, layout, published) { $0.metrics(tiedTo: $1, counting: $2, others: $3) }
    }

    private static func names(
        in ties: EventTies, _ layout: MetricLayout, _ published: [ReleaseHeader],
        _ find: (EventTies, MetricName, CountedEvents, [MetricName: CountedEvents]) -> Set<MetricName>
    ) -> Set<MetricName> {
        var others: [MetricName: CountedEvents] = [:]
        for header in published where header.margins == nil {
            let other = header.layout
            others[other.metric] = ties.counted(by: other.metric, purpose: other.purpose, published: header.events)
        }
        let own = others[layout.metric] ?? ties.counted(by: layout.metric, purpose: layout.purpose, published: nil)
        return find(ties, layout.metric, own, others)
    }
}

extension OverlappingRelease {
    fileprivate var header: ReleaseHeader { release.header }
}
