internal import ThrongPlan

extension Query {
    /// Apps that have data, or were deleted.
    static func selectApps() -> RowQuery<KnownApp> {
        RowQuery("app.select", PackageResources.app_select_sql) { (name, isKept: Int, deletedAt) in
            KnownApp(name: name, isKept: isKept != 0, deletedAt: deletedAt)
        }
    }

    static func selectAppDeliveries(app: AppName) -> RowQuery<AppDelivery> {
        RowQuery("app.deliveries", PackageResources.app_deliveries_sql, app) { (target, report, label, isShared: Int) in
            AppDelivery(target: target, report: report, label: label, isShared: isShared != 0)
        }
    }

    /// The time since each daemon was last heard of.
    static func selectSilences() -> RowQuery<UnsettledDaemon> {
        RowQuery("watermark.silences", PackageResources.watermark_silences_sql) { daemon, unheard in
            UnsettledDaemon(daemon: daemon, silence: max(unheard, 0), unheard: max(unheard, 0))
        }
    }

    static func deleteApp(app: AppName, copies: Int) -> RowQuery<DeletedRows> {
        RowQuery("app.delete", PackageResources.app_delete_sql, app, copies, row: DeletedRows.init)
    }
}
