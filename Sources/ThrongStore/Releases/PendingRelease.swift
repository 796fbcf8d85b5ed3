package import ThrongPlan
internal import ThrongPostgres

/// A period that will be released, and when.
package struct PendingRelease: Sendable, Hashable {
    /// The metric.
    package let metric: MetricName
    /// What it covers.
    package let period: Period
    /// When the period and the plan's grace are over. Unit: Unix seconds.
    package let due: Int64
}

extension ReleaseStore {
    /// The periods of a plan's app that have no release yet, the next one due first; each once, however many layouts were
    /// counted in it.
    package func pending(of plan: Plan) async throws -> [PendingRelease] {
        let grace = plan.app.grace.components.seconds
        let open = try await openPeriods(app: plan.app.name).map { ($0.layout.metric, $0.period) }
        let rollups = try await openRollups(app: plan.app.name).map { ($0.layout.metric, $0.period) }
        let all = Set((open + rollups).map { PendingRelease(metric: $0, period: $1, due: $1.end + grace) })
        return all.sorted { ($0.due, $0.period, $0.metric) < ($1.due, $1.period, $1.metric) }
    }
}
