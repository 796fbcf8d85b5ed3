package import ThrongPlan
internal import ThrongPostgres

extension ReleaseStore {
    /// What became of the events of an app whose windows began within a period: `accepted`, `late`, or why they were
    /// refused. Unit: events.
    package func coverage(app: AppName, period: Period) async throws -> [String: Int64] {
        try await connection.run { session in
            let kinds = try session.run(SelectCoverage(app: app, period: period))
            return Dictionary(kinds.map { ($0.kind, $0.events) }, uniquingKeysWith: +)
        }
    }
}
