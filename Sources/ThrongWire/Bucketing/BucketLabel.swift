/// The name of a bucket; equal when the UTF-8 bytes are.
public struct BucketLabel: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text that analysts and readers see.
    public let text: String

    /// Wraps a label.
    public init(_ text: String) { self.text = text }
    /// A label written in source.
    public init(stringLiteral value: String) { self.init(value) }
    /// The bare label.
    public var description: String { text }

    /// The bucket of every value that has no bucket of its own, and of missing values.
    public static let other: BucketLabel = "other"

    /// Compares bytes, not canonical equivalents.
    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    /// Hashes the same bytes that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xff))
    }
    /// Reads the bare string.
    public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }
    /// Writes the bare string.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension BucketLabel {
    /// True if the label can stand in a table, a CSV file, a spreadsheet and SQL without surprising anyone.
    ///
    /// 1 to 64 bytes; no quotes, commas, semicolons, backslashes, bars, control or invisible characters; no space at
    /// either end; no first character that makes a spreadsheet read a formula (`=`, `+`, `-`, `@`; OWASP, "CSV Injection").
    public var isPrintable: Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, text.utf8.count <= 64 else { return false }
        if "=+-@ ".unicodeScalars.contains(first) || last == " " { return false }
        return scalars.allSatisfy { scalar in
            if "\"'`,;\\|".unicodeScalars.contains(scalar) { return false }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: return false
            case .spaceSeparator: return scalar == " "
            default: return true
            }
        }
    }
}
