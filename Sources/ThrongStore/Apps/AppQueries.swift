internal import ThrongPlan

/// Apps that have data, or were deleted.
struct SelectApps: RowQuery {
    static let text = Query("app.select", PackageResources.app_select_sql)

    func row(_ columns: inout RowReader) throws -> KnownApp {
        KnownApp(
            name: AppName(try columns.text()), isKept: try columns.integer() != 0, deletedAt: try columns.optionalTime()
        )
    }
}

/// The targets that reports of an app were or are to be delivered to.
struct SelectAppDeliveries: RowQuery {
    static let text = Query("app.deliveries", PackageResources.app_deliveries_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> AppDelivery {
        AppDelivery(
            target: try columns.text(), report: ReportName(try columns.text()), label: try columns.optionalText(),
            isShared: try columns.integer() != 0)
    }
}

/// The time since each daemon was last heard of.
struct SelectSilences: RowQuery {
    static let text = Query("watermark.silences", PackageResources.watermark_silences_sql)

    func row(_ columns: inout RowReader) throws -> UnsettledDaemon {
        let (daemon, unheard) = (try columns.value { DaemonID($0) }, max(try columns.integer(), 0))
        return UnsettledDaemon(daemon: daemon, silence: unheard, unheard: unheard)
    }
}

/// Deletes all that PostgreSQL holds of an app; returns the number of rows deleted, by kind.
struct DeleteApp: RowQuery {
    static let text = Query("app.delete", PackageResources.app_delete_sql)

    let app: AppName
    /// The number of files that were deleted from folders before.
    let copies: Int64

    var parameters: [Parameter] { [.text(app.text), .integer(copies)] }

    func row(_ columns: inout RowReader) throws -> DeletedRows {
        DeletedRows(kind: try columns.text(), rows: try columns.integer())
    }
}
