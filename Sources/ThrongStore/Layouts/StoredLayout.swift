internal import Foundation
internal import ThrongPlan

/// A layout as PostgreSQL has it.
struct StoredLayout: Sendable {
    let id: LayoutID
    private let json: [UInt8]

    /// Reads the two columns that queries have of a layout.
    fileprivate init(_ columns: inout RowReader) throws(PostgresError) {
        id = LayoutID(try columns.bytes())
        json = try columns.bytes()
    }

    /// Reads the layout.
    ///
    /// - Throws: ``StoreError/layoutAltered(_:)`` if it no longer matches its identity.
    func layout() throws -> MetricLayout {
        let layout = try MetricLayout(json: Data(json))
        guard layout.id == id else { throw StoreError.layoutAltered(id) }
        return layout
    }
}

extension RowReader {
    /// Reads a layout: its identity and its JSON.
    mutating func storedLayout() throws(PostgresError) -> StoredLayout { try StoredLayout(&self) }
}

extension Session {
    /// Returns the schema's number of a layout.
    ///
    /// - Throws: ``StoreError/layoutUnknown(_:)`` where it was never registered.
    func metricID(of layout: MetricLayout) throws -> Int64 {
        let id = layout.id
        guard let metric = try first(Query.findLayout(layout: id)) else { throw StoreError.layoutUnknown(id) }
        return metric
    }
}
