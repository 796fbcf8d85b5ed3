/// A query in two forms that mean the same: with parameters, to run it, and with literals, to paste it into psql.
///
/// Names become identifiers and values become parameters or literals, through ``quoted(name:)`` and ``quoted(value:)``
/// alone. All else is a literal of this program.
struct PastedStatement: ExpressibleByStringInterpolation {
    fileprivate enum Piece {
        case fixed(String)
        case name(String)
        /// The value as PostgreSQL reads it, and its type.
        case value(String, type: String)
    }

    private var pieces: [Piece]

    /// Text, names and values, one after the other.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: StaticString) { pieces.append(.fixed("\(literal)")) }
        /// The name of a view or a column.
        mutating func appendInterpolation(name: String) { pieces.append(.name(name)) }
        mutating func appendInterpolation(_ value: String, as type: StaticString) {
            pieces.append(.value(value, type: "\(type)"))
        }
        /// A number that this program chose.
        mutating func appendInterpolation(fixed number: Int) { pieces.append(.fixed(String(number))) }
    }

    init(stringLiteral text: StaticString) { pieces = [.fixed("\(text)")] }

    init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    static func += (statement: inout PastedStatement, part: PastedStatement) { statement.pieces += part.pieces }

    /// Returns the form that is run, with parameters.
    func statement(_ name: String) -> Statement {
        var parameters: [Parameter] = []
        let sql = pieces.map { piece in
            switch piece {
            case .fixed(let text): return text
            case .name(let name): return Self.quoted(name: name)
            case .value(let value, let type):
                parameters.append(.text(value))
                return "$\(parameters.count)::\(type)"
            }
        }
        return Statement(name: name, sql: sql.joined(), parameters: parameters)
    }

    /// The form that people paste, with literals.
    var pasted: String {
        pieces.map { piece in
            switch piece {
            case .fixed(let text): text
            case .name(let name): Self.quoted(name: name)
            case .value(let value, "text"): Self.quoted(value: value)
            case .value(let value, let type): "\(Self.quoted(value: value))::\(type)"
            }
        }.joined()
    }

    /// Returns a name as a quoted identifier (PostgreSQL's manual, 4.1.1).
    static func quoted(name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Returns a value as a string literal, on one line and without characters that steer how text is shown. It is
    /// right whether or not standard_conforming_strings is on.
    ///
    /// Source: PostgreSQL's manual, 4.1.2, string constants with C-style escapes.
    static func quoted(value: String) -> String {
        var escaped = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.unicodeScalars {
            switch scalar {
            case "'": escaped.append(contentsOf: "''".unicodeScalars)
            case "\\":
                escaped.append(contentsOf: "\\\\".unicodeScalars)
                isEscaped = true
            case _ where scalar.isUnseen:
                let digits = String(scalar.value, radix: 16)
                escaped.append(
                    contentsOf: "\\U\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)".unicodeScalars)
                isEscaped = true
            default: escaped.append(scalar)
            }
        }
        return "\(isEscaped ? "E" : "")'\(String(escaped))'"
    }

    /// Returns texts as an array literal (PostgreSQL's manual, 8.15.6).
    static func array(_ texts: [String]) -> String {
        let elements = texts.map { text in
            "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        return "{\(elements.joined(separator: ","))}"
    }
}

extension Unicode.Scalar {
    /// True if it steers how text is shown and is not shown itself.
    fileprivate var isUnseen: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }
}
