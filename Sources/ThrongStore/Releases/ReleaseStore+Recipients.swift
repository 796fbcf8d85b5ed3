package import ThrongPlan

extension ReleaseStore {
    /// Returns the recipients of a metric's numbers that plans named, whatever its layout.
    package func recipients(of metric: MetricName, app: AppName) async throws -> PromisedRecipients {
        try await connection.run { PromisedRecipients(try $0.run(Query.selectRecipients(app: app, metric: metric))) }
    }
}
