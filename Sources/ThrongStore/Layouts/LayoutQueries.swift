internal import ThrongPlan

/// The schema's number of a layout; none where it was never registered.
struct FindLayout: RowQuery {
    static let text = Query("metric_layout.select", PackageResources.metric_layout_select_sql)

    let layout: LayoutID

    var parameters: [Parameter] { [.bytes(layout.bytes)] }

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The terms under which a layout is released; none where no daemon that keeps them has registered it.
struct SelectTerms: RowQuery {
    static let text = Query("metric_layout.terms", PackageResources.metric_layout_terms_sql)

    let layout: LayoutID

    var parameters: [Parameter] { [.bytes(layout.bytes)] }

    func row(_ columns: inout RowReader) throws -> ReleaseTerms {
        ReleaseTerms(threshold: Threshold(devices: try columns.integer()))
    }
}

/// Registers a layout; returns its number.
struct RegisterLayout: RowQuery {
    static let text = Query("metric_layout.register", PackageResources.metric_layout_register_sql)

    let layout: MetricLayout
    /// True if its view becomes the metric's current one.
    let makeCurrent: Bool

    var parameters: [Parameter] {
        [.text(String(decoding: layout.json, as: UTF8.self)), .integer(makeCurrent ? 1 : 0)]
    }

    func row(_ columns: inout RowReader) throws -> Int32 {
        guard let metric = Int32(exactly: try columns.integer()) else { throw Self.unexpected }
        return metric
    }
}

/// Keeps k of a layout's releases.
struct KeepTerms: Command {
    static let text = Query("metric_layout.keep_terms", PackageResources.metric_layout_keep_terms_sql)

    let metric: Int32
    let threshold: Threshold

    var parameters: [Parameter] { [.integer(Int64(metric)), threshold.devices.parameter] }
}
