package import Foundation
internal import ThrongIngest
internal import ThrongPlan

// How PostgreSQL has the types of plans, cells and times.

extension Name: ColumnValue, ColumnElement, ParameterValue {
    init(reading row: inout RowReader) throws { self.init(try row.text()) }
    static func all(reading row: inout RowReader) throws -> [Self] { try row.next([String].self).map { Self($0) } }
    var parameters: [Parameter] { [.text(text)] }
}

extension BucketLabel: ColumnValue, ParameterValue {
    init(reading row: inout RowReader) throws { self.init(try row.text()) }
    var parameters: [Parameter] { [.text(text)] }
}

/// A time is sent to `to_timestamp` as whole seconds; one outside the years 1 to 9999 as the nearest in them.
extension UnixSeconds: ColumnValue, ParameterValue, ParameterElement {
    init(reading row: inout RowReader) throws { self.init(try row.integer()) }
    var parameters: [Parameter] { [.integer(Swift.min(Swift.max(value, -62_135_596_800), 253_402_300_799))] }
    static func parameters(of all: [UnixSeconds]) -> [Parameter] { [.integers(all.map(\.value))] }
    var iso8601: String { Date(timeIntervalSince1970: Double(value)).formatted(.iso8601) }
}

extension PeriodKind: ColumnValue, ParameterValue {
    /// The code in the schema: 0 hour, 1 day, 2 week, 3 month.
    var code: Int16 {
        switch self {
        case .hour: 0
        case .day: 1
        case .week: 2
        case .month: 3
        }
    }

    init(reading row: inout RowReader) throws {
        let code = try row.integer()
        guard let kind = PeriodKind.allCases.first(where: { $0.code == code }) else { throw row.unexpected }
        self = kind
    }

    var parameters: [Parameter] { [.integer(Int64(code))] }
}

/// A kind, a start and an end.
extension Period: ColumnValue {
    static var columns: Int { 3 }
    init(reading row: inout RowReader) throws {
        self.init(kind: try row.next(), start: try row.next(), end: try row.next())
    }
}

/// A first instant, and the first one after.
extension Range: ColumnValue where Bound == UnixSeconds {
    static var columns: Int { 2 }
    init(reading row: inout RowReader) throws {
        let start = try row.next(UnixSeconds.self)
        self = start..<Swift.max(start, try row.next())
    }
}

extension Margin: ColumnValue {
    init(reading row: inout RowReader) throws { self.init(bits: UInt32(truncatingIfNeeded: try row.integer())) }
}

extension CellIndex: ColumnValue {
    init(reading row: inout RowReader) throws { self.init(UInt32(truncatingIfNeeded: try row.integer())) }
}

extension MeasureIndex: ColumnValue {
    init(reading row: inout RowReader) throws { self.init(Int16(truncatingIfNeeded: try row.integer())) }
}

extension WindowNumber: ColumnValue { init(reading row: inout RowReader) throws { self.init(try row.integer()) } }

extension LayoutID: ColumnValue, ParameterValue {
    init(reading row: inout RowReader) throws { self.init(try row.bytes()) }
    var parameters: [Parameter] { [.bytes(bytes)] }
}

extension PlanVersion: ColumnValue {
    init(reading row: inout RowReader) throws { self.init(hex: try row.bytes().lowerHex) }
}

extension JournalPosition: ColumnValue, ParameterValue {
    init(reading row: inout RowReader) throws { self.init(UInt64(try row.integer())) }
    var parameters: [Parameter] { [.integer(Int64(clamping: value))] }
}

/// A data directory with a journal: made once with it, never reused.
package struct DaemonID: Hashable, Sendable, Codable, CustomStringConvertible, ColumnValue, ParameterValue {
    package let uuid: UUID

    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads the usual form with hyphens; nil for anything else.
    package init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// The id as text: lower case, with hyphens.
    package var description: String { uuid.uuidString.lowercased() }

    init(reading row: inout RowReader) throws {
        guard let id = DaemonID(try row.text()) else { throw row.unexpected }
        self = id
    }
    var parameters: [Parameter] { [.text(description)] }
}
