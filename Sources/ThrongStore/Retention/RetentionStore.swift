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
        let (cells, shortest, troubles) = try await connection.run { session in
            var (cells, shortest) = (Int64(0), LayoutPromise.unsaid)
            let troubles = try Self.eachApp(plans, session) { app in
                let plan = plans.first { $0.app.name == app }
                // Also where what was promised can't be read.
                shortest = min(shortest, plan?.shortestAge ?? shortest)
                let promises = try Self.promises(plans, of: app, session)
                shortest = min(shortest, promises.map(\.shortest).min() ?? shortest)
                for promise in promises { cells += try Self.keep(promise, plans, now: now, session) }
                // What waited for a metric that no plan asks to release goes now.
                try session.run(ForgetKeptPeriods(app: app))
                let longest = promises.map(\.retention).max() ?? LayoutPromise.unsaid
                try Self.expireLabels(of: app, plan, longest: longest, now: now, session)
                for age in Self.fileAges(app, plan, promises) {
                    try session.run(DeleteRunFiles(app: app, before: now - age.seconds, now: now, report: age.report))
                    // An age counts from the end of a period, and none is longer than a month.
                    guard age.report == nil else { continue }
                    try session.run(DeleteCoverage(app: app, before: now - age.seconds - 31 * 86_400))
                }
            }
            return (cells, shortest, troubles)
        }
        let partitions = try await dropPartitions(
            countersBefore: now - min(countersKept.components.seconds, shortest),
            distinctBefore: now - 86_400,
            abandonedBefore: now - abandonedAfter.components.seconds)
        return ExpiryOutcome(cells: cells, partitions: partitions, troubles: troubles)
    }

    /// Does something for every app of which anything is kept, or that is served. Trouble with one ends nothing for another.
    ///
    /// - Returns: the apps for which it was not done, and why.
    /// - Throws: ``PostgresError`` where PostgreSQL is away, which is no app's trouble.
    static func eachApp(
        _ plans: [Plan], _ session: Session, _ work: (AppName) throws -> Void
    ) throws -> [AppTrouble] {
        try Set(try session.run(SelectKeptApps())).union(plans.map(\.app.name)).sorted().compactMap { app in
            do {
                try work(app)
                return nil
            } catch let error as PostgresError where error.isAbsence || error == .closed {
                throw error
            } catch {
                return AppTrouble(app: app, reason: "\(error)")
            }
        }
    }

    /// Takes what one promise gives to age by now; returns how many released cells that were.
    private static func keep(
        _ promise: LayoutPromise, _ plans: [Plan], now: UnixSeconds, _ session: Session
    ) throws -> Int64 {
        let began = promise.until.map { $0 + LayoutPromise.handover }
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
    ///
    /// - Parameter app: nil for all.
    static func promises(_ plans: [Plan], of app: AppName? = nil, _ session: Session) throws -> [LayoutPromise] {
        let known = try session.run(SelectPromises(app: app))
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
            // No period is longer than a month, and by then its parts are released, or open.
            try session.run(ExpireProvedFirsts(before: distinctBefore - 40 * 86_400))
            try session.run(ExpireProvedCounts(before: abandonedBefore))
            return dropped
        }
    }

    /// How long files of reports of an app are kept after the end of their period: of a report as the plan in force says, and as
    /// long as the numbers of the app that are kept the shortest where no report is named. Unit: seconds.
    static func fileAges(
        _ app: AppName, _ plan: Plan?, _ promises: [LayoutPromise]
    ) -> [(report: ReportName?, seconds: Int64)] {
        let shortest = promises.map(\.shortest).min() ?? LayoutPromise.unsaid
        return [(nil, shortest)] + (plan?.reports ?? []).map { ($0.name, plan?.seconds(keeping: $0) ?? 0) }
    }
}

extension Plan {
    /// The age at which the first of all numbers go; nil where nothing is counted. Unit: seconds.
    fileprivate var shortestAge: Int64? {
        metrics.flatMap { expirySteps(of: $0) }.map(\.after.components.seconds).min()
    }
}

/// What a round of retention took.
package struct ExpiryOutcome: Sendable, Hashable {
    /// Unit: released cells.
    package let cells: Int64
    /// Tables of raw counters and distinct counts.
    package let partitions: [String]
    /// The apps of which not all went.
    package let troubles: [AppTrouble]

    /// Puts an outcome together.
    package init(cells: Int64, partitions: [String], troubles: [AppTrouble] = []) {
        self.cells = cells
        self.partitions = partitions
        self.troubles = troubles
    }
}

/// An app for which something could not be done that was done for others.
package struct AppTrouble: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its name.
    package let app: AppName
    /// Why.
    package let reason: String

    /// Puts it together.
    package init(app: AppName, reason: String) {
        self.app = app
        self.reason = reason
    }

    /// Why.
    package var description: String { reason }
}
