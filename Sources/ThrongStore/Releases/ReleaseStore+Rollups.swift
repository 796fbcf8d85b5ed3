package import ThrongPlan
internal import ThrongRelease

extension ReleaseStore {
    /// Returns the coarser periods of an app that are to be released, finer ones first, then by their end.
    package func openRollups(app: AppName) async throws -> [OpenRollup] {
        try await connection.run(Query.selectOpenRollups(app: app))
    }

    /// Gives a coarser period up: the plan no longer asks for it.
    package func giveUp(_ rollup: OpenRollup) async throws {
        try await connection.run { session in
            let metric = try session.metricID(of: rollup.layout)
            try session.run(Query.deleteOpenRollup(metric: metric, period: rollup.period))
        }
    }

    /// Returns everything that was published about a period's parts.
    static func releases(
        within period: Period, of layout: MetricLayout, _ metric: Int64, _ session: Session
    ) throws -> [Release] {
        try session.run(Query.selectReleasesWithin(metric: metric, period: period)).map { stored, isDecayed in
            guard !isDecayed else { throw ReleaseError.decayed(metric: layout.metric, period: stored.header.period) }
            return try restored(stored, session)
        }
    }
}
