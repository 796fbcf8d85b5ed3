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
    /// Takes a file of Schema/queries by its name without the ending. Its header is left out, so that an operator's view of
    /// a running query begins with the query.
    init(_ name: String, _ file: [UInt8], _ parameters: any ParameterValue...) {
        self.init(name, file, all: parameters)
    }

    init(_ name: String, _ file: [UInt8], all parameters: [any ParameterValue]) {
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        self.init(
            name: name, sql: lines.drop { $0.hasPrefix("-- ") }.joined(separator: "\n"),
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
