internal import ThrongPlan
internal import ThrongPostgres

/// The schema's number of a layout; none where it was never registered.
struct FindLayout: RowQuery {
    static let text = Query("metric_layout.select", PackageResources.metric_layout_select_sql)

    let layout: LayoutID

    var parameters: [Parameter] { [.bytes(layout.bytes)] }

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// Every layout that an app's metrics ever had.
struct SelectLayouts: RowQuery {
    static let text = Query("metric_layout.select_all", PackageResources.metric_layout_select_all_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> (metric: Int64, name: MetricName, layout: StoredLayout) {
        (try columns.integer(), MetricName(try columns.text()), try columns.storedLayout())
    }
}

/// Under which terms a layout is released; none where no daemon that keeps them has registered it.
struct SelectTerms: RowQuery {
    static let text = Query("metric_layout.terms", PackageResources.metric_layout_terms_sql)

    let layout: LayoutID

    var parameters: [Parameter] { [.bytes(layout.bytes)] }

    func row(_ columns: inout RowReader) throws -> ReleaseTerms {
        ReleaseTerms(
            threshold: Threshold(devices: try columns.integer()),
            sensitive: try columns.names().map { DimensionName($0) },
            protection: Protection(percent: try columns.integer()),
            margin: try columns.optionalText().flatMap(MetricMargin.init(rawValue:)))
    }
}

/// Makes a layout known; says its number.
struct RegisterLayout: RowQuery {
    static let text = Query("metric_layout.register", PackageResources.metric_layout_register_sql)

    let layout: MetricLayout
    /// Whether its view becomes the metric's current one.
    let makeCurrent: Bool

    var parameters: [Parameter] {
        [.text(String(decoding: layout.json, as: UTF8.self)), .integer(makeCurrent ? 1 : 0)]
    }

    func row(_ columns: inout RowReader) throws -> Int32 {
        guard let metric = Int32(exactly: try columns.integer()) else { throw Self.unexpected }
        return metric
    }
}

/// Keeps the terms under which a layout is released.
struct KeepTerms: Command {
    static let text = Query("metric_layout.keep_terms", PackageResources.metric_layout_keep_terms_sql)

    let metric: Int32
    let terms: ReleaseTerms

    var parameters: [Parameter] {
        [
            .integer(Int64(metric)), terms.threshold.devices.parameter,
            .text(terms.sensitive.map(\.text).joined(separator: ",")), terms.protection.percent.parameter,
            .text(orNull: terms.margin?.rawValue),
        ]
    }
}
