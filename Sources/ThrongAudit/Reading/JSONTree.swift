/// A JSON value that keeps the order of its keys and the digits of its numbers: both can give something away.
enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As printed.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    /// A key and its value.
    struct Member: Hashable, Sendable {
        let key: String
        let value: JSONTree
    }

    /// The first value of a key; nil where this is no object or has none.
    subscript(_ key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var digits: String? { if case .number(let digits) = self { digits } else { nil } }
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
    var keys: [String] { if case .object(let members) = self { members.map(\.key) } else { [] } }
    var isNull: Bool { self == .null }
}
