/// The terms that a plan set for a layout's releases, and the time for which it was in force.
package struct TermsVersion: Sendable, Hashable {
    /// The metric's name then.
    package let metric: MetricName
    /// The schema's number of its layout.
    package let layout: Int64
    /// The start of that time; nil for as long as there are counters.
    package let since: UnixSeconds?
    /// The end of that time; nil for a plan in force.
    package let until: UnixSeconds?
    package let terms: ReleaseTerms

    package init(metric: MetricName, layout: Int64, since: UnixSeconds?, until: UnixSeconds?, terms: ReleaseTerms) {
        self.metric = metric
        self.layout = layout
        self.since = since
        self.until = until
        self.terms = terms
    }
}

/// The record of what an app's metrics counted in a stretch of time. Each edit of a plan divides it: half a day is not
/// all day.
package struct TermsHistory: Sendable {
    private let versions: [TermsVersion]
    private let known: [MetricName: CountedEvents]
    private let knownLayouts: [Int64: CountedEvents]

    /// - Parameters:
    ///   - versions: the versions of layouts that were counted in the stretch.
    ///   - start: the stretch's first second.
    package init(_ versions: [TermsVersion], from start: UnixSeconds) {
        self.versions = versions
        let edits = versions.flatMap { [$0.since, $0.until] }.compactMap { $0 }
        let cuts = [start] + Set(edits).filter { $0 > start }.sorted()
        func counted(_ versions: [TermsVersion]) -> CountedEvents? {
            var events = Accumulated()
            for version in versions {
                guard let counted = version.terms.counted else { continue }
                events.add(counted, in: Self.stretches(of: version, cuts))
            }
            return events.counted(cuts)
        }
        known = Dictionary(grouping: versions, by: \.metric).compactMapValues(counted)
        knownLayouts = Dictionary(grouping: versions, by: \.layout).compactMapValues(counted)
    }

    /// Returns what a metric counted; nil if nobody kept that.
    package func counted(by metric: MetricName) -> CountedEvents? { known[metric] }

    /// Returns what was counted in a layout, when it was; nil if nobody kept that.
    ///
    /// - Parameter layout: its number in the schema.
    package func counted(in layout: Int64) -> CountedEvents? { knownLayouts[layout] }

    /// Returns the origins of a layout's base dimensions, under any plan.
    ///
    /// - Parameter layout: its number in the schema.
    package func origins(of layout: Int64) -> DimensionOrigins {
        var found: DimensionOrigins = [:]
        for version in versions where version.layout == layout {
            for (name, origin) in version.terms.origins { found[name, default: []].insert(origin) }
        }
        return found
    }

    /// Returns terms that satisfy every version of some metrics; nil if there is none.
    package func strictest(of metrics: Set<MetricName>) -> ReleaseTerms? {
        versions.filter { metrics.contains($0.metric) }.map(\.terms).reduce(nil) { $0?.stricter(with: $1) ?? $1 }
    }

    /// Returns the stretches in which a version was in force; the nearest one if it never was.
    private static func stretches(of version: TermsVersion, _ cuts: [UnixSeconds]) -> Range<Int> {
        let first = version.since.flatMap { since in cuts.lastIndex { $0 <= since } } ?? 0
        let last = version.until.flatMap { until in cuts.firstIndex { $0 >= until } } ?? cuts.endIndex
        return first..<max(first + 1, last)
    }

    private struct Accumulated {
        private var happenings: Set<CountedEvents.Happening> = []
        private var audience: CountedEvents.Audience?

        mutating func add(_ counted: CountedEvents, in stretches: Range<Int>) {
            guard let version = counted.happenings, !version.isEmpty else { return }
            audience = counted.audience
            for stretch in stretches {
                happenings.formUnion(
                    version.map { .init(event: $0.event, client: $0.client, stretch: stretch) })
            }
        }

        func counted(_ cuts: [UnixSeconds]) -> CountedEvents? {
            audience.map { CountedEvents(happenings: happenings, audience: $0, starts: cuts) }
        }
    }
}
