/// A query with its parameters.
package struct Statement: Sendable {
    /// The statement's name in errors: the query file's name, never its text.
    package let name: String
    /// The text, with `$1`, `$2`, … for parameters.
    package let sql: String
    /// The values, one a placeholder.
    package let parameters: [Parameter]

    package init(name: String, sql: String, parameters: [Parameter] = []) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }
}

/// A value that is sent beside a query, never inside its text.
package enum Parameter: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number of any width.
    case integer(Int64)
    /// Whole numbers, as an array.
    case integers([Int64])
    /// Text without NUL.
    case text(String)
    /// Bytes, in binary format.
    case bytes([UInt8])

    /// The encoding for libpq: the bytes, without the NUL that follows them, and true if their format is binary.
    package var encoded: (bytes: [UInt8]?, isBinary: Bool) {
        switch self {
        case .null: (nil, false)
        case .integer(let value): (Array(String(value).utf8), false)
        case .integers(let values): (Array("{\(values.map(String.init).joined(separator: ","))}".utf8), false)
        case .text(let text): (Array(text.utf8), false)
        case .bytes(let bytes): (bytes, true)
        }
    }
}

/// A query from the folder Schema/queries.
package struct Query: Sendable {
    /// The file's name without its ending; also the name in errors.
    package let name: String
    /// The file's text without its header, so that an operator's view of a running query begins with the query.
    package let sql: String

    package init(_ name: String, _ text: [UInt8]) {
        self.name = name
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        sql = lines.drop { $0.hasPrefix("-- ") }.joined(separator: "\n")
    }

    /// Returns this query with values for its parameters.
    package func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name: name, sql: sql, parameters: parameters)
    }
}

extension Parameter {
    /// Returns an instant for `to_timestamp`: times outside the years 1 to 9999 become their ends. Unit: Unix seconds.
    package static func instant(_ unixSeconds: Int64) -> Parameter {
        .integer(min(max(unixSeconds, -62_135_596_800), 253_402_300_799))
    }
}

extension Parameter {
    /// Returns text, or null for nil.
    package static func text(orNull text: String?) -> Parameter { text.map { .text($0) } ?? .null }

    /// Returns a whole number, or null for nil.
    package static func integer(orNull value: Int64?) -> Parameter { value.map { .integer($0) } ?? .null }

    /// Returns a boolean, as text.
    package static func flag(_ flag: Bool) -> Parameter { .text(flag ? "true" : "false") }
}

extension Int64 {
    /// This number as a parameter.
    package var parameter: Parameter { .integer(self) }
}
