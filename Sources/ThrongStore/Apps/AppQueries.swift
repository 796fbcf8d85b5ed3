internal import ThrongPlan

extension Query {
    /// Apps that have data, or were deleted.
    static func selectApps() -> RowQuery<KnownApp> {
        RowQuery("app.select", PackageResources.app_select_sql) { columns in
            KnownApp(
                name: AppName(try columns.text()), isKept: try columns.integer() != 0,
                deletedAt: try columns.optionalTime()
            )
        }
    }

    static func selectAppDeliveries(app: AppName) -> RowQuery<AppDelivery> {
        RowQuery("app.deliveries", PackageResources.app_deliveries_sql, .text(app.text)) { columns in
            AppDelivery(
                target: try columns.text(), report: ReportName(try columns.text()), label: try columns.optionalText(),
                isShared: try columns.integer() != 0)
        }
    }

    /// The time since each daemon was last heard of.
    static func selectSilences() -> RowQuery<UnsettledDaemon> {
        RowQuery("watermark.silences", PackageResources.watermark_silences_sql) { columns in
            let (daemon, unheard) = (try columns.value { DaemonID($0) }, max(try columns.integer(), 0))
            return UnsettledDaemon(daemon: daemon, silence: unheard, unheard: unheard)
        }
    }

    static func deleteApp(app: AppName, copies: Int64) -> RowQuery<DeletedRows> {
        RowQuery("app.delete", PackageResources.app_delete_sql, .text(app.text), .integer(copies)) { columns in
            DeletedRows(kind: try columns.text(), rows: try columns.integer())
        }
    }
}
