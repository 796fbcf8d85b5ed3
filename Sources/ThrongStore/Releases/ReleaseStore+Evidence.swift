package import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// Reads what a release is decided on.
    static func evidence(
        for scope: ReleaseScope, _ metric: Int64, _ session: Session
    ) throws -> ReleaseEvidence {
        let layout = scope.layout
        var earlier: [Release] = []
        var periods = [scope.period]
        if case .parts = scope.source {
            earlier = try releases(within: scope.period, of: layout, metric, session)
            periods = earlier.map(\.header.period).filter { $0.kind == layout.period }
        }
        let parts = try periods.map { try cube(layout, $0, metric, session) }
        let counted = Set(earlier.filter { !$0.cells.isEmpty }.map(\.header.period))
        if let gone = parts.first(where: { $0.counters.isEmpty && counted.contains($0.period) }) {
            throw ReleaseError.countersGone(metric: layout.metric, period: gone.period)
        }
        let (terms, ties, history) = try terms(for: scope, session)
        return ReleaseEvidence(
            layout: layout,
            period: scope.period,
            parts: parts,
            earlier: earlier,
            tied: try ties.map { try tied(by: $0, history, layout, scope.period, metric, session) } ?? [],
            terms: terms,
            origins: history.origins(of: metric),
            countedInLayout: history.counted(in: metric),
            former: try former(metric, scope.period, session),
            proved: try proved(
                in: Set(periods + earlier.map(\.header.period) + [scope.period]), of: layout, metric, session))
    }

    /// The devices that proved to be in a layout's cells in some periods, by start.
    static func proved(
        in periods: Set<Period>, of layout: MetricLayout, _ metric: Int64, _ session: Session
    ) throws -> [ProvedDevices] {
        guard let firsts = layout.provedFirsts else { return [] }
        return try periods.filter { firsts.periods.contains($0.kind) }.sorted().map { period in
            ProvedDevices(
                period: period, rows: try session.run(SelectProvedCounts(metric: metric, period: period)))
        }
    }

    /// What was published of the period before; nil where age has taken some of that.
    private static func former(_ metric: Int64, _ period: Period, _ session: Session) throws -> Release? {
        guard let found = try session.first(SelectFormerRelease(metric: metric, period: period)), !found.isDecayed,
            found.release.header.margins == nil
        else { return nil }
        return try restored(found.release, session)
    }

    /// What a release has to satisfy at least, nil where nobody kept that, and what was counted besides.
    ///
    /// Plans that were in force since the period began count, and those of tied metrics, too: what one gives away, it gives
    /// away for all. Where something that holds the period was published, it is about all that it holds.
    static func terms(
        for scope: ReleaseScope, _ session: Session
    ) throws -> (terms: ReleaseTerms?, ties: EventTies?, history: TermsHistory) {
        let (layout, period) = (scope.layout, scope.period)
        let around = try session.run(SelectOverlappingReleases(app: layout.app, from: period.start, to: period.end))
            .map(\.release.header.period).filter { $0.start <= period.start && $0.end >= period.end }
        let start = around.reduce(period.start) { min($0, $1.start) }
        let end = around.reduce(period.end) { max($0, $1.end) }
        let history = TermsHistory(
            try session.run(SelectTermsVersions(app: layout.app, from: start, to: end)), from: start, to: end)
        let ties = scope.ties?.during(history)
        let names = ties.map { tiedNames($0, layout) } ?? []
        let kept = [try terms(of: layout, session), history.strictest(of: names.union([layout.metric]))]
            .compactMap { $0 }
        let strictest = kept.dropFirst().reduce(kept.first) { $0?.stricter(with: $1) }
        return (strictest?.counting(history.counted(by: layout.metric)), ties, history)
    }

    static func cube(
        _ layout: MetricLayout,
        _ period: Period,
        _ metric: Int64,
        _ session: Session
    ) throws -> StoredCube {
        let counters = try session.run(SelectCounters(metric: metric, period: period))
        let distinct = try session.run(SelectDistinct(metric: metric, period: period))
        return StoredCube(
            // Read after the counters: a value is counted in its slot only once its label is there.
            layout: try named(layout, session),
            period: period,
            counters: counters,
            distinct: distinct,
            // Only sums have any.
            top: layout.sums.isEmpty ? [] : try session.run(SelectTop(metric: metric, period: period)))
    }

    /// What the last plan that had a layout asked of its releases; nil where no daemon that keeps terms has registered it.
    package func terms(of layout: MetricLayout) async throws -> ReleaseTerms? {
        try await connection.run { try Self.terms(of: layout, $0) }
    }

    static func terms(of layout: MetricLayout, _ session: Session) throws -> ReleaseTerms? {
        try session.first(SelectTerms(layout: layout.counted.id))
    }
}
