package import ThrongPlan

/// A report in a folder that has reached its age.
package struct AgedCopy: Sendable, Hashable {
    package let run: ReportRunName
    /// The name of its period in file names.
    package let label: String
    /// The target: see ``Delivery/target``.
    package let target: String
}

extension RetentionStore {
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
}

extension Query {
    /// Reports in folders that have reached their age.
    static func selectAgedCopies(
        app: AppName, before: UnixSeconds, now: UnixSeconds, report: ReportName?
    ) -> RowQuery<AgedCopy> {
        RowQuery("delivery.select_aged", PackageResources.delivery_select_aged_sql, app, before, now, report) {
            AgedCopy(run: ReportRunName(app: app, report: $0, periodKind: $1, periodStart: $2), label: $4, target: $3)
        }
    }

    /// Reports in folders, and the first time that one of them is deleted.
    static func selectDueCopies() -> RowQuery<RetentionDue> {
        RowQuery("delivery.select_due", PackageResources.delivery_select_due_sql) {
            (app, report, target: String, at, releases) in
            RetentionDue(
                app: app, metric: report, term: "with the first number in them: copies in \(target)", at: at,
                releases: releases)
        }
    }

    static func removeDelivery(copy: AgedCopy, files: Int) -> Statement {
        Statement("delivery.remove", PackageResources.delivery_remove_sql, copy.run, copy.target, files)
    }
}
