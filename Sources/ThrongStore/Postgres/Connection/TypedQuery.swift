/// A query of Schema/queries as a type: its parameters are its properties.
///
/// It is either a ``Command`` or a ``RowQuery``.
package protocol TypedQuery: Sendable {
    /// The file.
    static var text: Query { get }
    /// The values, one a placeholder, from `$1`.
    var parameters: [Parameter] { get }
}

/// A query without rows to read.
package protocol Command: TypedQuery {}

/// A query that answers in rows.
package protocol RowQuery: TypedQuery {
    /// The content of a row.
    associatedtype Row
    /// Reads a row, all its columns in their order.
    func row(_ columns: inout RowReader) throws -> Row
}

extension TypedQuery {
    /// The text with the values.
    package var statement: Statement { Self.text(parameters) }

    /// None, for queries that take none.
    package var parameters: [Parameter] { [] }

    /// The error for an answer that can't be read.
    package static var unexpected: PostgresError { .unexpectedAnswer(query: text.name) }
}

extension RowQuery {
    /// Returns the rows of an answer, also of one that came in a pipeline.
    ///
    /// - Throws: ``PostgresError/unexpectedAnswer(query:)`` where a row has more columns or fewer than are read, or
    ///   other types.
    package func rows(_ answer: Rows) throws -> [Row] { try answer.read { try row(&$0) } }
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
    /// Runs a command; returns the number of rows it touched.
    @discardableResult
    package func run(_ command: some Command) throws -> Int { try query(command.statement).affected }

    /// Runs a query; returns all rows.
    package func run<Asked: RowQuery>(_ asked: Asked) throws -> [Asked.Row] {
        try asked.rows(try query(asked.statement))
    }

    /// Runs a query that answers in one row or none.
    ///
    /// - Throws: ``PostgresError/unexpectedAnswer(query:)`` where there are more.
    package func first<Asked: RowQuery>(_ asked: Asked) throws -> Asked.Row? {
        let rows = try run(asked)
        guard rows.count <= 1 else { throw Asked.unexpected }
        return rows.first
    }

    /// Runs a query that answers in exactly one row.
    ///
    /// - Throws: ``PostgresError/unexpectedAnswer(query:)`` where there are none or more.
    package func one<Asked: RowQuery>(_ asked: Asked) throws -> Asked.Row {
        guard let row = try first(asked) else { throw Asked.unexpected }
        return row
    }
}
