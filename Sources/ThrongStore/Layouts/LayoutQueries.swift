internal import ThrongPlan

extension Query {
    static func findLayout(layout: LayoutID) -> RowQuery<Int64> {
        RowQuery("metric_layout.select", PackageResources.metric_layout_select_sql, layout)
    }

    static func selectTerms(layout: LayoutID) -> RowQuery<ReleaseTerms> {
        RowQuery("metric_layout.terms", PackageResources.metric_layout_terms_sql, layout) {
            ReleaseTerms(threshold: Threshold(devices: $0))
        }
    }

    static func registerLayout(layout: MetricLayout, makeCurrent: Bool) -> RowQuery<Int32> {
        RowQuery(
            "metric_layout.register", PackageResources.metric_layout_register_sql,
            String(decoding: layout.json, as: UTF8.self), makeCurrent ? 1 : 0)
    }

    static func keepTerms(metric: Int32, threshold: Threshold) -> Statement {
        Statement(
            "metric_layout.keep_terms", PackageResources.metric_layout_keep_terms_sql, metric, threshold.devices)
    }
}
