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
    ///   - from: First start that counts.
    ///   - to: First start that no longer counts.
    /// - Throws: ``ReleaseError/altered(metric:period:)`` where a stored number was changed; ``PostgresError``.
    package func releases(
        app: AppName,
        metric: MetricName,
        periodKind: PeriodKind,
        from: UnixSeconds,
        to: UnixSeconds
    ) async throws -> [Release] {
        try await connection.run { session in
            // One snapshot, so that retention can't come between a release and its cells.
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                return try session.run(
                    SelectReleases(app: app, metric: metric, kind: periodKind, from: from, to: to)
                ).map { try Self.restored($0, session) }
            }
        }
    }

    /// The releases of a metric whose periods start within a range and that had been made when those of a later period
    /// were, and the start of the first period that had been released then (nil where none had).
    ///
    /// What is released afterwards, even of an earlier period, is never among them: the answer stays as it is but for age.
    ///
    /// - Parameters:
    ///   - from: First start that counts.
    ///   - period: The later period, whose start is the first that no longer counts.
    /// - Throws: as ``releases(app:metric:periodKind:from:to:)``.
    package func releases(
        app: AppName, metric: MetricName, knownWith period: Period, from: UnixSeconds
    ) async throws -> (releases: [Release], began: UnixSeconds?) {
        try await connection.run { session in
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                let began = try session.one(SelectFirstRelease(app: app, metric: metric, period: period))
                let known = try session.run(
                    SelectKnownReleases(app: app, metric: metric, period: period, from: from))
                return (try known.map { try Self.restored($0, session) }, began)
            }
        }
    }

    /// Every release of every app, oldest first: all that anyone was ever shown.
    ///
    /// - Throws: as ``releases(app:metric:periodKind:from:to:)``.
    package func allReleases() async throws -> [Release] {
        var all: [Release] = []
        for name in try await connection.run({ try $0.run(SelectReleaseNames()) }) {
            // 10^11 seconds are the year 5138: every period.
            all += try await releases(
                app: name.app, metric: name.metric, periodKind: name.kind, from: .epoch,
                to: UnixSeconds(100_000_000_000))
        }
        return all
    }
}
