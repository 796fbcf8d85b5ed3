internal import ThrongPlan

extension Query {
    static func findLayout(layout: LayoutID) -> RowQuery<Int64> {
        RowQuery("metric_layout.select", PackageResources.metric_layout_select_sql, .bytes(layout.bytes)) {
            try $0.integer()
        }
    }

    static func selectTerms(layout: LayoutID) -> RowQuery<ReleaseTerms> {
        RowQuery("metric_layout.terms", PackageResources.metric_layout_terms_sql, .bytes(layout.bytes)) { columns in
            ReleaseTerms(threshold: Threshold(devices: try columns.integer()))
        }
    }

    static func registerLayout(layout: MetricLayout, makeCurrent: Bool) -> RowQuery<Int32> {
        RowQuery(
            "metric_layout.register", PackageResources.metric_layout_register_sql,
            .text(String(decoding: layout.json, as: UTF8.self)), .integer(makeCurrent ? 1 : 0)
        ) { columns in
            guard let metric = Int32(exactly: try columns.integer()) else { throw columns.unexpected }
            return metric
        }
    }

    static func keepTerms(metric: Int32, threshold: Threshold) -> Statement {
        Statement(
            "metric_layout.keep_terms", PackageResources.metric_layout_keep_terms_sql,
            .integer(Int64(metric)), threshold.devices.parameter)
    }
}
