package import ThrongPlan
package import ThrongPostgres

/// What became of events, by app and hour. Flushes write it, with the counters that they add to.
///
/// Works as `throng_reporter`.
package struct CoverageStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// What became of the events of an app whose windows began within a period: `accepted`, `late`, or why they were
    /// refused. Unit: events.
    package func totals(app: AppName, period: Period) async throws -> [String: Int64] {
        try await connection.run { session in
            let kinds = try session.run(SelectCoverage(app: app, period: period))
            return Dictionary(kinds.map { ($0.kind, $0.events) }, uniquingKeysWith: +)
        }
    }

    /// What daemons that were lost may have lost of windows that touch a period.
    package func losses(within period: Period) async throws -> [MemberLoss] {
        try await connection.run { try $0.run(SelectLosses(period: period)) }
    }
}
