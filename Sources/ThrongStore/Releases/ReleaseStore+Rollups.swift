internal import Foundation
package import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

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

    /// Gives a coarser period up: the plan no longer asks for it.
    package func giveUp(_ rollup: OpenRollup) async throws {
        try await connection.run { session in
            let metric = try Self.metricID(of: rollup.layout, session)
            try session.query(
                Query.deleteOpenRollup([.integer(metric), rollup.period.kind.parameter, rollup.period.start.parameter]))
        }
    }

    /// Everything that was published about a period's parts.
    static func releases(
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
