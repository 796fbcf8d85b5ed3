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
