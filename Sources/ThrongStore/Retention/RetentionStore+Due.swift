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

    /// The least time that a label outlives its last published number, and that it keeps its slot afterwards: longer
    /// than a month and the longest grace together. Unit: seconds.
    static let labelRest: Int64 = 100 * 86_400

    /// Returns the time that labels of a dimension are counted under after their last published number. Unit: seconds.
    static func seconds(keepingLabelsOf dimension: DimensionName, _ plan: Plan?, longest: Int64) -> Int64 {
        max(plan?.retention(ofLabelsOf: dimension).components.seconds ?? longest, labelRest)
    }

    /// Retires the labels that no number was published of for as long as their purposes keep numbers. Deletes those
    /// that were retired so long ago that their slots can be given to others.
    static func expireLabels(
        of app: AppName, _ plan: Plan?, longest: Int64, now: UnixSeconds, _ session: Session
    ) throws {
        let known = Set(try session.run(Query.selectLabels(app: app)).map(\.dimension))
        for dimension in known.sorted() {
            let kept = seconds(keepingLabelsOf: dimension, plan, longest: longest)
            try session.run(Query.retireLabels(app: app, dimension: dimension, before: now - kept, now: now))
        }
        if !known.isEmpty { try session.run(Query.deleteLabels(app: app, before: now - labelRest)) }
    }

    /// Returns the reports in folders that have reached their age, and the apps whose copies can't be told.
    package func agedCopies(
        _ plans: [Plan], now: UnixSeconds
    ) async throws -> (copies: [AgedCopy], troubles: [AppTrouble]) {
        try await connection.run { session in
            var found: Set<AgedCopy> = []
            var copies: [AgedCopy] = []
            let troubles = try Self.eachApp(plans, session) { app in
                let promises = try Self.promises(plans, of: app, session)
                for age in Self.fileAges(app, plans.first { $0.app.name == app }, promises) {
                    let query = Query.selectAgedCopies(
                        app: app, before: now - age.seconds, now: now, report: age.report)
                    for copy in try session.run(query) where found.insert(copy).inserted { copies.append(copy) }
                }
            }
            return (copies, troubles)
        }
    }

    /// Notes, once, that the files of a copy were deleted.
    package func wasRemoved(_ copy: AgedCopy, files: Int) async throws {
        _ = try await connection.transaction { session in
            try session.run(Query.removeDelivery(copy: copy, files: files))
        }
    }

    /// Returns the state of retention, of every app in the database.
    package func standing(_ plans: [Plan]) async throws -> RetentionStanding {
        try await connection.snapshot { session in
            // One snapshot keeps deletions from coming between the ledger and the data held.
            let told = Dictionary(try session.run(Query.selectTold()).map { ($0.promise, $0) }) { $1 }
            let promises = try Self.promises(plans, session).map { promise in
                let told = told[ToldPromise(layout: promise.layout, until: promise.until)]
                return KeptPromise(
                    app: promise.app, metric: promise.metric, until: promise.until,
                    steps: promise.steps.map(\.term), explanation: told?.explanation, recipients: told?.recipients)
            }
            var known: Set<KeptPromise> = []
            return RetentionStanding(
                entries: try session.run(Query.selectDeletions()), due: try Self.due(plans, session),
                promises: promises.filter { known.insert($0).inserted }
                    .sorted { ($0.app, $0.metric, $0.until ?? .max) < ($1.app, $1.metric, $1.until ?? .max) },
                held: try session.run(Query.selectHeld()))
        }
    }
}

package struct RetentionOutlook: Sendable {
    /// The deletions, the soonest first.
    package let due: [RetentionDue]
    /// The apps whose deletions are not all known.
    package let troubles: [AppTrouble]

    package init(due: [RetentionDue], troubles: [AppTrouble] = []) { (self.due, self.troubles) = (due, troubles) }
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
        (self.app, self.metric, self.term, self.at, self.releases) = (app, metric, term, at, releases)
    }

    /// The time that a daily round may come later than that. Unit: seconds.
    private static let leeway: Int64 = 26 * 3600

    /// The time by which the numbers should be deleted.
    package var deadline: UnixSeconds { at + Self.leeway }

    package func isOverdue(at now: UnixSeconds) -> Bool { deadline < now }

    /// Returns how long the deletion is overdue; 0 while a round may still come. Unit: seconds.
    package func seconds(lateAt now: UnixSeconds) -> Int64 { max(now.value - deadline.value, 0) }
}

extension Plan {
    /// Returns the longest retention of the purposes that use a dimension; where none does, the longest of all.
    func retention(ofLabelsOf dimension: DimensionName) -> Duration {
        let users = Set(metrics.filter { $0.dimensions.contains(dimension) }.map(\.purpose))
        let longest = purposes.filter { users.contains($0.name) }.map(\.retention).max()
        return longest ?? purposes.map(\.retention).max() ?? .zero
    }
}

/// A report in a folder that has reached its age.
package struct AgedCopy: Sendable, Hashable {
    package let run: ReportRunName
    /// The name of its period in file names.
    package let label: String
    /// The target: see ``Delivery/target``.
    package let target: String
}

