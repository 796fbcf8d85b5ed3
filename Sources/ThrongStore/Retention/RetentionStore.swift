package import ThrongPlan

/// Deletes data that has reached its age, as `throng_reporter`.
package struct RetentionStore: Sendable {
    let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// The longest time that raw counters outlive their release. Unit: seconds.
    package static let countersKept: Int64 = 7 * 86_400
    /// The time beyond a plan's grace that unreleased periods are kept. Unit: seconds.
    private static let releaseRest: Int64 = 7 * 86_400

    /// Deletes data that has reached its age, of every app in the database: each metric's decay steps, its purpose's
    /// retention, reports' files with the first number in them, and raw counters.
    ///
    /// Numbers are deleted by the promise in force when they were counted, and by every promise since, whichever
    /// deletes more. That holds also for a metric or an app that no plan has any more. The rows of the ledger stay,
    /// without their numbers, and all deletions are noted.
    ///
    /// - Parameters:
    ///   - countersKept: the longest time that raw counters outlive their period and its release; no longer than
    ///     released numbers.
    ///   - abandonedAfter: the age at which counters are deleted although they were not released.
    package func expire(
        plans: [Plan], now: UnixSeconds, countersKept: Duration = .seconds(Self.countersKept),
        abandonedAfter: Duration = .seconds(400 * 86_400)
    ) async throws -> ExpiryOutcome {
        let (cells, shortest, troubles) = try await connection.run { session in
            var (cells, shortest) = (Int64(0), LayoutPromise.unsaid)
            let troubles = try Self.eachApp(plans, session) { app in
                let plan = plans.first { $0.app.name == app }
                // This counts also if the promises can't be read.
                shortest = min(shortest, plan?.shortestAge ?? shortest)
                let promises = try Self.promises(plans, of: app, session)
                shortest = min(shortest, promises.map(\.shortest).min() ?? shortest)
                for promise in promises { cells += try Self.keep(promise, plans, now: now, session) }
                let longest = promises.map(\.retention).max() ?? LayoutPromise.unsaid
                try Self.expireLabels(of: app, plan, longest: longest, now: now, session)
                for age in Self.fileAges(app, plan, promises) {
                    try session.run(
                        Query.deleteRunFiles(app: app, before: now - age.seconds, now: now, report: age.report))
                    // An age counts from the end of a period, and none is longer than a month.
                    guard age.report == nil else { continue }
                    try session.run(Query.deleteCoverage(app: app, before: now - age.seconds - 31 * 86_400))
                }
            }
            return (cells, shortest, troubles)
        }
        let partitions = try await dropPartitions(
            countersBefore: now - min(countersKept.components.seconds, shortest), distinctBefore: now - 86_400,
            abandonedBefore: now - abandonedAfter.components.seconds)
        return ExpiryOutcome(cells: cells, partitions: partitions, troubles: troubles)
    }

    /// Calls `work` for every app that has data or is served. An error with one app does not stop the others.
    ///
    /// - Throws: ``PostgresError`` if PostgreSQL is away, which is no app's trouble.
    static func eachApp(_ plans: [Plan], _ session: Session, _ work: (AppName) throws -> Void) throws -> [AppTrouble] {
        try Set(try session.run(Query.selectKeptApps())).union(plans.map(\.app.name)).sorted().compactMap { app in
            do {
                try work(app)
                return nil
            } catch let error as PostgresError where error.isAbsence || error == .closed { throw error } catch {
                return AppTrouble(app: app, reason: "\(error)")
            }
        }
    }

    /// Deletes the numbers that have reached their age by one promise; returns the number of released cells.
    private static func keep(
        _ promise: LayoutPromise, _ plans: [Plan], now: UnixSeconds, _ session: Session
    ) throws -> Int64 {
        var cells: Int64 = 0
        for step in promise.steps {
            for part in step.action.parts(of: promise.dimensions) {
                cells += try session.one(
                    Query.dropReleased(
                        metric: promise.layout, dimension: part.dimension, shorter: part.shorter,
                        before: now - step.after.components.seconds, began: promise.began, term: step.term))
            }
        }
        let grace = plans.first { $0.app.name == promise.app }?.app.grace.components.seconds ?? 0
        let kept = max(promise.retention, grace + releaseRest)
        try session.run(Query.expireOpen(metric: promise.layout, before: now - kept, began: promise.began))
        return cells
    }

    /// Returns all promises ever made, and those of the plans in force: whichever deletes more holds.
    static func promises(_ plans: [Plan], of app: AppName? = nil, _ session: Session) throws -> [LayoutPromise] {
        let known = try session.run(Query.selectPromises(app: app))
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
    /// all released, and of abandoned periods in any case. Returns the names of the dropped tables.
    package func dropPartitions(
        countersBefore: UnixSeconds, distinctBefore: UnixSeconds, abandonedBefore: UnixSeconds
    ) async throws -> [String] {
        try await connection.run { session in
            let dropped = try session.run(
                Query.dropPartitions(
                    countersBefore: countersBefore, distinctBefore: distinctBefore, abandonedBefore: abandonedBefore))
            // No period is longer than a month, and by then its parts are released, or open.
            try session.run(Query.expireProvedFirsts(before: distinctBefore - 40 * 86_400))
            return dropped
        }
    }

    /// Returns the time that files of an app's reports are kept after the end of their period. A report's is that of
    /// the plan in force; without a report's name it is the shortest retention of the app's numbers. Unit: seconds.
    static func fileAges(
        _ app: AppName, _ plan: Plan?, _ promises: [LayoutPromise]
    ) -> [(report: ReportName?, seconds: Int64)] {
        let shortest = promises.map(\.shortest).min() ?? LayoutPromise.unsaid
        return [(nil, shortest)] + (plan?.reports ?? []).map { ($0.name, plan?.seconds(keeping: $0) ?? 0) }
    }
}

extension Plan {
    /// The age at which the first numbers are deleted; nil where nothing is counted. Unit: seconds.
    fileprivate var shortestAge: Int64? {
        metrics.flatMap { expirySteps(of: $0) }.map(\.after.components.seconds).min()
    }
}

package struct ExpiryOutcome: Sendable, Hashable {
    /// The number of released cells deleted. Unit: cells.
    package let cells: Int64
    /// The tables of raw counters and distinct counts that were dropped.
    package let partitions: [String]
    /// The apps whose data was not all deleted.
    package var troubles: [AppTrouble] = []
}

/// An app for which something failed that was done for others.
package struct AppTrouble: Error, Sendable, Hashable, CustomStringConvertible {
    package let app: AppName
    package let reason: String

    package var description: String { reason }
}

extension Query {
    static func dropReleased(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, before: UnixSeconds, began: UnixSeconds?,
        term: String
    ) -> RowQuery<Int64> {
        RowQuery(released_cell_drop_sql, metric, dimension, shorter, before, began, term)
    }

    static func selectDue(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, began: UnixSeconds?
    ) -> RowQuery<(end: UnixSeconds?, releases: Int64)> {
        RowQuery(release_select_due_sql, metric, dimension, shorter, began) { ($0, $1) }
    }

    static func selectOldest(app: AppName) -> RowQuery<(metric: MetricName, end: UnixSeconds, releases: Int64)> {
        RowQuery(release_select_oldest_sql, app) { ($0, $1, $2) }
    }

    /// Gives up open periods that nothing has released.
    static func expireOpen(metric: Int64, before: UnixSeconds, began: UnixSeconds?) -> Statement {
        Statement(open_period_expire_sql, metric, before, began)
    }

    static func dropPartitions(
        countersBefore: UnixSeconds, distinctBefore: UnixSeconds, abandonedBefore: UnixSeconds
    ) -> RowQuery<String> {
        RowQuery(partition_drop_sql, countersBefore, distinctBefore, abandonedBefore)
    }

    static func noteDeletion(app: String, kind: String, subject: String, term: String, rows: Int) -> Statement {
        Statement(deletion_note_sql, app, kind, subject, term, rows)
    }

    /// Those of these tables that are there; names hold no comma.
    static func selectStanding(names: [String]) -> RowQuery<String> {
        RowQuery(partition_standing_sql, names.joined(separator: ","))
    }
}
