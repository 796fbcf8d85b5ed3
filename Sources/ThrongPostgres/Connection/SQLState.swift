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
