package import ThrongPlan

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
    /// `files`, `copies` (reports in folders), `coverage`, `labels`, `open periods` or `counters`.
    package let kind: String
    /// The report, dimension, metric or table.
    package let subject: String
    /// The amount; nil for tables, which are not counted. Unit: files, reports, hours, labels or periods.
    package let rows: Int64?
    /// The time that it is about; nil where it is about no period.
    package let period: Range<UnixSeconds>?
    /// The time of its first deletion; nil where that follows from releases, or from the shortest age of the app.
    package let due: UnixSeconds?
}

extension RetentionStore {
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

extension Query {
    static func selectHeld() -> RowQuery<HeldData> { RowQuery(deletion_held_sql, row: HeldData.init) }
}
