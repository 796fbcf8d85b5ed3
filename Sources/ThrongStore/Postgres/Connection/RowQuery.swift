/// The queries of Schema/queries, a function each: a ``Statement``, or a ``RowQuery`` where rows are read.
///
/// The head of a query's file says what it does, what each parameter is, in which unit, and what comes back.
enum Query {}

/// A statement that answers in rows, and how one of them is read.
package struct RowQuery<Row>: Sendable {
    package let statement: Statement
    /// Reads a row, all its columns in their order.
    private let row: @Sendable (inout RowReader) throws -> Row

    /// Takes a file of Schema/queries; ``Statement/init(_:_:_:)`` has its parameters.
    package init(
        _ name: String, _ file: [UInt8], _ parameters: Parameter...,
        row: @escaping @Sendable (inout RowReader) throws -> Row
    ) {
        self.init(name, file, all: parameters, row: row)
    }

    package init(
        _ name: String, _ file: [UInt8], all parameters: [Parameter],
        row: @escaping @Sendable (inout RowReader) throws -> Row
    ) {
        statement = Statement(name, file, all: parameters)
        self.row = row
    }

    /// The error for an answer that can't be read.
    package var unexpected: PostgresError { .unexpectedAnswer(query: statement.name) }

    /// Returns the rows of an answer, also of one that came in a pipeline.
    ///
    /// - Throws: ``PostgresError/unexpectedAnswer(query:)`` where a row has more columns or fewer than are read, or
    ///   other types.
    package func rows(_ answer: Rows) throws -> [Row] { try answer.read(row) }
}

extension Rows {
    /// Reads each row, all its columns in their order.
    ///
    /// - Throws: as ``RowQuery/rows(_:)``.
    package func read<Row>(_ row: (inout RowReader) throws -> Row) throws -> [Row] {
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
    package func run(_ statement: Statement) throws -> Int { try query(statement).affected }

    /// Runs a query; returns all rows.
    package func run<Row>(_ asked: RowQuery<Row>) throws -> [Row] { try asked.rows(try query(asked.statement)) }

    /// Runs a query that answers in one row or none.
    ///
    /// - Throws: ``PostgresError/unexpectedAnswer(query:)`` where there are more.
    package func first<Row>(_ asked: RowQuery<Row>) throws -> Row? {
        let rows = try run(asked)
        guard rows.count <= 1 else { throw asked.unexpected }
        return rows.first
    }

    /// Runs a query that answers in exactly one row.
    ///
    /// - Throws: ``PostgresError/unexpectedAnswer(query:)`` where there are none or more.
    package func one<Row>(_ asked: RowQuery<Row>) throws -> Row {
        guard let row = try first(asked) else { throw asked.unexpected }
        return row
    }
}
