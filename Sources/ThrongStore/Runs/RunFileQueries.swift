internal import ThrongPlan

/// Keeps a file of a run.
struct InsertRunFile: Command {
    static let text = Query("run_file.insert", PackageResources.run_file_insert_sql)

    let run: ReportRunName
    let file: StoredReportFile

    var parameters: [Parameter] {
        run.key + [.integer(Int64(file.place)), .text(file.name), .bytes(file.contents)]
    }
}

/// Notes a target that a run is to be delivered to.
struct InsertDelivery: Command {
    static let text = Query("delivery.insert", PackageResources.delivery_insert_sql)

    let run: ReportRunName
    let delivery: Delivery
    let idempotencyKey: [UInt8]
    let now: UnixSeconds

    var parameters: [Parameter] {
        run.key + [
            .text(delivery.target), .text(orNull: delivery.authorization), .bytes(idempotencyKey), now.parameter,
        ]
    }
}

/// The files of a run, in the order of delivery.
struct SelectRunFiles: RowQuery {
    static let text = Query("run_file.select", PackageResources.run_file_select_sql)

    let run: ReportRunName

    var parameters: [Parameter] { run.key }

    func row(_ columns: inout RowReader) throws -> StoredReportFile {
        StoredReportFile(place: try columns.int(), name: try columns.text(), contents: try columns.bytes())
    }
}

/// Deletes the files of an app's runs whose first number is too old.
struct DeleteRunFiles: Command {
    static let text = Query("run_file.delete", PackageResources.run_file_delete_sql)

    let app: AppName
    /// The latest end of the periods.
    let before: UnixSeconds
    let now: UnixSeconds
    /// The report; nil takes files whose retention was not noted.
    let report: ReportName?

    var parameters: [Parameter] {
        [.text(app.text), .instant(before), .instant(now), .text(orNull: report?.text)]
    }
}

/// The apps that have layouts, files of reports, here or in folders, or totals of what clients sent.
struct SelectKeptApps: RowQuery {
    static let text = Query("report_run.apps", PackageResources.report_run_apps_sql)

    func row(_ columns: inout RowReader) throws -> AppName { AppName(try columns.text()) }
}
