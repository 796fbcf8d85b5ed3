package import ThrongPlan

/// The numbers of events by app, hour and fate, which flushes write with the counters; as `throng_reporter`.
package struct CoverageStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the number of an app's events whose windows began within a period, by fate: `accepted`, `late`, or the
    /// reason why they were refused. Unit: events.
    package func totals(app: AppName, period: Period) async throws -> [String: Int64] {
        let kinds = try await connection.run(Query.selectCoverage(app: app, period: period))
        return Dictionary(kinds.map { ($0.kind, $0.events) }, uniquingKeysWith: +)
    }

    /// Returns the possible losses of windows that touch a period, by daemons that were lost.
    package func losses(within period: Period) async throws -> [MemberLoss] {
        try await connection.run(Query.selectLosses(period: period))
    }
}

extension Query {
    static func upsertCoverage(app: AppName, hour: UnixSeconds, kind: String, events: Int64) -> Statement {
        Statement(coverage_upsert_sql, app, hour, kind, events)
    }

    /// The totals of an app's events within a period, by their fate.
    static func selectCoverage(app: AppName, period: Period) -> RowQuery<(kind: String, events: Int64)> {
        RowQuery(coverage_select_sql, app, period.start, period.end) { ($0, $1) }
    }

    static func deleteCoverage(app: AppName, before: UnixSeconds) -> Statement {
        Statement(coverage_delete_sql, app, before)
    }
}
