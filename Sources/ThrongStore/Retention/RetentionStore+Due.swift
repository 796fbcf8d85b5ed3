package import ThrongPlan
internal import ThrongPostgres

extension RetentionStore {
    /// What age takes next of each metric, by each promise that has something left to take, and of reports in folders; the soonest
    /// first.
    ///
    /// - Parameter plans: the plans in force, as for ``expire(plans:now:countersKept:abandonedAfter:)``.
    package func due(_ plans: [Plan]) async throws -> [RetentionDue] {
        try await connection.run { try Self.due(plans, $0) }
    }

    static func due(_ plans: [Plan], _ session: Session) throws -> [RetentionDue] {
        var due = try session.run(SelectDueCopies())
        for promise in try promises(plans, session) {
            for step in promise.steps {
                let found = try step.action.parts(of: promise.dimensions).map { part in
                    try session.one(
                        SelectDue(
                            metric: promise.layout, dimension: part.dimension, shorter: part.shorter,
                            began: promise.until.map { $0 + LayoutPromise.handover }))
                }
                guard let end = found.compactMap(\.end).min() else { continue }
                let one = RetentionDue(
                    app: promise.app, metric: promise.metric, term: step.term,
                    at: end + step.after.components.seconds, releases: found.map(\.releases).max() ?? 0)
                // Two plans may have promised the same.
                if !due.contains(one) { due.append(one) }
            }
        }
        return due.sorted { ($0.at, $0.app, $0.metric, $0.term) < ($1.at, $1.app, $1.metric, $1.term) }
    }
}

/// What age takes next by one step of a promise.
package struct RetentionDue: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Of which metric; of copies, of which report.
    package let metric: MetricName
    /// By which promise: "after 30 days: drop os".
    package let term: String
    /// When the oldest numbers reach the age.
    package let at: UnixSeconds
    /// Releases that the step has still to come to.
    package let releases: Int64

    /// Puts a step together.
    package init(app: AppName, metric: MetricName, term: String, at: UnixSeconds, releases: Int64) {
        self.app = app
        self.metric = metric
        self.term = term
        self.at = at
        self.releases = releases
    }

    /// How much later than that a round may come: it is once a day. Unit: seconds.
    private static let leeway: Int64 = 26 * 3600

    /// By when it should be gone.
    package var deadline: UnixSeconds { at + Self.leeway }

    /// Whether it should be gone by now.
    package func isOverdue(at now: UnixSeconds) -> Bool { deadline < now }

    /// For how long it should have been gone; 0 while a round may still come. Unit: seconds.
    package func seconds(lateAt now: UnixSeconds) -> Int64 { max(now.value - deadline.value, 0) }
}
