internal import Foundation
package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease

extension ReleaseStore {
    /// The coarser periods of an app that are to be released, finer ones first, then by their end.
    package func openRollups(app: AppName) async throws -> [OpenRollup] {
        try await connection.run { session in
            let rows = try session.query(Query.selectOpenRollups([.text(app.text)]))
            return try rows.indices.map { row in
                guard let kind = PeriodKind(code: try rows.integer(row, 2)) else {
                    throw PostgresError.unexpectedAnswer(query: Query.selectOpenRollups.name)
                }
                return OpenRollup(
                    layout: try Self.layout(LayoutID(try rows.bytes(row, 0)), json: try rows.bytes(row, 1)),
                    period: Period(kind: kind, start: try rows.integer(row, 3), end: try rows.integer(row, 4)),
                    hasOpenParts: try rows.flag(row, 5))
            }
        }
    }

    /// Releases a coarser period over the counters of its parts, in one transaction; nil where that was done before.
    ///
    /// Its parts are closed and released, so nothing changes under the decision. Their distinct counts go with it,
    /// unless a rollup that is coarser still is open, or tied metrics wait for them.
    ///
    /// - Parameters:
    ///   - ties: which metrics count the same events; nil decides as if there were none.
    ///   - make: decides, given the parts' counters, everything that was published about them, and what tied metrics
    ///     published.
    /// - Throws: ``PostgresError``, ``ReleaseError/decayed(metric:period:)``, and what `make` throws.
    package func rollUp(
        _ rollup: OpenRollup,
        ties: EventTies?,
        make: @escaping @Sendable ([StoredCube], [Release], [TiedMetric]) throws -> ReleaseDecision
    ) async throws -> ReleaseDecision? {
        try await connection.run { session in
            let layout = rollup.layout
            let metric = try Self.metricID(of: layout, session)
            let earlier = try Self.releases(within: rollup.period, of: layout, metric, session)
            let periods = earlier.map(\.header.period).filter { $0.kind == layout.period }
            let parts = try periods.map { try Self.cube(layout, $0, metric, session) }
            func evidence() throws -> [TiedMetric] {
                try ties.map { try Self.evidence($0, layout, rollup.period, metric, session) } ?? []
            }
            let early = try evidence()
            let prepared = try make(parts, earlier, early)
            return try session.transaction {
                if ties != nil { try session.query(Query.lockTies([.text(layout.app.text)])) }
                let mine = try session.pipeline([
                    Query.lockMetric([.integer(metric)]), Self.deletion(of: rollup, metric),
                ])
                guard mine[1].count == 1 else { return nil }
                let now = try evidence()
                let decision = now == early ? prepared : try make(parts, earlier, now)
                try Self.write(decision, of: layout, rollup.period, metric, session)
                let key: [Parameter] = [.integer(metric), rollup.period.start.parameter, rollup.period.end.parameter]
                let names = ties.map { Self.tiedNames($0, layout) } ?? []
                if !names.isEmpty {
                    try Self.keep(periods, of: layout, metric, for: names, session)
                } else if try !session.query(Query.findOpenRollup(key)).flag(0, 0) {
                    for period in periods { try Self.deleteDistinct(period, metric, session) }
                }
                if ties != nil { try Self.forgetKept(app: layout.app, session) }
                return decision
            }
        }
    }

    /// Releases a coarser period as if no other metric counted any of its events.
    package func rollUp(
        _ rollup: OpenRollup,
        make: @escaping @Sendable ([StoredCube], [Release]) throws -> ReleaseDecision
    ) async throws -> ReleaseDecision? {
        try await rollUp(rollup, ties: nil) { parts, earlier, _ in try make(parts, earlier) }
    }

    /// Gives a coarser period up: the plan no longer asks for it.
    package func giveUp(_ rollup: OpenRollup) async throws {
        try await connection.run { session in
            let metric = try Self.metricID(of: rollup.layout, session)
            try session.query(Self.deletion(of: rollup, metric))
        }
    }

    private static func deletion(of rollup: OpenRollup, _ metric: Int64) -> Statement {
        Query.deleteOpenRollup([.integer(metric), rollup.period.kind.parameter, rollup.period.start.parameter])
    }

    /// Everything that was published about a period's parts.
    private static func releases(
        within period: Period, of layout: MetricLayout, _ metric: Int64, _ session: Session
    ) throws -> [Release] {
        let rows = try session.query(
            Query.selectReleasesWithin([.integer(metric), period.start.parameter, period.end.parameter]))
        return try rows.indices.map { row in
            let header = try ReleaseHeader(json: Data(try rows.bytes(row, 0)))
            guard try !rows.flag(row, 2) else {
                throw ReleaseError.decayed(metric: layout.metric, period: header.period)
            }
            return try restored(try rows.integer(row, 1), header, digest: try rows.bytes(row, 3), session)
        }
    }
}
