package import ThrongPlan
internal import ThrongPostgres

extension ReleaseStore {
    /// How far off the numbers of a period have to be: as any plan asked that was in force since it began, whatever of the metric's
    /// layouts it had. Nil where all asked for exact ones.
    package func margin(for scope: ReleaseScope) async throws -> MetricMargin? {
        try await connection.run { try Self.terms(for: scope.untied, $0).terms?.margin }
    }
}
