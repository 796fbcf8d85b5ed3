internal import Foundation

/// A JSON value (RFC 8259).
enum JSONTree: Sendable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// Reads a JSON value; nil if the bytes are not exactly one.
    static func read(_ bytes: [UInt8]) -> JSONTree? { try? JSONDecoder().decode(JSONTree.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // One shape after the other is tried; an error says that it is another.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    /// The value of a key; nil if this is no object or has no such key.
    subscript(_ key: String) -> JSONTree? { if case .object(let members) = self { members[key] } else { nil } }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var value: Double? { if case .number(let value) = self { value } else { nil } }
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
    var isNull: Bool { if case .null = self { true } else { false } }

    /// Every number in it, however deep.
    var numbers: [Double] {
        switch self {
        case .number(let value): [value]
        case .array(let elements): elements.flatMap(\.numbers)
        case .object(let members): members.values.flatMap(\.numbers)
        case .null, .bool, .string: []
        }
    }
}
