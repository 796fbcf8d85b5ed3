internal import ThrongPlan
internal import ThrongSuppression

/// A release beside everything that was published about the same events by other metrics.
///
/// Each metric keeps leaves of its own: a table of all of their dimensions together would be a product of theirs. What
/// ties them are equations: in every bucket of the dimensions that they share, and every period that holds whole periods
/// of each, one's leaves add up to the other's, or to what exceeds them by a rest of at least 0. Any two tables with
/// equal shared margins have a common one, so nothing that the attacker can do in it is missed.
struct TiedCase {
    /// The release's own cells first, then those of the metrics that it is tied to.
    let tables: [TiedTable]
    /// What identities are about.
    let sources: [TiedSource]
    let identities: [EventIdentity]
    /// What releases cover: this one, and those of tied metrics.
    let periods: [Period]
    private let release: ReleaseCase
    private let options: ReleaseOptions

    /// Lays out every metric.
    ///
    /// - Parameter listsEmpty: whether empty leaves of tied metrics take part, too, where there are few: readers
    ///   can't tell them from small ones.
    init(
        _ release: ReleaseCase, own: CaseTable, options: ReleaseOptions, listsEmpty: Bool = false
    ) throws(SuppressionError) {
        self.release = release
        self.options = options
        let header = release.header
        var names = [header.layout.metric]
        var counted = [release.counts]
        var tables = [
            TiedTable(
                metric: 0, laid: own, origins: release.origins, counted: release.counts,
                inLayout: release.countedInLayout,
                releases: release.earlier, threshold: header.threshold, coming: header)
        ]
        for tied in release.tied where tied.isWhole && !tied.parts.isEmpty {
            let metric: Int
            if let known = names.firstIndex(of: tied.layout.metric) {
                metric = known
            } else {
                metric = names.count
                names.append(tied.layout.metric)
                counted.append(tied.counted)
            }
            let evidence = release.evidence(of: tied)
            tables.append(
                TiedTable(
                    metric: metric,
                    laid: try CaseTable(
                        evidence, options: options, others: release.margins(of: tied), isEvidence: true,
                        listsEmpty: listsEmpty),
                    origins: tied.origins, counted: tied.counted, inLayout: tied.countedInLayout,
                    releases: tied.releases, threshold: evidence.header.threshold))
        }
        self.tables = tables
        periods = Set([header.period] + release.tied.flatMap { $0.releases.map(\.header.period) })
            .sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        sources = TiedSource.all(counted, tables: tables)
        identities = EventIdentity.all(among: sources)
    }

    /// Holds back what would give a cell of any tied metric away.
    ///
    /// - Parameter kept: by own column: what is safe as far as the metric itself goes; only ever becomes less.
    /// - Returns: what the separate verification found.
    func narrow(_ kept: inout [Bool], using random: inout some RandomNumberGenerator) throws(SuppressionError) -> Int {
        var faults = 0
        if release.tied.contains(where: { !$0.isWhole }) {
            // What is gone can't be reckoned with, so nothing may be added to it.
            kept = kept.map { _ in false }
        } else {
            let sums = release.header.layout.sums.filter { sum in
                tables.dropFirst().contains { $0.laid.frame.layout.sums.contains(sum) }
            }
            // An event may be where nobody is; a sum needs events.
            let listed = try TiedCase(release, own: tables[0].laid, options: options, listsEmpty: true)
            for (tied, measure) in [(listed, nil)] + sums.map({ (self, Optional($0)) }) {
                for isKnown in [true, false] where kept.contains(true) {
                    let problem = TiedProblem(
                        tied, sum: measure, header: release.header, knowsDifferences: isKnown)
                    faults += try problem?.narrow(&kept, options: options.engine, using: &random) ?? 0
                }
            }
            if kept.contains(true), let frequency = TiedFrequency(self, header: release.header) {
                try frequency.narrow(&kept, seconds: options.proofSeconds)
            }
        }
        return faults
    }
}

extension ReleaseCase {
    /// What the released metric counts. Where that was not kept, others' audience stands for its own: who is tied has the
    /// same.
    var counts: CountedEvents {
        if let counted { return counted }
        let audience = tied.first?.counted.audience ?? .former(header.layout.purpose)
        return CountedEvents(names: header.events.map { Set($0) }, audience: audience)
    }

    /// The shown groupings of tied metrics in terms of the release's own dimensions.
    var tiedMargins: Set<Margin> {
        Set(
            tied.flatMap { metric in
                metric.shown.compactMap {
                    metric.layout.translate($0, metric.origins, to: header.layout, origins)
                }
            })
    }

    /// The shown groupings of all others in terms of one tied metric's dimensions.
    func margins(of metric: TiedMetric) -> Set<Margin> {
        let own = header.groupings.compactMap {
            header.layout.translate($0, origins, to: metric.layout, metric.origins)
        }
        // That there will be a total needs no release.
        let others =
            [.total]
            + tied.flatMap { other in
                other.shown.compactMap { other.layout.translate($0, other.origins, to: metric.layout, metric.origins) }
            }
        return Set(own + others)
    }

    /// A tied metric as a case of its own: everything that it published, and every cell of it that must stay unknown: what
    /// it published with a higher k stays so.
    func evidence(of metric: TiedMetric) -> ReleaseCase {
        let start = metric.parts.map(\.period.start).min() ?? header.period.start
        let end = metric.parts.map(\.period.end).max() ?? header.period.end
        let kind = metric.parts.count == 1 ? metric.layout.period : max(metric.layout.period, header.period.kind)
        let sensitive = Set(metric.releases.flatMap { $0.header.sensitive ?? [] } + (header.sensitive ?? []))
        let names = metric.layout.dimensions.map(\.name).filter(sensitive.contains)
        return ReleaseCase(
            header: ReleaseHeader(
                layout: metric.layout, period: Period(kind: kind, start: start, end: end), plan: header.plan,
                threshold: metric.releases.map(\.header.threshold).reduce(header.threshold, max), sampling: 1,
                reach: false, groupings: metric.shown.sorted(),
                protection: header.protection, sensitive: names),
            parts: metric.parts, earlier: metric.releases, origins: metric.origins, proved: metric.proved)
    }
}

extension TiedMetric {
    /// Every grouping that it shows.
    var shown: Set<Margin> { Set(releases.flatMap(\.header.groupings)) }
}
