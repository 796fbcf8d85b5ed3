/// The reason why PostgreSQL did not do what it was asked; no case holds a parameter's value or a password.
package enum PostgresError: Error, Sendable, Hashable {
    case connectionStringInvalid
    /// No connection came about; the reason is libpq's, without the password.
    case unreachable(reason: String)
    /// The connection broke; whether the statement took effect is unknown.
    case connectionLost(query: String)
    /// No answer within the time allowed; the connection was dropped. Unit: seconds.
    case timedOut(query: String, seconds: Int)
    case closed
    case statementFailed(query: String, state: SQLState, message: String)
    case unreplicated(query: String)
    case unexpectedAnswer(query: String)
    /// A column is null and may not be. The first is 1; the name is PostgreSQL's.
    case unexpectedNull(query: String, column: Int, name: String)

    package var sqlState: SQLState? { if case .statementFailed(_, let state, _) = self { state } else { nil } }

    package var isRetryable: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut, .unreplicated: true
        case .statementFailed(_, let state, let message): state.isRetryable || Self.isLostWorker(state, message)
        default: false
        }
    }

    /// True if there is no server that could answer: look for one soon, as another may take its place.
    package var isAbsence: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut: true
        case .statementFailed(_, let state, let message): state.isAbsence || Self.isLostWorker(state, message)
        default: false
        }
    }

    /// True if a coordinator of Citus reports that a worker is gone. It passes on libpq's words, which come without a
    /// code, as an internal error (`ReportResultError`), or its own words.
    private static func isLostWorker(_ state: SQLState, _ message: String) -> Bool {
        state == .internalError && lostWorker.contains { message.contains($0) }
    }

    private static let lostWorker = [
        "server closed the connection unexpectedly", "SSL connection has been closed unexpectedly",
        "could not receive data from server", "could not send data to server", "no connection to the server",
        "connection to server at ", "connection error: ", "connection to the remote node ",
        "failure on connection marked as essential",
    ]
}

/// PostgreSQL's five-character error code (its manual, appendix A).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    package let code: String

    package init(_ code: String) { self.code = code }

    package var description: String { code }

    /// True if the same transaction may succeed when it is tried again: connection exceptions, a server that shuts
    /// down, starts or has become a replica, a cancelled statement, serialization failures, deadlocks, exhausted
    /// resources.
    package var isRetryable: Bool {
        isAbsence || code.hasPrefix("53") || ["40001", "40P01", "55P03", "57014"].contains(code)
    }

    /// True if there is no server that takes writes: connection exceptions, one that shuts down, starts or is a
    /// replica.
    package var isAbsence: Bool { code.hasPrefix("08") || code.hasPrefix("57P0") || self == .readOnly }

    /// A write on a replica, or where only reading is allowed.
    package static let readOnly = SQLState("25006")
    /// The code of errors without one of their own. Citus uses it when a worker's connection broke.
    package static let internalError = SQLState("XX000")

    /// Two transactions waited for each other, and this one was ended.
    package static let deadlockDetected = SQLState("40P01")
    /// A row that no partition holds, among other violated checks.
    package static let checkViolation = SQLState("23514")
    /// True for data exceptions: their messages quote values.
    package var isDataException: Bool { code.hasPrefix("22") }
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connectionStringInvalid:
            """
            the database's connection string can't be read; write postgresql://user@host:5432/database or \
            "host=… dbname=… user=…", percent-encode special characters (@ as %40, / as %2F, ? as %3F), and keep the password in a password file
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
        case .closed: "the connection was closed; make a new one"
        case .statementFailed(let query, let state, let message):
            "PostgreSQL refused \(query) with SQLSTATE \(state): \(message)"
        case .unreplicated(let query):
            """
            PostgreSQL has committed \(query), but not on its synchronous replica: the wait for it was ended, by hand or \
            by a shutdown; what was done is looked at before it is done again
            """
        case .unexpectedAnswer(let query):
            "PostgreSQL's answer to \(query) has another shape than this version expects; run throng database"
        case .unexpectedNull(let query, let column, let name):
            """
            PostgreSQL's answer to \(query) has no value in column \(column) (\(name)), where there always is one; run throng \
            database, and where that finds nothing, please report it
            """
        }
    }
}
