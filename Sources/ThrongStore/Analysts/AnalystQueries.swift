internal import ThrongPlan

/// Every layout that has releases, one row a kind of period.
struct SelectAnalystMetrics: RowQuery {
    static let text = Query("analyst_metric.select", PackageResources.analyst_metric_select_sql)

    func row(_ columns: inout RowReader) throws -> AnalystMetric {
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

/// The columns of a view in schema analyst in their order, with their comments.
struct SelectAnalystColumns: RowQuery {
    static let text = Query("analyst_column.select", PackageResources.analyst_column_select_sql)

    let view: String

    var parameters: [Parameter] { [.text(view)] }

    func row(_ columns: inout RowReader) throws -> (name: String, comment: String) {
        (try columns.text(), try columns.text())
    }
}

/// The buckets of the dimensions of a view.
struct SelectAnalystBuckets: RowQuery {
    static let text = Query("analyst_bucket.select", PackageResources.analyst_bucket_select_sql)

    let view: String

    var parameters: [Parameter] { [.text(view)] }

    func row(_ columns: inout RowReader) throws -> (dimension: String, bucket: String, isLearned: Bool) {
        (try columns.text(), try columns.text(), try columns.flag())
    }
}

/// The groupings of the rows of a view.
struct SelectAnalystMargins: RowQuery {
    static let text = Query("analyst_margin.select", PackageResources.analyst_margin_select_sql)

    let view: String
    let kind: PeriodKind

    var parameters: [Parameter] { [.text(view), .text(kind.rawValue)] }

    func row(_ columns: inout RowReader) throws -> AnalystMargin {
        AnalystMargin(name: try columns.text(), columns: try columns.names())
    }
}

/// The releases of a view, the latest period last.
struct SelectAnalystReleases: RowQuery {
    static let text = Query("analyst_release.select", PackageResources.analyst_release_select_sql)

    let view: String
    let kind: PeriodKind

    var parameters: [Parameter] { [.text(view), .text(kind.rawValue)] }

    func row(_ columns: inout RowReader) throws -> AnalystRelease {
        let period = Period(kind: kind, start: try columns.time(), end: try columns.time())
        let (threshold, sampling) = (try columns.integer(), try columns.text())
        return AnalystRelease(
            period: period, threshold: threshold, sampling: sampling, digest: try columns.text(),
            cost: try columns.optionalText(), margin: try columns.optionalInteger(),
            sumMargins: try columns.names().compactMap { Int64($0) }, deviceMargin: try columns.optionalInteger())
    }
}
