internal import ThrongPlan

extension Query {
    static func insertRunFile(run: ReportRunName, file: StoredReportFile) -> Statement {
        Statement("run_file.insert", PackageResources.run_file_insert_sql, run, file.place, file.name, file.contents)
    }

    /// Notes a target that a run is to be delivered to.
    static func insertDelivery(
        run: ReportRunName, delivery: Delivery, idempotencyKey: [UInt8], now: UnixSeconds
    ) -> Statement {
        Statement(
            "delivery.insert", PackageResources.delivery_insert_sql,
            run, delivery.target, delivery.authorization, idempotencyKey, now)
    }

    static func selectRunFiles(run: ReportRunName) -> RowQuery<StoredReportFile> {
        RowQuery("run_file.select", PackageResources.run_file_select_sql, run, row: StoredReportFile.init)
    }

    static func deleteRunFiles(app: AppName, before: UnixSeconds, now: UnixSeconds, report: ReportName?) -> Statement {
        Statement("run_file.delete", PackageResources.run_file_delete_sql, app, before, now, report)
    }

    static func selectKeptApps() -> RowQuery<AppName> {
        RowQuery("report_run.apps", PackageResources.report_run_apps_sql)
    }
}
