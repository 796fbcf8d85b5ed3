package import ThrongPlan
package import ThrongRelease

extension ReleaseStore {
    /// Reads the evidence of an open period as it is now. Nothing is closed, and nothing is written.
    package func evidence(of open: OpenPeriod) async throws -> ReleaseEvidence {
        try await connection.snapshot { session in
            try Self.evidence(for: ReleaseScope(open), session.metricID(of: open.layout), session)
        }
    }

    static func evidence(for scope: ReleaseScope, _ metric: Int64, _ session: Session) throws -> ReleaseEvidence {
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
        let (terms, history) = try terms(for: scope, session)
        return ReleaseEvidence(
            layout: layout, period: scope.period, parts: parts, earlier: earlier, terms: terms,
            origins: history.origins(of: metric), countedInLayout: history.counted(in: metric),
            proved: try proved(in: scope.period, of: layout, metric, session))
    }

    /// Returns the number of devices that proved to be in each of a layout's cells in a period; none if the layout asks
    /// no proofs for periods of its kind.
    private static func proved(
        in period: Period, of layout: MetricLayout, _ metric: Int64, _ session: Session
    ) throws -> [ProvedDevices] {
        guard layout.provedFirsts?.periods.contains(period.kind) ?? false else { return [] }
        return [
            ProvedDevices(
                period: period, rows: try session.run(Query.countProvedFirsts(metric: metric, period: period)))
        ]
    }

    /// Returns the strictest terms that a release has to satisfy, nil if none were kept, and the terms of everything
    /// counted since the period began.
    private static func terms(
        for scope: ReleaseScope, _ session: Session
    ) throws -> (terms: ReleaseTerms?, history: TermsHistory) {
        let (layout, period) = (scope.layout, scope.period)
        let history = TermsHistory(
            try session.run(Query.selectTermsVersions(app: layout.app, from: period.start, to: period.end)),
            from: period.start)
        let kept = [try terms(of: layout, session), history.strictest(of: [layout.metric])].compactMap { $0 }
        let strictest = kept.dropFirst().reduce(kept.first) { $0?.stricter(with: $1) }
        return (strictest?.counting(history.counted(by: layout.metric)), history)
    }

    static func cube(
        _ layout: MetricLayout, _ period: Period, _ metric: Int64, _ session: Session
    ) throws -> StoredCube {
        let counters = try session.run(Query.selectCounters(metric: metric, period: period))
        let distinct = try session.run(Query.selectDistinct(metric: metric, period: period))
        return StoredCube(
            // The labels are read after the counters: a value is counted in its slot only once its label is there.
            layout: try named(layout, session), period: period, counters: counters, distinct: distinct)
    }

    /// Returns the terms of a layout's releases in the last plan that had it; nil if no daemon that keeps terms has
    /// registered it.
    package func terms(of layout: MetricLayout) async throws -> ReleaseTerms? {
        try await connection.run { try Self.terms(of: layout, $0) }
    }

    static func terms(of layout: MetricLayout, _ session: Session) throws -> ReleaseTerms? {
        try session.first(Query.selectTerms(layout: layout.counted.id))
    }
}

extension Query {
    static func holdCounters() -> Statement { Statement(counter_hold_sql) }

    static func selectCounters(metric: Int64, period: Period) -> RowQuery<StoredCounter> {
        RowQuery(counter_select_sql, metric, period.kind, period.start, row: StoredCounter.init)
    }

    static func selectDistinct(metric: Int64, period: Period) -> RowQuery<StoredDistinct> {
        RowQuery(distinct_count_select_sql, metric, period.kind, period.start, row: StoredDistinct.init)
    }

    static func deleteDistinct(metric: Int64, period: Period) -> Statement {
        Statement(distinct_count_delete_sql, metric, period.kind, period.start)
    }
}
