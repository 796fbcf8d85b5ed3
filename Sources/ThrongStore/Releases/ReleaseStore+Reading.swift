package import ThrongPlan
package import ThrongRelease

extension ReleaseStore {
    /// Returns the releases of a metric whose periods start within a range, by start; each is checked against its
    /// digest.
    ///
    /// Numbers that age took are missing, and so are groupings that it took whole; a release that age left nothing of
    /// is left out. A metric whose layout changed within a period has one release a layout.
    ///
    /// - Throws: ``ReleaseError/altered(metric:period:)`` where a stored number was changed; ``PostgresError``.
    package func releases(
        app: AppName, metric: MetricName, periodKind: PeriodKind, from: UnixSeconds, to: UnixSeconds
    ) async throws -> [Release] {
        try await connection.snapshot { session in
            // One snapshot keeps retention from coming between a release and its cells.
            return try session.run(
                Query.selectReleases(app: app, metric: metric, kind: periodKind, from: from, to: to)
            ).map { try Self.restored($0, session) }
        }
    }

    /// Returns the releases of a metric whose periods start within a range and that had been made when those of a later
    /// period were. Also returns the start of the first period that had been released then (nil where none had).
    ///
    /// Later releases, even of an earlier period, are never among them: only age changes the answer.
    package func releases(
        app: AppName, metric: MetricName, knownWith period: Period, from: UnixSeconds
    ) async throws -> (releases: [Release], began: UnixSeconds?) {
        try await connection.snapshot { session in
            let began = try session.one(Query.selectFirstRelease(app: app, metric: metric, period: period))
            let known = try session.run(
                Query.selectKnownReleases(app: app, metric: metric, period: period, from: from))
            return (try known.map { try Self.restored($0, session) }, began)
        }
    }

    /// Returns every release of every app, oldest first: all that anyone was ever shown.
    package func allReleases() async throws -> [Release] {
        var all: [Release] = []
        for name in try await connection.run({ try $0.run(Query.selectReleaseNames()) }) {
            // This is every period: 10^11 seconds are the year 5138.
            all += try await releases(
                app: name.app, metric: name.metric, periodKind: name.kind, from: .epoch,
                to: UnixSeconds(100_000_000_000))
        }
        return all
    }

    /// Returns the recipients of a metric's numbers that plans named, whatever its layout.
    package func recipients(of metric: MetricName, app: AppName) async throws -> PromisedRecipients {
        PromisedRecipients(try await connection.run(Query.selectRecipients(app: app, metric: metric)))
    }
}
