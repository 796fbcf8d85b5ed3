/// Reads the columns of one row, from the first to the last.
///
/// Everything throws ``PostgresError/unexpectedNull(query:column:name:)`` where a column is null and may not be, and
/// ``PostgresError/unexpectedAnswer(query:)`` where one is missing or has another type.
package struct RowReader {
    private let rows: Rows
    private let row: Int
    private var column = 0

    init(_ rows: Rows, row: Int) {
        self.rows = rows
        self.row = row
    }

    /// The error to throw if a value is none of the allowed ones.
    package var unexpected: PostgresError { rows.unexpected }

    /// Reads a whole number of two, four or eight bytes.
    package mutating func integer() throws(PostgresError) -> Int64 { try rows.integer(row, next()) }

    /// Reads a boolean.
    package mutating func flag() throws(PostgresError) -> Bool { try rows.flag(row, next()) }

    /// Reads text, JSON or a name.
    package mutating func text() throws(PostgresError) -> String { try rows.text(row, next()) }

    /// Reads any value's bytes as PostgreSQL sends them.
    package mutating func bytes() throws(PostgresError) -> [UInt8] { try rows.bytes(row, next()) }

    /// Reads an array of eight-byte whole numbers without nulls.
    package mutating func integers() throws(PostgresError) -> [Int64] { try rows.integers(row, next()) }

    /// Reads names that were joined with commas, which none of them holds.
    package mutating func names() throws(PostgresError) -> [String] {
        try text().split(separator: ",").map(String.init)
    }

    /// Reads the value of a text; `make` returns nil for texts that the column may not hold.
    package mutating func value<Value>(_ make: (String) -> Value?) throws(PostgresError) -> Value {
        guard let value = make(try text()) else { throw unexpected }
        return value
    }

    /// Reads a whole number, or nil for null.
    package mutating func optionalInteger() throws(PostgresError) -> Int64? { try isNull() ? nil : integer() }

    /// Reads text, or nil for null.
    package mutating func optionalText() throws(PostgresError) -> String? { try isNull() ? nil : text() }

    /// Reads bytes, or nil for null.
    package mutating func optionalBytes() throws(PostgresError) -> [UInt8]? { try isNull() ? nil : bytes() }

    /// Checks that every column was read.
    func end() throws(PostgresError) {
        guard column == rows.columns else { throw unexpected }
    }

    /// Returns whether the next column is null, and skips it if so.
    private mutating func isNull() throws(PostgresError) -> Bool {
        guard column < rows.columns else { throw unexpected }
        guard rows.isNull(row, column) else { return false }
        column += 1
        return true
    }

    private mutating func next() -> Int {
        defer { column += 1 }
        return column
    }
}
