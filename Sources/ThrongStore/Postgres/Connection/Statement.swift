internal import CLibPQ

/// A query with its parameters.
package struct Statement: Sendable {
    /// The statement's name in errors: the query file's name, never its text.
    let name: String
    /// The text, with `$1`, `$2`, … for parameters.
    let sql: String
    /// The values, one a placeholder.
    var parameters: [Parameter] = []
}

extension Statement {
    /// Takes a file of Schema/queries, whose first line as built in is its name without the ending. Its header is left out,
    /// so that an operator's view of a running query begins with the query.
    init(_ file: [UInt8], _ parameters: any ParameterValue...) { self.init(file, all: parameters) }

    init(_ file: [UInt8], all parameters: [any ParameterValue]) {
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        self.init(
            name: String(lines[0].dropFirst(3)), sql: lines.drop { $0.hasPrefix("-- ") }.joined(separator: "\n"),
            parameters: parameters.flatMap(\.parameters))
    }
}

/// A value that is sent beside a query, never inside its text.
package enum Parameter: Sendable, Hashable {
    case null
    case integer(Int64)
    case integers([Int64])
    /// Text without NUL.
    case text(String)
    /// Bytes, in binary format.
    case bytes([UInt8])

    /// The encoding for libpq: the bytes, without the NUL that follows them, and true if their format is binary.
    var encoded: (bytes: [UInt8]?, isBinary: Bool) {
        switch self {
        case .null: (nil, false)
        case .integer(let value): (Array(String(value).utf8), false)
        case .integers(let values): (Array("{\(values.map(String.init).joined(separator: ","))}".utf8), false)
        case .text(let text): (Array(text.utf8), false)
        case .bytes(let bytes): (bytes, true)
        }
    }
}

/// A value that is sent as a parameter of a query, or as several that follow each other.
protocol ParameterValue: Sendable { var parameters: [Parameter] { get } }

/// An element of an array that is sent as a whole, mostly as one parameter.
protocol ParameterElement: Sendable { static func parameters(of all: [Self]) -> [Parameter] }

extension ParameterValue where Self: BinaryInteger { var parameters: [Parameter] { [.integer(Int64(self))] } }

extension ParameterElement where Self: BinaryInteger {
    static func parameters(of all: [Self]) -> [Parameter] { [.integers(all.map { Int64($0) })] }
}

extension Int: ParameterValue, ParameterElement {}
extension Int16: ParameterValue, ParameterElement {}
extension Int32: ParameterValue, ParameterElement {}
extension Int64: ParameterValue, ParameterElement {}

extension UInt8: ParameterElement { static func parameters(of all: [UInt8]) -> [Parameter] { [.bytes(all)] } }

extension String: ParameterValue { var parameters: [Parameter] { [.text(self)] } }

extension Bool: ParameterValue { var parameters: [Parameter] { [.text(self ? "true" : "false")] } }

/// A length in whole seconds.
extension Duration: ParameterValue { var parameters: [Parameter] { [.integer(components.seconds)] } }

/// Null for nil.
extension Optional: ParameterValue where Wrapped: ParameterValue {
    var parameters: [Parameter] { self?.parameters ?? [.null] }
}

extension Array: ParameterValue where Element: ParameterElement {
    var parameters: [Parameter] { Element.parameters(of: self) }
}

/// The queries of Schema/queries, a function each: a ``Statement``, or a ``RowQuery`` where rows are read.
///
/// The head of a query's file says what it does, what each parameter is, in which unit, and what comes back.
typealias Query = PackageResources

/// A statement that answers in rows, and how one of them is read.
struct RowQuery<Row>: Sendable {
    let statement: Statement
    private let row: @Sendable (inout RowReader) throws -> Row

    /// Takes a file of Schema/queries; ``Statement/init(_:_:)`` has its parameters.
    ///
    /// - Parameter row: gets the columns of a row in their order, each as what its parameter says.
    init<each Value: ColumnValue>(
        _ file: [UInt8], _ parameters: any ParameterValue..., row: @escaping @Sendable (repeat each Value) throws -> Row
    ) {
        statement = Statement(file, all: parameters)
        self.row = { columns in try row(repeat (each Value)(reading: &columns)) }
    }

    /// Takes a file of Schema/queries whose rows are one value.
    init(_ file: [UInt8], _ parameters: any ParameterValue...) where Row: ColumnValue {
        statement = Statement(file, all: parameters)
        row = { try Row(reading: &$0) }
    }

    var unexpected: PostgresError { .unexpectedAnswer(query: statement.name) }

    /// Returns the rows of an answer, also of one that came in a pipeline.
    func rows(_ answer: Rows) throws -> [Row] { try answer.read(row) }
}

extension Rows {
    /// Reads each row, all its columns in their order; throws as ``RowQuery/rows(_:)``.
    func read<Row>(_ row: (inout RowReader) throws -> Row) throws -> [Row] {
        try indices.map { place in
            var columns = RowReader(self, row: place)
            let value = try row(&columns)
            try columns.end()
            return value
        }
    }
}

extension Session {
    /// Runs a statement without rows to read; returns the number of rows it touched.
    @discardableResult func run(_ statement: Statement) throws -> Int { try query(statement).affected }

    func run<Row>(_ asked: RowQuery<Row>) throws -> [Row] { try asked.rows(try query(asked.statement)) }

    /// Runs a query that answers in one row or none; throws where there are more.
    func first<Row>(_ asked: RowQuery<Row>) throws -> Row? {
        let rows = try run(asked)
        guard rows.count <= 1 else { throw asked.unexpected }
        return rows.first
    }

