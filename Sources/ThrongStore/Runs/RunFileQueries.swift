internal import ThrongPlan

extension Query {
    static func insertRunFile(run: ReportRunName, file: StoredReportFile) -> Statement {
        Statement(
            "run_file.insert", PackageResources.run_file_insert_sql,
            all: run.key + [.integer(Int64(file.place)), .text(file.name), .bytes(file.contents)])
    }

    /// Notes a target that a run is to be delivered to.
    static func insertDelivery(run: ReportRunName, delivery: Delivery, idempotencyKey: [UInt8], now: UnixSeconds)
        -> Statement
    {
        Statement(
            "delivery.insert", PackageResources.delivery_insert_sql,
            all: run.key + [
                .text(delivery.target), .text(orNull: delivery.authorization), .bytes(idempotencyKey), now.parameter,
            ])
    }

    static func selectRunFiles(run: ReportRunName) -> RowQuery<StoredReportFile> {
        RowQuery("run_file.select", PackageResources.run_file_select_sql, all: run.key) { columns in
            StoredReportFile(place: try columns.int(), name: try columns.text(), contents: try columns.bytes())
        }
    }

    static func deleteRunFiles(app: AppName, before: UnixSeconds, now: UnixSeconds, report: ReportName?) -> Statement {
        Statement(
            "run_file.delete", PackageResources.run_file_delete_sql,
            .text(app.text), .instant(before), .instant(now), .text(orNull: report?.text))
    }

    static func selectKeptApps() -> RowQuery<AppName> {
        RowQuery("report_run.apps", PackageResources.report_run_apps_sql) { columns in
            AppName(try columns.text())
        }
    }
}
