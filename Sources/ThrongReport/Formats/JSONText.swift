/// A JSON value (RFC 8259) that is written with its keys in the order in which they were given, numbers as exact
/// decimals: the same bytes for the same report.
package enum JSONText: ExpressibleByDictionaryLiteral {
    package typealias Member = (key: String, value: JSONText)

    case null
    case string(String)
    /// Digits as they are to be written.
    case number(String)
    case boolean(Bool)
    case array([JSONText])
    case object([Member])

    /// Creates an object without the members that are nil; ``null`` is written.
    package init(dictionaryLiteral members: (String, JSONText?)...) {
        self = .object(members.compactMap { key, value in value.map { (key: key, value: $0) } })
    }

    package static func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

    package static func digits(_ number: (some CustomStringConvertible)?) -> JSONText {
        number.map { .number($0.description) } ?? .null
    }

    /// The text, indented by two spaces a level.
    package func written(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .null: return "null"
        case .string(let text): return Self.quoted(text)
        case .number(let digits): return digits
        case .boolean(let value): return value ? "true" : "false"
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            if elements.allSatisfy(\.isScalar) {
                return "[" + elements.map { $0.written() }.joined(separator: ", ") + "]"
            }
            return "[\n" + elements.map { inner + $0.written(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { inner + Self.quoted($0.key) + ": " + $0.value.written(indent: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private var isScalar: Bool {
        switch self {
        case .null, .string, .number, .boolean: true
        case .array, .object: false
        }
    }

    /// Escapes what JSON requires, and also DEL, C1 controls, U+2028, U+2029, directional controls and `<`, so that
    /// the text is inert wherever it is pasted.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar where scalar == "<" || scalar.isControl:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
