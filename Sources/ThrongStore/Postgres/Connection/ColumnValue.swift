/// A value that is read from a row by its type: from the next column, or from several.
protocol ColumnValue: SendableMetatype {
    /// The number of columns that it takes.
    static var columns: Int { get }

    /// Reads the value; throws as ``RowReader`` does.
    init(reading row: inout RowReader) throws
}

/// An element of an array that fills one column: a byte, a number of an array, or a name between commas.
protocol ColumnElement: SendableMetatype {
    static func all(reading row: inout RowReader) throws -> [Self]
}

extension ColumnValue {
    static var columns: Int { 1 }
}

/// A case by its raw value.
extension ColumnValue where Self: RawRepresentable, Self.RawValue == String {
    init(reading row: inout RowReader) throws {
        guard let value = Self(rawValue: try row.text()) else { throw row.unexpected }
        self = value
    }
}

extension Int64: ColumnValue, ColumnElement {
    init(reading row: inout RowReader) throws { self = try row.integer() }
    static func all(reading row: inout RowReader) throws -> [Int64] { try row.integers() }
}

extension Int: ColumnValue {
    init(reading row: inout RowReader) throws { self.init(try row.integer()) }
}

extension Int32: ColumnValue {
    init(reading row: inout RowReader) throws {
        guard let value = Int32(exactly: try row.integer()) else { throw row.unexpected }
        self = value
    }
}

extension Int16: ColumnValue {
    init(reading row: inout RowReader) throws { self.init(clamping: try row.integer()) }
}

extension Bool: ColumnValue {
    init(reading row: inout RowReader) throws { self = try row.flag() }
}

extension UInt8: ColumnElement {
    static func all(reading row: inout RowReader) throws -> [UInt8] { try row.bytes() }
}

extension String: ColumnValue, ColumnElement {
    init(reading row: inout RowReader) throws { self = try row.text() }
    static func all(reading row: inout RowReader) throws -> [String] {
        try row.text().split(separator: ",").map(String.init)
    }
}

/// Nil where the first of the columns is null.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    static var columns: Int { Wrapped.columns }

    init(reading row: inout RowReader) throws {
        self = try row.skipsNull(columns: Wrapped.columns) ? nil : Wrapped(reading: &row)
    }
}

extension Array: ColumnValue where Element: ColumnElement {
    init(reading row: inout RowReader) throws { self = try Element.all(reading: &row) }
}

extension Set: ColumnValue where Element: ColumnElement {
    init(reading row: inout RowReader) throws { self.init(try Element.all(reading: &row)) }
}
