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
        return ReleaseEvidence(
            layout: layout,
            period: scope.period,
            parts: try periods.map { try cube(layout, $0, metric, session) },
            earlier: earlier,
            tied: try scope.ties.map { try tied(by: $0, layout, scope.period, metric, session) } ?? [],
            terms: try terms(of: layout, session))
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
