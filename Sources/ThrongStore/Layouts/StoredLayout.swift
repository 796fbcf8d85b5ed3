internal import Foundation
internal import ThrongPlan

struct StoredLayout: Sendable {
    let id: LayoutID
    private let json: [UInt8]

    /// Reads the layout; throws ``StoreError/layoutAltered(_:)`` if it no longer matches its identity.
    func layout() throws -> MetricLayout {
        let layout = try MetricLayout(json: Data(json))
        guard layout.id == id else { throw StoreError.layoutAltered(id) }
        return layout
    }
}

/// An identity and JSON.
extension StoredLayout: ColumnValue {
    static var columns: Int { 2 }
    init(reading row: inout RowReader) throws { (id, json) = (try row.next(), try row.bytes()) }
}

extension Session {
    /// Returns the schema's number of a layout; throws ``StoreError/layoutUnknown(_:)`` where it was never registered.
    func metricID(of layout: MetricLayout) throws -> Int64 {
        let id = layout.id
        guard let metric = try first(Query.findLayout(layout: id)) else { throw StoreError.layoutUnknown(id) }
        return metric
    }
}
