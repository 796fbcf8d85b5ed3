/// Why PostgreSQL did not do what it was asked.
///
/// No case holds a parameter's value or a password.
package enum PostgresError: Error, Sendable, Hashable {
    /// The connection string can't be read.
    case connectionStringInvalid
    /// No connection came about; the reason is libpq's, without the password.
    case unreachable(reason: String)
    /// The connection broke; whether the statement took effect is unknown.
    case connectionLost(query: String)
    /// No answer within the time allowed; the connection was dropped. Unit: seconds.
    case timedOut(query: String, seconds: Int)
    /// The connection was closed by its owner.
    case closed
    /// PostgreSQL refused a statement.
    case statementFailed(query: String, state: SQLState, message: String)
    /// PostgreSQL answered in a shape that the query's text does not allow.
    case unexpectedAnswer(query: String)
}

/// PostgreSQL's five-character error code.
///
/// Source: PostgreSQL's manual, appendix A.
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    /// Five characters, such as 40001.
    package let code: String

    /// Wraps a code.
    package init(_ code: String) { self.code = code }

    /// The code.
    package var description: String { code }

    /// Whether the same transaction may succeed when it is tried again: connection exceptions, a server that shuts
    /// down or starts, a cancelled statement, serialization failures, deadlocks, exhausted resources.
    package var isRetryable: Bool {
        code.hasPrefix("08") || code.hasPrefix("53") || code.hasPrefix("57P0")
            || ["40001", "40P01", "55P03", "57014"].contains(code)
    }

    /// A row that no partition holds, among other violated checks.
    package static let checkViolation = SQLState("23514")
    /// Data exceptions: their messages quote values.
    package var isDataException: Bool { code.hasPrefix("22") }
}

extension PostgresError {
    /// PostgreSQL's code, where it sent one.
    package var sqlState: SQLState? {
        if case .statementFailed(_, let state, _) = self { state } else { nil }
    }

    /// Whether the same call may succeed when it is made again.
    package var isRetryable: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut: true
        case .statementFailed(_, let state, _): state.isRetryable
        default: false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// What was found and what to do next.
    package var description: String {
        switch self {
        case .connectionStringInvalid:
            """
            the database's connection string can't be read; write postgresql://user@host:5432/database or \
            "host=… dbname=… user=…", percent-encode special characters, and keep the password in a password file
            """
        case .unreachable(let reason):
            "PostgreSQL can't be reached (\(reason)); check that it runs and that the connection string names it"
        case .connectionLost(let query):
            """
            the connection to PostgreSQL broke during \(query); try again, the effect of a lost answer is checked first
            """
        case .timedOut(let query, let seconds):
            """
            PostgreSQL did not answer \(query) within \(seconds) seconds and the connection was dropped; look for \
            locks in pg_stat_activity, then try again
            """
        case .closed:
            "the connection was closed; make a new one"
        case .statementFailed(let query, let state, let message):
            "PostgreSQL refused \(query) with SQLSTATE \(state): \(message)"
        case .unexpectedAnswer(let query):
            "PostgreSQL's answer to \(query) has another shape than this version expects; run throng database status"
        }
    }
}
