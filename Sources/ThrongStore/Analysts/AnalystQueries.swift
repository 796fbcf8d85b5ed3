internal import ThrongPlan

extension Query {
    static func selectAnalystMetrics() -> RowQuery<AnalystMetric> {
        RowQuery("analyst_metric.select", PackageResources.analyst_metric_select_sql) {
            AnalystMetric(
                app: $0, metric: $1, version: $2, isCurrent: $3, view: $4, timeZone: $5, dimensions: $6, sums: $7,
                spans: [$8])
        }
    }

    static func selectAnalystColumns(view: String) -> RowQuery<(name: String, comment: String)> {
        RowQuery("analyst_column.select", PackageResources.analyst_column_select_sql, view) { ($0, $1) }
    }

    static func selectAnalystBuckets(view: String) -> RowQuery<(dimension: String, bucket: String, isLearned: Bool)> {
        RowQuery("analyst_bucket.select", PackageResources.analyst_bucket_select_sql, view) { ($0, $1, $2) }
    }

    static func selectAnalystMargins(view: String, kind: PeriodKind) -> RowQuery<AnalystMargin> {
        RowQuery(
            "analyst_margin.select", PackageResources.analyst_margin_select_sql, view, kind.rawValue,
            row: AnalystMargin.init)
    }

    static func selectAnalystReleases(view: String, kind: PeriodKind) -> RowQuery<AnalystRelease> {
        RowQuery("analyst_release.select", PackageResources.analyst_release_select_sql, view, kind.rawValue) {
            (
                start, end, threshold, sampling, digest, cost, margin, sumMargins: [String], deviceMargin
            ) in
            AnalystRelease(
                period: Period(kind: kind, start: start, end: end), threshold: threshold, sampling: sampling,
                digest: digest, cost: cost, margin: margin, sumMargins: sumMargins.compactMap { Int64($0) },
                deviceMargin: deviceMargin)
        }
    }
}

/// A kind by its word, and what it has.
extension AnalystMetric.Span: ColumnValue {
    init(reading row: inout RowReader) throws {
        guard let kind = PeriodKind(rawValue: try row.text()) else { throw row.unexpected }
        self.init(kind: kind, periods: try row.next(), start: try row.next(), end: try row.next())
    }
}
