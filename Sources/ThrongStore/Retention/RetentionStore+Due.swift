package import ThrongPlan

extension RetentionStore {
    /// Returns the next deletions of each metric, by each promise that has something left to delete, and of reports in
    /// folders. If an app's promises can't be read, its plan in force alone counts.
    package func outlook(_ plans: [Plan]) async throws -> RetentionOutlook {
        try await connection.run { session in
            var due = try session.run(Query.selectDueCopies())
            var troubles = try Self.eachApp(plans, session) { app in
                due += try Self.dueNumbers(Self.promises(plans, of: app, session), session)
            }
            let unread = Set(troubles.map(\.app))
            troubles += try Self.eachApp(plans, session) { app in
                guard unread.contains(app) else { return }
                due += try Self.dueByPlan(app, plans.first { $0.app.name == app }, session)
            }
            return RetentionOutlook(due: Self.sorted(due), troubles: troubles)
        }
    }

    static func due(_ plans: [Plan], _ session: Session) throws -> [RetentionDue] {
        sorted(try session.run(Query.selectDueCopies()) + dueNumbers(promises(plans, session), session))
    }

    private static func dueNumbers(_ promises: [LayoutPromise], _ session: Session) throws -> [RetentionDue] {
        var due: [RetentionDue] = []
        for promise in promises {
            for step in promise.steps {
                let found = try step.action.parts(of: promise.dimensions).map { part in
                    try session.one(
                        Query.selectDue(
                            metric: promise.layout, dimension: part.dimension, shorter: part.shorter,
                            began: promise.began))
                }
                guard let end = found.compactMap(\.end).min() else { continue }
                let one = RetentionDue(
                    app: promise.app, metric: promise.metric, term: step.term,
                    at: end + step.after.components.seconds, releases: found.map(\.releases).max() ?? 0)
                // Two plans may have promised the same.
                if !due.contains(one) { due.append(one) }
            }
        }
        return due
    }

    /// Returns an app's next deletions by its plan alone: the last step of each metric, whatever was promised before.
    private static func dueByPlan(_ app: AppName, _ plan: Plan?, _ session: Session) throws -> [RetentionDue] {
        let longest = plan?.purposes.map(\.retention).max() ?? .seconds(LayoutPromise.unsaid)
        return try session.run(Query.selectOldest(app: app)).map { oldest in
            let steps = plan?.metric(oldest.metric).flatMap { plan?.expirySteps(of: $0) } ?? []
            let last = steps.first { $0.action == .delete } ?? DecayStep(after: longest, action: .delete)
            return RetentionDue(
                app: app, metric: oldest.metric, term: last.term, at: oldest.end + last.after.components.seconds,
                releases: oldest.releases)
        }
    }

    private static func sorted(_ due: [RetentionDue]) -> [RetentionDue] {
        due.sorted { ($0.at, $0.app, $0.metric, $0.term) < ($1.at, $1.app, $1.metric, $1.term) }
    }
}

package struct RetentionOutlook: Sendable {
    /// The deletions, the soonest first.
    package let due: [RetentionDue]
    /// The apps whose deletions are not all known.
    package let troubles: [AppTrouble]

    package init(due: [RetentionDue], troubles: [AppTrouble] = []) {
        self.due = due
        self.troubles = troubles
    }
}

/// The next deletion by one step of a promise.
package struct RetentionDue: Sendable, Hashable {
    package let app: AppName
    /// The metric; for copies, the report.
    package let metric: MetricName
    /// The promise: "after 30 days: drop os".
    package let term: String
    /// The time at which the oldest numbers reach the age.
    package let at: UnixSeconds
    /// The number of releases that the step has not taken numbers from yet.
    package let releases: Int64

    package init(app: AppName, metric: MetricName, term: String, at: UnixSeconds, releases: Int64) {
        self.app = app
        self.metric = metric
        self.term = term
        self.at = at
        self.releases = releases
    }

    /// The time that a daily round may come later than that. Unit: seconds.
    private static let leeway: Int64 = 26 * 3600

    /// The time by which the numbers should be deleted.
    package var deadline: UnixSeconds { at + Self.leeway }

    package func isOverdue(at now: UnixSeconds) -> Bool { deadline < now }

    /// Returns how long the deletion is overdue; 0 while a round may still come. Unit: seconds.
    package func seconds(lateAt now: UnixSeconds) -> Int64 { max(now.value - deadline.value, 0) }
}