extension Query {
    /// Reports in folders that have reached their age.
    static func selectAgedCopies(
        app: AppName, before: UnixSeconds, now: UnixSeconds, report: ReportName?
    ) -> RowQuery<AgedCopy> {
        RowQuery(delivery_select_aged_sql, app, before, now, report) {
            AgedCopy(run: ReportRunName(app: app, report: $0, periodKind: $1, periodStart: $2), label: $4, target: $3)
        }
    }

    /// Reports in folders, and the first time that one of them is deleted.
    static func selectDueCopies() -> RowQuery<RetentionDue> {
        RowQuery(delivery_select_due_sql) { (app, report, target: String, at, releases) in
            RetentionDue(
                app: app, metric: report, term: "with the first number in them: copies in \(target)", at: at,
                releases: releases)
        }
    }

    static func removeDelivery(copy: AgedCopy, files: Int) -> Statement {
        Statement(delivery_remove_sql, copy.run, copy.target, files)
    }
}

/// The state of retention, all of one moment: deletions, deletions to come, data held, and promises.
package struct RetentionStanding: Sendable, Hashable {
    /// The deletions, oldest first.
    package let entries: [DeletionEntry]
    /// The next deletions of released numbers, the soonest first.
    package let due: [RetentionDue]
    /// The promises of plans, by app and metric, oldest first.
    package let promises: [KeptPromise]
    /// The data held besides released numbers.
    package let held: [HeldData]
}

/// The retention of a metric's numbers, their purpose and recipients, as one plan promised.
package struct KeptPromise: Sendable, Hashable {
    package let app: AppName
    package let metric: MetricName
    /// The end of the promise: a later one holds for numbers counted from an hour after it on; nil for the one in
    /// force.
    package let until: UnixSeconds?
    /// The steps, ascending by age: "after 30 days: drop os".
    package let steps: [String]
    /// The purpose that people were told; nil where it was not kept.
    package var explanation: String?
    /// The partners whose reports show it; nil where they were not kept.
    package var recipients: [PartnerName]?
}

/// The data still held of one kind and subject.
package struct HeldData: Sendable, Hashable {
    /// The app; * where several apps share the data.
    package let app: String
    /// `files`, `copies` (reports in folders), `coverage`, `labels`, `open periods`, `questions` or `counters`.
    package let kind: String
    /// The report, dimension, metric or table.
    package let subject: String
    /// The amount; nil for tables, which are not counted. Unit: files, reports, hours, labels, periods or questions.
    package let rows: Int64?
    /// The time that it is about; nil where it is about no period.
    package let period: Range<UnixSeconds>?
    /// The time of its first deletion; nil where that follows from releases, or from the shortest age of the app.
    package let due: UnixSeconds?
}

extension Query { static func selectHeld() -> RowQuery<HeldData> { RowQuery(deletion_held_sql, row: HeldData.init) } }

/// Removes deleted rows from PostgreSQL's files: their bytes stay in a page of their table, and in the write-ahead log,
/// until others happen to overwrite them.
///
/// Works as a superuser, so on a private cluster alone.
package struct AgedPages: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the place of the last deletion in the ledger; 0 where there is none.
    package func lastDeletion() async throws -> Int64 {
        try await connection.run { session in
            try session.query("pages.last", "select coalesce(max(place), 0) from throng.deletion").integer(0, 0)
        }
    }

    /// Rewrites the tables that rows may have been deleted from, and releases the write-ahead log from before that.
    ///
    /// Locks each table while it is rewritten: those of released numbers, and the parts of counters that rows were
    /// deleted from.
    package func rewrite() async throws {
        try await connection.run { session in
            try session.query("pages.patience", "set lock_timeout = '10s'")
            for table in try session.run(Query.selectAgedPages()) {
                try session.query("pages.vacuum", "vacuum (full, analyze) \(table)")
            }
            // The planner's statistics of columns hold values, too: old ones until the next analysis.
            try session.query("pages.statistics", "vacuum (full) pg_catalog.pg_statistic")
            try LogSegments.letGo(session, isAlone: false)
        }
    }
}

/// The write-ahead log's files: each is 16 MiB, and keeps its content until that is overwritten.
enum LogSegments {
    /// The most files that are gone through: 16 GiB.
    private static let most = 1024

    /// Releases all files that were written before now, and those that were prepared for reuse with their old content.
    ///
    /// They are used up one by one; the server may prepare some more just after it has been told not to.
    ///
    /// - Parameter isAlone: true if no other session writes, so that no more than two files can be left.
    static func letGo(_ session: Session, isAlone: Bool) throws {
        // The file in use and the one before it are new once no file was ready three times in a row.
        var calm = 0
        for _ in 0..<most {
            try session.query("log.switch", "select pg_switch_wal()")
            try session.query("log.checkpoint", "checkpoint")
            let segments = try session.query(
                "log.segments",
                """
                select count(*), count(*) filter (where name > pg_walfile_name(pg_current_wal_lsn()))
                from pg_ls_waldir()
                where name ~ '^[0-9A-F]{24}$'
                """)
            calm = try segments.integer(0, 1) == 0 ? calm + 1 : 0
            if calm > 2, try !isAlone || segments.integer(0, 0) <= 2 { break }
        }
    }
}

extension Query { static func selectAgedPages() -> RowQuery<String> { RowQuery(aged_page_select_sql) } }
