package import ThrongPlan
package import ThrongPostgres

/// Takes away what is kept no longer.
///
/// Works as `throng_reporter`.
package struct RetentionStore: Sendable {
    let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// How long raw counters outlive their release at most. Unit: seconds.
    package static let countersKept: Int64 = 7 * 86_400
    /// How long what nobody could release is kept beyond a plan's grace. Unit: seconds.
    private static let releaseRest: Int64 = 7 * 86_400

    /// Deletes what is kept no longer, of every app in the database: each metric's decay steps, its purpose's retention,
    /// reports' files with the first number in them, and raw counters.
    ///
    /// Numbers go by what was promised when they were counted, and by every promise since, whichever takes more: also those
    /// of a metric or an app that no plan has any more. The rows of the ledger stay, without their numbers, and what went is
    /// written down.
    ///
    /// - Parameters:
    ///   - plans: The plans in force.
    ///   - countersKept: How long raw counters outlive their period and its release at most; no longer than released numbers.
    ///   - abandonedAfter: When counters go although nobody released them.
    package func expire(
        plans: [Plan],
        now: UnixSeconds,
        countersKept: Duration = .seconds(Self.countersKept),
        abandonedAfter: Duration = .seconds(400 * 86_400)
    ) async throws -> ExpiryOutcome {
        let (cells, shortest) = try await connection.run { session in
            let promises = try Self.promises(plans, session)
            var cells: Int64 = 0
            for promise in promises { cells += try Self.keep(promise, plans, now: now, session) }
            let byApp = Dictionary(grouping: promises, by: \.app)
            for app in Set(byApp.keys).union(plans.map(\.app.name)).sorted() {
                let plan = plans.first { $0.app.name == app }
                // What waited for a metric that no plan asks to release goes now.
                try session.run(ForgetKeptPeriods(app: app))
                let longest = byApp[app]?.map(\.retention).max() ?? LayoutPromise.unsaid
                try Self.expireLabels(of: app, plan, longest: longest, now: now, session)
            }
            for app in try session.run(SelectKeptApps()) {
                let shortest = byApp[app]?.map(\.shortest).min() ?? LayoutPromise.unsaid
                try Self.expireFiles(
                    app: app, plan: plans.first { $0.app.name == app }, shortest: shortest, now: now, session)
            }
            return (cells, promises.map(\.shortest).min() ?? LayoutPromise.unsaid)
        }
        let partitions = try await dropPartitions(
            countersBefore: now - min(countersKept.components.seconds, shortest),
            distinctBefore: now - 86_400,
            abandonedBefore: now - abandonedAfter.components.seconds)
        return ExpiryOutcome(cells: cells, partitions: partitions)
    }

    /// Daemons start with a plan one after the other: what one promised holds for so much longer. Unit: seconds.
    static let handover: Int64 = 3600

    /// Takes what one promise gives to age by now; returns how many released cells that were.
    private static func keep(
        _ promise: LayoutPromise, _ plans: [Plan], now: UnixSeconds, _ session: Session
    ) throws -> Int64 {
        let began = promise.until.map { $0 + handover }
        var cells: Int64 = 0
        for step in promise.steps {
            for part in step.action.parts(of: promise.dimensions) {
                cells += try session.one(
                    DropReleased(
                        metric: promise.layout, dimension: part.dimension, shorter: part.shorter,
                        before: now - step.after.components.seconds, began: began, term: step.term))
            }
        }
        let grace = plans.first { $0.app.name == promise.app }?.app.grace.components.seconds ?? 0
        let kept = max(promise.retention, grace + releaseRest)
        try session.run(ExpireOpen(metric: promise.layout, before: now - kept, began: began))
        return cells
    }

    /// Everything that was ever promised, and what the plans in force promise: whatever takes more is kept to.
    static func promises(_ plans: [Plan], _ session: Session) throws -> [LayoutPromise] {
        let known = try session.run(SelectPromises())
        let asked = Dictionary(grouping: known, by: \.layout).values.compactMap { promises -> LayoutPromise? in
            let layout = promises[0]
            let plan = plans.first { $0.app.name == layout.app }
            var steps = plan?.metric(layout.metric).flatMap { plan?.expirySteps(of: $0) } ?? []
            if steps.isEmpty, promises.allSatisfy(\.steps.isEmpty) {
                let longest = plan?.purposes.map(\.retention).max()
                steps = [DecayStep(after: longest ?? .seconds(LayoutPromise.unsaid), action: .delete)]
            }
            return steps.isEmpty
                ? nil
                : LayoutPromise(
                    layout: layout.layout, app: layout.app, metric: layout.metric, dimensions: layout.dimensions,
                    until: nil, steps: steps)
        }
        return (known.filter { !$0.steps.isEmpty } + asked)
            .sorted { ($0.layout, $0.until ?? .max) < ($1.layout, $1.until ?? .max) }
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
