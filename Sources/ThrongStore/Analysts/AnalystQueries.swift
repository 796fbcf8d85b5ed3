internal import ThrongPlan

extension Query {
    static func selectAnalystMetrics() -> RowQuery<AnalystMetric> {
        RowQuery("analyst_metric.select", PackageResources.analyst_metric_select_sql) { columns in
            AnalystMetric(
                app: AppName(try columns.text()), metric: MetricName(try columns.text()),
                version: try columns.integer(), isCurrent: try columns.flag(), view: try columns.text(),
                timeZone: try columns.text(), dimensions: try columns.names().map { DimensionName($0) },
                sums: try columns.names(),
                spans: [
                    AnalystMetric.Span(
                        kind: try columns.value(PeriodKind.init(rawValue:)), periods: try columns.integer(),
                        start: try columns.time(), end: try columns.time())
                ])
        }
    }

    static func selectAnalystColumns(view: String) -> RowQuery<(name: String, comment: String)> {
        RowQuery("analyst_column.select", PackageResources.analyst_column_select_sql, .text(view)) { columns in
            (try columns.text(), try columns.text())
        }
    }

    static func selectAnalystBuckets(view: String) -> RowQuery<(dimension: String, bucket: String, isLearned: Bool)> {
        RowQuery("analyst_bucket.select", PackageResources.analyst_bucket_select_sql, .text(view)) { columns in
            (try columns.text(), try columns.text(), try columns.flag())
        }
    }

    static func selectAnalystMargins(view: String, kind: PeriodKind) -> RowQuery<AnalystMargin> {
        RowQuery(
            "analyst_margin.select", PackageResources.analyst_margin_select_sql, .text(view), .text(kind.rawValue)
        ) { columns in
            AnalystMargin(name: try columns.text(), columns: try columns.names())
        }
    }

    static func selectAnalystReleases(view: String, kind: PeriodKind) -> RowQuery<AnalystRelease> {
        RowQuery(
            "analyst_release.select", PackageResources.analyst_release_select_sql, .text(view), .text(kind.rawValue)
        ) { columns in
            let period = Period(kind: kind, start: try columns.time(), end: try columns.time())
            let (threshold, sampling) = (try columns.integer(), try columns.text())
            return AnalystRelease(
                period: period, threshold: threshold, sampling: sampling, digest: try columns.text(),
                cost: try columns.optionalText(), margin: try columns.optionalInteger(),
                sumMargins: try columns.names().compactMap { Int64($0) }, deviceMargin: try columns.optionalInteger())
        }
    }
}
