package import ThrongPlan
package import ThrongPostgres

/// Takes away what is kept no longer.
///
/// Works as `throng_reporter`.
package struct RetentionStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// How long what nobody could release is kept beyond a plan's grace. Unit: seconds.
    private static let releaseRest: Int64 = 7 * 86_400
    /// How long numbers are kept of which no plan that is known says how long. Unit: seconds.
    private static let unsaid: Int64 = 400 * 86_400

    /// Deletes what is kept no longer, of every app in the database: each metric's decay steps, its purpose's retention,
    /// reports' files with the first number in them, and raw counters.
    ///
    /// Numbers of a metric or an app that no plan has any more go by what the last plan with them said. The rows of the
    /// ledger stay, without their numbers.
    ///
    /// - Parameters:
    ///   - plans: The plans in force.
    ///   - countersKept: How long raw counters outlive their period and its release at most; no longer than released numbers.
    ///   - abandonedAfter: When counters go although nobody released them.
    package func expire(
        plans: [Plan],
        now: UnixSeconds,
        countersKept: Duration = .seconds(7 * 86_400),
        abandonedAfter: Duration = .seconds(400 * 86_400)
    ) async throws -> ExpiryOutcome {
        let (cells, shortest) = try await connection.run { session in
            let layouts = try Self.keptLayouts(plans, session)
            var cells: Int64 = 0
            for layout in layouts {
                for step in layout.steps {
                    let dimension: DimensionName? =
                        if case .drop(let name) = step.action { name } else { nil }
                    let before = now - step.after.components.seconds
                    cells += try session.one(
                        DropReleased(metric: layout.metric, dimension: dimension, before: before))
                }
                let kept = max(layout.retention, layout.grace + Self.releaseRest)
                try session.run(ExpireOpen(metric: layout.metric, before: now - kept))
            }
            let byApp = Dictionary(grouping: layouts, by: \.app)
            for app in Set(byApp.keys).union(plans.map(\.app.name)).sorted() {
                let plan = plans.first { $0.app.name == app }
                // What waited for a metric that no plan asks to release goes now.
                try session.run(ForgetKeptPeriods(app: app))
                let longest = byApp[app]?.map(\.retention).max() ?? Self.unsaid
                try Self.expireLabels(of: app, now: now, session) {
                    plan?.retention(ofLabelsOf: $0) ?? .seconds(longest)
                }
            }
            for app in try session.run(SelectKeptApps()) {
                let shortest = byApp[app]?.map(\.shortest).min() ?? Self.unsaid
                try Self.expireFiles(
                    app: app, plan: plans.first { $0.app.name == app }, shortest: shortest, now: now, session)
            }
            return (cells, layouts.map(\.shortest).min() ?? Self.unsaid)
        }
        let partitions = try await dropPartitions(
            countersBefore: now - min(countersKept.components.seconds, shortest),
            distinctBefore: now - 86_400,
            abandonedBefore: now - abandonedAfter.components.seconds)
        return ExpiryOutcome(cells: cells, partitions: partitions)
    }

    /// How long numbers of a layout are kept.
    private struct KeptLayout {
        let metric: Int64
        let app: AppName
        /// Of the plan in force and of the last one that had this layout: whichever takes more.
        let steps: [DecayStep]
        /// Unit: seconds.
        let grace: Int64

        /// Until all goes. Unit: seconds.
        var retention: Int64 {
            steps.filter { $0.action == .delete }.map(\.after.components.seconds).min() ?? RetentionStore.unsaid
        }
        /// Until anything goes. Unit: seconds.
        var shortest: Int64 { steps.map(\.after.components.seconds).min() ?? RetentionStore.unsaid }
    }

    private static func keptLayouts(_ plans: [Plan], _ session: Session) throws -> [KeptLayout] {
        try session.run(SelectKeptLayouts()).map { known in
            let plan = plans.first { $0.app.name == known.app }
            let asked = plan?.metric(known.name).flatMap { plan?.expirySteps(of: $0) }
            var steps = (known.steps ?? []) + (asked ?? [])
            if steps.isEmpty {
                let longest = plan?.purposes.map(\.retention).max()
                steps = [DecayStep(after: longest ?? .seconds(unsaid), action: .delete)]
            }
            return KeptLayout(
                metric: known.metric, app: known.app, steps: steps, grace: plan?.app.grace.components.seconds ?? 0)
        }
    }

    /// Drops the partitions of raw counters and of distinct counts whose periods ended before these instants and were
    /// all released, and of abandoned periods in any case; returns the names of the dropped tables. The largest
    /// contributions of abandoned periods go with them.
    package func dropPartitions(
        countersBefore: UnixSeconds,
        distinctBefore: UnixSeconds,
        abandonedBefore: UnixSeconds
    ) async throws -> [String] {
        try await connection.run { session in
            let dropped = try session.run(
                DropPartitions(
                    countersBefore: countersBefore, distinctBefore: distinctBefore, abandonedBefore: abandonedBefore))
            try session.run(DeleteAbandonedTop())
            return dropped
        }
    }

    /// Deletes the files of an app's reports as soon as one number in them may be kept no longer, and coverage.
    ///
    /// - Parameters:
    ///   - plan: The plan in force; nil where the app has none any more.
    ///   - shortest: How long the numbers of the app are kept that are kept the shortest. Unit: seconds.
    private static func expireFiles(
        app: AppName, plan: Plan?, shortest: Int64, now: UnixSeconds, _ session: Session
    ) throws {
        func delete(keptFor seconds: Int64, of report: ReportName?) throws {
            try session.run(DeleteRunFiles(app: app, before: now - seconds, now: now, report: report))
        }
        try delete(keptFor: shortest, of: nil)
        for report in plan?.reports ?? [] {
            try delete(keptFor: plan?.seconds(keeping: report) ?? 0, of: report.name)
        }
        // An age counts from the end of a period, and none is longer than a month.
        try session.run(DeleteCoverage(app: app, before: now - shortest - 31 * 86_400))
    }
}

/// What a round of retention took.
package struct ExpiryOutcome: Sendable, Hashable {
    /// Unit: released cells.
    package let cells: Int64
    /// Tables of raw counters and distinct counts.
    package let partitions: [String]

    /// Puts an outcome together.
    package init(cells: Int64, partitions: [String]) {
        self.cells = cells
        self.partitions = partitions
    }
}
