package import ThrongPlan

/// The numbers of events by app, hour and fate. Flushes write them, with the counters that they add to.
///
/// Works as `throng_reporter`.
package struct CoverageStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the number of an app's events whose windows began within a period, by fate: `accepted`, `late`, or the
    /// reason why they were refused. Unit: events.
    package func totals(app: AppName, period: Period) async throws -> [String: Int64] {
        try await connection.run { session in
            let kinds = try session.run(Query.selectCoverage(app: app, period: period))
            return Dictionary(kinds.map { ($0.kind, $0.events) }, uniquingKeysWith: +)
        }
    }

    /// Returns the possible losses of windows that touch a period, by daemons that were lost.
    package func losses(within period: Period) async throws -> [MemberLoss] {
        try await connection.run { try $0.run(Query.selectLosses(period: period)) }
    }
}
