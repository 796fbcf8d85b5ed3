/// Reads the columns of one row, from the first to the last.
///
/// Everything throws ``PostgresError/unexpectedNull(query:column:name:)`` where a column is null and may not be, and
/// ``PostgresError/unexpectedAnswer(query:)`` where one is missing or has another type.
struct RowReader {
    private let rows: Rows
    private let row: Int
    private var column = 0

    init(_ rows: Rows, row: Int) {
        self.rows = rows
        self.row = row
    }

    /// The error to throw if a value is none of the allowed ones.
    var unexpected: PostgresError { rows.unexpected }

    /// Reads the next value of a type.
    mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) throws -> Value {
        try Value(reading: &self)
    }

    /// Reads a whole number of two, four or eight bytes.
    mutating func integer() throws(PostgresError) -> Int64 { try rows.integer(row, place()) }

    mutating func flag() throws(PostgresError) -> Bool { try rows.flag(row, place()) }

    /// Reads text, JSON or a name.
    mutating func text() throws(PostgresError) -> String { try rows.text(row, place()) }

    /// Reads any value's bytes as PostgreSQL sends them.
    mutating func bytes() throws(PostgresError) -> [UInt8] { try rows.bytes(row, place()) }

    /// Reads an array of eight-byte whole numbers without nulls.
    mutating func integers() throws(PostgresError) -> [Int64] { try rows.integers(row, place()) }

    func end() throws(PostgresError) {
        guard column == rows.columns else { throw unexpected }
    }

    /// Returns whether the next column is null; skips it and those that belong to it if so.
    mutating func skipsNull(columns: Int) throws(PostgresError) -> Bool {
        guard column < rows.columns else { throw unexpected }
        guard rows.isNull(row, column) else { return false }
        column += columns
        return true
    }

    private mutating func place() -> Int {
        defer { column += 1 }
        return column
    }
}
