internal import ThrongPlan
internal import ThrongPostgres

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

/// Keeps the terms under which a layout is released and kept.
struct KeepTerms: Command {
    static let text = Query("metric_layout.keep_terms", PackageResources.metric_layout_keep_terms_sql)

    let metric: Int32
    let terms: ReleaseTerms

    var parameters: [Parameter] {
        [
            .integer(Int64(metric)), terms.threshold.devices.parameter,
            .text(terms.sensitive.map(\.text).joined(separator: ",")), terms.protection.percent.parameter,
            .integers(terms.expiry.map(\.after.components.seconds)),
            .text(terms.expiry.map(\.dropped).joined(separator: ",")),
        ]
    }
}

extension DecayStep {
    /// What goes, as the schema has it: a dimension, or * for all.
    fileprivate var dropped: String {
        switch action {
        case .drop(let dimension): dimension.text
        case .delete: "*"
        }
    }
}
