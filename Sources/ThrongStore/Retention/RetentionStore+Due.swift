package import ThrongPlan
internal import ThrongPostgres

extension RetentionStore {
    /// What age takes next of each metric, by each promise that has something left to take, and of reports in folders; of an app
    /// whose promises can't be read, what its plan in force alone says.
    ///
    /// - Parameter plans: the plans in force, as for ``expire(plans:now:countersKept:abandonedAfter:)``.
    package func outlook(_ plans: [Plan]) async throws -> RetentionOutlook {
        try await connection.run { session in
            var due = try session.run(SelectDueCopies())
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
        sorted(try session.run(SelectDueCopies()) + dueNumbers(promises(plans, session), session))
    }

    private static func dueNumbers(_ promises: [LayoutPromise], _ session: Session) throws -> [RetentionDue] {
        var due: [RetentionDue] = []
        for promise in promises {
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
        return due
    }

    /// What goes next of an app by its plan alone: the last step of each metric, whatever was promised before.
    private static func dueByPlan(_ app: AppName, _ plan: Plan?, _ session: Session) throws -> [RetentionDue] {
        let longest = plan?.purposes.map(\.retention).max() ?? .seconds(LayoutPromise.unsaid)
        return try session.run(SelectOldest(app: app)).map { oldest in
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

/// What age takes next.
package struct RetentionOutlook: Sendable {
    /// The soonest first.
    package let due: [RetentionDue]
    /// The apps of which not all can be told.
    package let troubles: [AppTrouble]

    /// Puts an outlook together.
    package init(due: [RetentionDue], troubles: [AppTrouble] = []) {
        self.due = due
        self.troubles = troubles
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
