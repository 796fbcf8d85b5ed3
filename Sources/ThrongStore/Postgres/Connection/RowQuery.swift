/// The queries of Schema/queries, a function each: a ``Statement``, or a ``RowQuery`` where rows are read.
///
/// The head of a query's file says what it does, what each parameter is, in which unit, and what comes back.
enum Query {}

/// A statement that answers in rows, and how one of them is read.
struct RowQuery<Row>: Sendable {
    let statement: Statement
    private let row: @Sendable (inout RowReader) throws -> Row

    /// Takes a file of Schema/queries; ``Statement/init(_:_:_:)`` has its parameters.
    ///
    /// - Parameter row: gets the columns of a row in their order, each as what its parameter says.
    init<each Value: ColumnValue>(
        _ name: String, _ file: [UInt8], _ parameters: any ParameterValue...,
        row: @escaping @Sendable (repeat each Value) throws -> Row
    ) {
        statement = Statement(name, file, all: parameters)
        self.row = { columns in try row(repeat (each Value)(reading: &columns)) }
    }

    /// Takes a file of Schema/queries whose rows are one value.
    init(_ name: String, _ file: [UInt8], _ parameters: any ParameterValue...) where Row: ColumnValue {
        statement = Statement(name, file, all: parameters)
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
    @discardableResult
    func run(_ statement: Statement) throws -> Int { try query(statement).affected }

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
    @discardableResult
    func run(_ statement: Statement) async throws -> Int { try await run { try $0.run(statement) } }

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
