/// Reads JSON (RFC 8259) into a tree; strict, at most 64 levels deep.
struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0

    /// Nil where the bytes are not one JSON value.
    static func read(_ bytes: [UInt8]) -> JSONTree? {
        var reader = JSONReader(bytes: bytes)
        guard let tree = reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        return reader.place == bytes.count ? tree : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard place + count <= bytes.count else { return false }
        let matches = word.withUTF8Buffer { $0.elementsEqual(bytes[place..<place + count]) }
        if matches { place += count }
        return matches
    }

    private mutating func value(depth: Int) -> JSONTree? {
        skipBlanks()
        guard depth < 64, let byte = next else { return nil }
        switch byte {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(_ depth: Int) -> JSONTree? {
        place += 1
        var members: [JSONTree.Member] = []
        skipBlanks()
        if take("}") { return .object([]) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\""), let key = string() else { return nil }
            skipBlanks()
            guard take(":"), let value = value(depth: depth + 1) else { return nil }
            members.append(.init(key: key, value: value))
            skipBlanks()
            if take("}") { return .object(members) }
            guard take(",") else { return nil }
        }
    }

    private mutating func array(_ depth: Int) -> JSONTree? {
        place += 1
        var elements: [JSONTree] = []
        skipBlanks()
        if take("]") { return .array([]) }
        while true {
            guard let value = value(depth: depth + 1) else { return nil }
            elements.append(value)
            skipBlanks()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
    }

    private mutating func number() -> JSONTree? {
        let start = place
        while let byte = next,
            (48...57).contains(byte) || byte == 0x2d || byte == 0x2b || byte == 0x2e || byte | 0x20 == 0x65
        {
            place += 1
        }
        let digits = String(decoding: bytes[start..<place], as: UTF8.self)
        return Double(digits) == nil ? nil : .number(digits)
    }

    private mutating func string() -> String? {
        place += 1
        var result: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escape = next else { return nil }
                place += 1
                switch escape {
                case UInt8(ascii: "n"): result.append(0x0a)
                case UInt8(ascii: "t"): result.append(0x09)
                case UInt8(ascii: "r"): result.append(0x0d)
                case UInt8(ascii: "b"): result.append(0x08)
                case UInt8(ascii: "f"): result.append(0x0c)
                case UInt8(ascii: "u"):
                    guard let scalar = escapedScalar() else { return nil }
                    result += Array(String(Character(scalar)).utf8)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(escape)
                default: return nil
                }
            case 0..<0x20: return nil
            default: result.append(byte)
            }
        }
        return nil
    }

    private mutating func unit() -> UInt32? {
        guard place + 4 <= bytes.count,
            let unit = UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        else { return nil }
        place += 4
        return unit
    }

    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard (0xd800...0xdbff).contains(first) else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = unit(), (0xdc00...0xdfff).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }
}

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
