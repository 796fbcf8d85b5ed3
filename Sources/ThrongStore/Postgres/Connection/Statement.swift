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

    /// Takes a file of Schema/queries by its name without the ending. Its header is left out, so that an operator's view of
    /// a running query begins with the query.
    package init(_ name: String, _ file: [UInt8], _ parameters: Parameter...) {
        self.init(name, file, all: parameters)
    }

    package init(_ name: String, _ file: [UInt8], all parameters: [Parameter]) {
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        self.init(
            name: name, sql: lines.drop { $0.hasPrefix("-- ") }.joined(separator: "\n"), parameters: parameters)
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

extension Parameter {
    /// Returns an instant for `to_timestamp`: times outside the years 1 to 9999 become their ends. Unit: Unix seconds.
    package static func instant(_ unixSeconds: Int64) -> Parameter {
        .integer(min(max(unixSeconds, -62_135_596_800), 253_402_300_799))
    }
}

extension Parameter {
    package static func text(orNull text: String?) -> Parameter { text.map { .text($0) } ?? .null }

    /// Returns a whole number, or null for nil.
    package static func integer(orNull value: Int64?) -> Parameter { value.map { .integer($0) } ?? .null }

    /// Returns a boolean, as text.
    package static func flag(_ flag: Bool) -> Parameter { .text(flag ? "true" : "false") }
}

extension Int64 {
    package var parameter: Parameter { .integer(self) }
}
