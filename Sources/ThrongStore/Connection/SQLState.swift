/// PostgreSQL's five-character error code.
///
/// Source: PostgreSQL's manual, appendix A.
public struct SQLState: Hashable, Sendable, CustomStringConvertible {
    /// Five characters, such as 40001.
    public let code: String

    /// Wraps a code.
    public init(_ code: String) { self.code = code }

    /// The code.
    public var description: String { code }

    /// Whether the same transaction may succeed when it is tried again: connection exceptions, a server that shuts
    /// down or starts, a cancelled statement, serialization failures, deadlocks, exhausted resources.
    public var isRetryable: Bool {
        code.hasPrefix("08") || code.hasPrefix("53") || code.hasPrefix("57P0")
            || ["40001", "40P01", "55P03", "57014"].contains(code)
    }

    /// A row that no partition holds, among other violated checks.
    static let checkViolation = SQLState("23514")
    /// Data exceptions: their messages quote values.
    var isDataException: Bool { code.hasPrefix("22") }
}
