package import ThrongPlan
internal import ThrongPostgres

extension ReleaseStore {
    /// Whom plans named as those who receive numbers of a metric, whatever its layout.
    package func recipients(of metric: MetricName, app: AppName) async throws -> PromisedRecipients {
        try await connection.run { PromisedRecipients(try $0.run(SelectRecipients(app: app, metric: metric))) }
    }
}
