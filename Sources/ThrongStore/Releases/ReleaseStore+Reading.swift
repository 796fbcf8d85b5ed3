internal import Foundation
package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease

extension ReleaseStore {
    /// The releases of a metric whose periods start within a range, by start; each is checked against its digest.
    ///
    /// What age took from a release is missing, and so are groupings that it took whole; a release of which age left
    /// nothing is left out. A metric whose layout changed within a period has one release a layout.
    ///
    /// - Parameters:
    ///   - from: First start that counts. Unit: Unix seconds.
    ///   - to: First start that no longer counts. Unit: Unix seconds.
    /// - Throws: ``ReleaseError/altered(metric:period:)`` where a stored number was changed; ``PostgresError``.
    package func releases(
        app: AppName,
        metric: MetricName,
        periodKind: PeriodKind,
        from: Int64,
        to: Int64
    ) async throws -> [Release] {
        try await connection.run { session in
            // One snapshot, so that retention can't come between a release and its cells.
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                let rows = try session.query(
                    Query.selectReleases([
                        .text(app.text), .text(metric.text), periodKind.parameter, .instant(from), .instant(to),
                    ]))
                return try Self.releases(rows, session)
            }
        }
    }

    /// The releases of a metric whose periods start within a range and that had been made when those of a later period
    /// were, and the start of the first period that had been released then (Unix seconds; nil where none had).
    ///
    /// What is released afterwards, even of an earlier period, is never among them: the answer stays as it is but for age.
    ///
    /// - Parameters:
    ///   - from: First start that counts. Unit: Unix seconds.
    ///   - period: The later period, whose start is the first that no longer counts.
    /// - Throws: as ``releases(app:metric:periodKind:from:to:)``.
    package func releases(
        app: AppName, metric: MetricName, knownWith period: Period, from: Int64
    ) async throws -> (releases: [Release], began: Int64?) {
        try await connection.run { session in
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                let name: [Parameter] = [.text(app.text), .text(metric.text), period.kind.parameter]
                let first = try session.query(Query.selectFirstRelease(name + [.instant(period.start)]))
                let rows = try session.query(
                    Query.selectKnownReleases(
                        name + [.instant(from), .instant(period.start), .instant(period.start)]))
                return (
                    try Self.releases(rows, session),
                    first.count == 1 && !first.isNull(0, 0) ? try first.integer(0, 0) : nil
                )
            }
        }
    }

    /// Reads what `release.select` and `release.select_known` answer.
    private static func releases(_ rows: Rows, _ session: Session) throws -> [Release] {
        try rows.indices.map { row in
            let dropped = try rows.text(row, 3).split(separator: ",").map { DimensionName(String($0)) }
            return try restored(
                try rows.integer(row, 0), try ReleaseHeader(json: Data(try rows.bytes(row, 1))),
                digest: try rows.bytes(row, 2), dropped: Set(dropped), session)
        }
    }

    /// Every release of every app, oldest first: all that anyone was ever shown.
    ///
    /// - Throws: as ``releases(app:metric:periodKind:from:to:)``.
    package func allReleases() async throws -> [Release] {
        let names = try await connection.run { session in
            let rows = try session.query(Query.selectReleaseNames([]))
            return try rows.indices.map { row in
                guard let kind = PeriodKind(code: try rows.integer(row, 2)) else {
                    throw PostgresError.unexpectedAnswer(query: Query.selectReleaseNames.name)
                }
                return (app: AppName(try rows.text(row, 0)), metric: MetricName(try rows.text(row, 1)), kind: kind)
            }
        }
        var all: [Release] = []
        for name in names {
            // 10^11 seconds are the year 5138: every period.
            all += try await releases(
                app: name.app, metric: name.metric, periodKind: name.kind, from: 0, to: 100_000_000_000)
        }
        return all
    }
}