    /// Runs a query that answers in exactly one row; throws where there are none or more.
    func one<Row>(_ asked: RowQuery<Row>) throws -> Row {
        guard let row = try first(asked) else { throw asked.unexpected }
        return row
    }
}

/// The same by themselves, for what needs no transaction.
extension Connection {
    @discardableResult func run(_ statement: Statement) async throws -> Int { try await run { try $0.run(statement) } }

    func run<Row: Sendable>(_ asked: RowQuery<Row>) async throws -> [Row] { try await run { try $0.run(asked) } }

    func first<Row: Sendable>(_ asked: RowQuery<Row>) async throws -> Row? { try await run { try $0.first(asked) } }

    func one<Row: Sendable>(_ asked: RowQuery<Row>) async throws -> Row { try await run { try $0.one(asked) } }

    /// Runs work in a transaction; see ``Session/transaction(_:)``.
    func transaction<Value: Sendable>(_ work: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        try await run { session in try session.transaction { try work(session) } }
    }

    /// Runs work that only reads, all of it as of one moment.
    func snapshot<Value: Sendable>(_ work: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        try await transaction { session in
            try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
            return try work(session)
        }
    }
}

/// The answer to a statement, in PostgreSQL's binary format; valid on the connection's thread only.
package final class Rows {
    private let result: OpaquePointer
    private let query: String

    package init(_ result: OpaquePointer, query: String) { (self.result, self.query) = (result, query) }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }

    var columns: Int { Int(PQnfields(result)) }

    var unexpected: PostgresError { .unexpectedAnswer(query: query) }

    /// The number of rows that the statement touched; 0 for statements that touch none.
    package var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The command that ran, such as COMMIT.
    package var command: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    package var indices: Range<Int> { 0..<count }

    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    /// Returns a whole number of two, four or eight bytes.
    package func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        let (base, length) = try value(row, column)
        switch length {
        case 8: return Int64(bigEndian: base.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: base.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: base.loadUnaligned(as: Int16.self)))
        default: throw unexpected
        }
    }

    package func flag(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        let (base, length) = try value(row, column)
        guard length == 1 else { throw unexpected }
        return base.load(as: UInt8.self) != 0
    }

    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        String(decoding: try bytes(row, column), as: UTF8.self)
    }

    package func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        let (base, length) = try value(row, column)
        return Array(UnsafeRawBufferPointer(start: base, count: length))
    }

    /// Returns a one-dimensional array of eight-byte whole numbers without nulls.
    ///
    /// Source: PostgreSQL's array_send: dimensions, flags, element type, then length and lower bound a dimension,
    /// then length and bytes an element; all big-endian.
    package func integers(_ row: Int, _ column: Int) throws(PostgresError) -> [Int64] {
        let (base, length) = try value(row, column)
        guard length >= 12 else { throw unexpected }
        func word(_ offset: Int) -> Int {
            Int(Int32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        if word(0) == 0 { return [] }
        guard word(0) == 1, length >= 20, word(4) == 0, length == 20 + word(12) * 12 else { throw unexpected }
        return (0..<word(12)).map { place in
            Int64(bigEndian: base.loadUnaligned(fromByteOffset: 20 + place * 12 + 4, as: Int64.self))
        }
    }

    private func value(_ row: Int, _ column: Int) throws(PostgresError) -> (UnsafeRawPointer, Int) {
        guard row >= 0, row < count, column >= 0, column < columns else { throw unexpected }
        guard !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column)) else {
            let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
            throw .unexpectedNull(query: query, column: column + 1, name: name)
        }
        return (UnsafeRawPointer(start), Int(PQgetlength(result, Int32(row), Int32(column))))
    }
}

/// Reads the columns of one row, from the first to the last.
///
/// Everything throws ``PostgresError/unexpectedNull(query:column:name:)`` where a column is null and may not be, and
/// ``PostgresError/unexpectedAnswer(query:)`` where one is missing or has another type.
struct RowReader {
    private let rows: Rows
    private let row: Int
    private var column = 0

    init(_ rows: Rows, row: Int) { (self.rows, self.row) = (rows, row) }

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

    func end() throws(PostgresError) { guard column == rows.columns else { throw unexpected } }

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

/// A value that is read from a row by its type: from the next column, or from several.
protocol ColumnValue: SendableMetatype {
    /// The number of columns that it takes.
    static var columns: Int { get }

    /// Reads the value; throws as ``RowReader`` does.
    init(reading row: inout RowReader) throws
}

/// An element of an array that fills one column: a byte, a number of an array, or a name between commas.
protocol ColumnElement: SendableMetatype { static func all(reading row: inout RowReader) throws -> [Self] }

extension ColumnValue { static var columns: Int { 1 } }

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

extension Int: ColumnValue { init(reading row: inout RowReader) throws { self.init(try row.integer()) } }

extension Int32: ColumnValue {
    init(reading row: inout RowReader) throws {
        guard let value = Int32(exactly: try row.integer()) else { throw row.unexpected }
        self = value
    }
}

extension Int16: ColumnValue { init(reading row: inout RowReader) throws { self.init(clamping: try row.integer()) } }

extension Bool: ColumnValue { init(reading row: inout RowReader) throws { self = try row.flag() } }

extension UInt8: ColumnElement { static func all(reading row: inout RowReader) throws -> [UInt8] { try row.bytes() } }

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
