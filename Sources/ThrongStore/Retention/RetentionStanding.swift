package import ThrongPlan
internal import ThrongPostgres

/// How it stands with what age takes, all of one moment: what went, what goes next, what is there, and what was promised.
package struct RetentionStanding: Sendable, Hashable {
    /// What went, oldest first.
    package let entries: [DeletionEntry]
    /// What goes next of released numbers, the soonest first.
    package let due: [RetentionDue]
    /// What plans promised, by app and metric, oldest first.
    package let promises: [KeptPromise]
    /// What is there besides released numbers.
    package let held: [HeldData]

    /// Puts a standing together.
    package init(entries: [DeletionEntry], due: [RetentionDue], promises: [KeptPromise], held: [HeldData]) {
        self.entries = entries
        self.due = due
        self.promises = promises
        self.held = held
    }
}

/// How long numbers of a metric are kept, what for, and who receives them, as one plan promised.
package struct KeptPromise: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Of which metric.
    package let metric: MetricName
    /// What was counted from an hour after this on goes by a later promise; nil for the one in force.
    package let until: UnixSeconds?
    /// What goes at which age, ascending: "after 30 days: drop os".
    package let steps: [String]
    /// What people were told that it is counted for; nil where nobody kept that.
    package let explanation: String?
    /// The partners whose reports show it; nil where nobody kept that.
    package let recipients: [PartnerName]?

    /// Puts a promise together.
    package init(
        app: AppName, metric: MetricName, until: UnixSeconds?, steps: [String], explanation: String? = nil,
        recipients: [PartnerName]? = nil
    ) {
        self.app = app
        self.metric = metric
        self.until = until
        self.steps = steps
        self.explanation = explanation
        self.recipients = recipients
    }
}

/// What is still there of one kind and subject.
package struct HeldData: Sendable, Hashable {
    /// Of which app; * where it is of several apps' together.
    package let app: String
    /// `files`, `copies` (reports in folders), `coverage`, `labels`, `open periods` or `counters`.
    package let kind: String
    /// The report, dimension, metric or table.
    package let subject: String
    /// Unit: files, reports, hours, labels or periods; nil for tables, which nobody counts.
    package let rows: Int64?
    /// What it is about; nil where it is about no period.
    package let period: Range<UnixSeconds>?
    /// When the first of it goes; nil where that follows from releases, or from the shortest age of the app.
    package let due: UnixSeconds?

    /// Puts it together.
    package init(
        app: String, kind: String, subject: String, rows: Int64?, period: Range<UnixSeconds>?, due: UnixSeconds?
    ) {
        self.app = app
        self.kind = kind
        self.subject = subject
        self.rows = rows
        self.period = period
        self.due = due
    }
}

extension RetentionStore {
    /// How it stands, of every app in the database.
    ///
    /// - Parameter plans: the plans in force, as for ``expire(plans:now:countersKept:abandonedAfter:)``.
    package func standing(_ plans: [Plan]) async throws -> RetentionStanding {
        try await connection.run { session in
            // One snapshot, so that nothing goes between what went and what is there.
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                let told = Dictionary(try session.run(SelectTold()).map { ($0.promise, $0.told) }) { $1 }
                let promises = try Self.promises(plans, session).map { promise in
                    let told = told[.init(layout: promise.layout, until: promise.until)]
                    return KeptPromise(
                        app: promise.app, metric: promise.metric, until: promise.until,
                        steps: promise.steps.map(\.term), explanation: told?.explanation, recipients: told?.recipients)
                }
                var known: Set<KeptPromise> = []
                return RetentionStanding(
                    entries: try session.run(SelectDeletions()), due: try Self.due(plans, session),
                    promises: promises.filter { known.insert($0).inserted }
                        .sorted { ($0.app, $0.metric, $0.until ?? .max) < ($1.app, $1.metric, $1.until ?? .max) },
                    held: try session.run(SelectHeld()))
            }
        }
    }
}

/// What is still there besides released numbers.
struct SelectHeld: RowQuery {
    static let text = Query("deletion.held", PackageResources.deletion_held_sql)

    func row(_ columns: inout RowReader) throws -> HeldData {
        let (app, kind, subject) = (try columns.text(), try columns.text(), try columns.text())
        let rows = try columns.optionalInteger()
        let (start, end) = (try columns.optionalTime(), try columns.optionalTime())
        return HeldData(
            app: app, kind: kind, subject: subject, rows: rows,
            period: start.flatMap { start in end.map { start..<max(start, $0) } }, due: try columns.optionalTime())
    }
}
