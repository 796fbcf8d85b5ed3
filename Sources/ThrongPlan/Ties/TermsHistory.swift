/// What a plan asked of a layout's releases, and for how long it was in force.
package struct TermsVersion: Sendable, Hashable {
    /// The metric's name then.
    package let metric: MetricName
    /// The schema's number of its layout.
    package let layout: Int64
    /// From when on; nil for as long as there are counters.
    package let since: UnixSeconds?
    /// Until when; nil for a plan in force.
    package let until: UnixSeconds?
    /// What it asked.
    package let terms: ReleaseTerms

    /// Puts one together.
    package init(metric: MetricName, layout: Int64, since: UnixSeconds?, until: UnixSeconds?, terms: ReleaseTerms) {
        self.metric = metric
        self.layout = layout
        self.since = since
        self.until = until
        self.terms = terms
    }
}

/// What the metrics of an app counted in a stretch of time, under every plan that was in force in it or came later.
///
/// The stretch falls into shorter ones, wherever a plan was edited. So a metric that is renamed at noon and one that
/// counts the same all day are a part and its whole, and with the former name's part they are a sum.
package struct TermsHistory: Sendable {
    private let versions: [TermsVersion]
    private let end: UnixSeconds
    /// Where the shorter stretches begin; the first is the whole one's start.
    private let cuts: [UnixSeconds]
    private let known: [MetricName: CountedEvents]
    private let knownLayouts: [Int64: CountedEvents]

    /// - Parameter versions: of layouts that were counted in the stretch.
    package init(_ versions: [TermsVersion], from start: UnixSeconds, to end: UnixSeconds) {
        self.versions = versions
        self.end = end
        let edits = versions.flatMap { [$0.since, $0.until] }.compactMap { $0 }
        let cuts = [start] + Set(edits).filter { $0 > start }.sorted()
        self.cuts = cuts
        func counted(_ versions: [TermsVersion]) -> CountedEvents? {
            var events = Accumulated()
            for version in versions {
                guard let counted = version.terms.counted else { continue }
                events.add(counted, in: Self.stretches(of: version, cuts))
            }
            return events.counted(cuts, until: end)
        }
        known = Dictionary(grouping: versions, by: \.metric).compactMapValues(counted)
        knownLayouts = Dictionary(grouping: versions, by: \.layout).compactMapValues(counted)
    }

    /// The metrics of which it is known what they counted.
    var metrics: some Sequence<MetricName> { known.keys }

    /// The metrics to which any version gave a margin.
    package var margined: Set<MetricName> { Set(versions.filter { $0.terms.margin != nil }.map(\.metric)) }

    /// What a metric counted; nil where nobody kept that.
    package func counted(by metric: MetricName) -> CountedEvents? { known[metric] }

    /// What was counted in a layout, when it was; nil where nobody kept that.
    ///
    /// - Parameter layout: its number in the schema.
    package func counted(in layout: Int64) -> CountedEvents? { knownLayouts[layout] }

    /// What the base dimensions of a layout were made from, under any plan.
    ///
    /// - Parameter layout: its number in the schema.
    package func origins(of layout: Int64) -> DimensionOrigins {
        var found: DimensionOrigins = [:]
        for version in versions where version.layout == layout {
            for (name, origin) in version.terms.origins { found[name, default: []].insert(origin) }
        }
        return found
    }

    /// The same events all of the time.
    func throughout(_ counted: CountedEvents) -> CountedEvents {
        var events = Accumulated()
        events.add(counted, in: cuts.indices)
        return events.counted(cuts, until: end) ?? counted
    }

    /// What satisfies every version of some metrics; nil where there is none.
    package func strictest(of metrics: Set<MetricName>) -> ReleaseTerms? {
        versions.filter { metrics.contains($0.metric) }.map(\.terms).reduce(nil) { $0?.stricter(with: $1) ?? $1 }
    }

    /// Where a version was in force. One that was so for no time at all, or only before, counts where it comes nearest.
    private static func stretches(of version: TermsVersion, _ cuts: [UnixSeconds]) -> Range<Int> {
        let first = version.since.flatMap { since in cuts.lastIndex { $0 <= since } } ?? 0
        let last = version.until.flatMap { until in cuts.firstIndex { $0 >= until } } ?? cuts.endIndex
        return first..<max(first + 1, last)
    }

    /// What one metric counted.
    private struct Accumulated {
        private var happenings: Set<CountedEvents.Happening> = []
        private var versions: Set<Set<CountedEvents.Happening>> = []
        private var audience: CountedEvents.Audience?
        private var kinds: Set<Set<EventName>> = []

        mutating func add(_ counted: CountedEvents, in stretches: Range<Int>) {
            guard let version = counted.happenings, !version.isEmpty else { return }
            versions.insert(version)
            audience = counted.audience
            kinds.formUnion(counted.kinds)
            for stretch in stretches {
                happenings.formUnion(
                    version.map { .init(event: $0.event, client: $0.client, stretch: stretch) })
            }
        }

        func counted(_ cuts: [UnixSeconds], until end: UnixSeconds) -> CountedEvents? {
            audience.map { audience in
                CountedEvents(
                    happenings: happenings, onTime: happenings.filter { cuts[$0.stretch] < end }, versions: versions,
                    audience: audience, kinds: kinds, starts: cuts)
            }
        }
    }
}
