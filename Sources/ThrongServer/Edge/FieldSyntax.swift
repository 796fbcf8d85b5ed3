internal import ThrongWire

/// How values of headers are taken apart: by bytes, with quoted strings and in any letters.
///
/// Source: RFC 9110, sections 5.5, 5.6.1 to 5.6.6.
enum FieldSyntax {
    /// Parts between separators that stand in no quoted string, without the spaces around them.
    ///
    /// - Returns: nil where a quoted string has no end.
    static func parts(of text: Substring, at separator: Unicode.Scalar) -> [Substring]? {
        let (bytes, separator) = (text.utf8, UInt8(ascii: separator))
        var parts: [Substring] = []
        var (start, place) = (bytes.startIndex, bytes.startIndex)
        var isQuoted = false
        while place < bytes.endIndex {
            let byte = bytes[place]
            var next = bytes.index(after: place)
            if isQuoted, byte == UInt8(ascii: "\\") {
                guard next < bytes.endIndex else { return nil }
                next = bytes.index(after: next)
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                parts.append(trimmed(Substring(bytes[start..<place])))
                start = next
            }
            place = next
        }
        guard !isQuoted else { return nil }
        return parts + [trimmed(Substring(bytes[start...]))]
    }

    /// Elements of a list, but for those that are empty. A comma is one wherever it stands.
    static func elements(_ value: String) -> [Substring] {
        // By bytes: with a combining accent behind it, a comma is no character of its own.
        value.utf8.split(separator: UInt8(ascii: ",")).map { trimmed(Substring($0)) }.filter { !$0.isEmpty }
    }

    /// The name, in small letters, and the value of `name=value`, whose value is a token or a quoted string; nil for anything else.
    static func parameter(_ text: Substring) -> (name: String, value: String)? {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = text[..<sign]
        guard isToken(name), let value = word(text[text.utf8.index(after: sign)...]) else { return nil }
        return (name.lowercased(), value)
    }

    /// The text of a token or a quoted string; nil for anything else, and for what follows the end of a quoted string.
    private static func word(_ text: Substring) -> String? {
        guard text.utf8.first == UInt8(ascii: "\"") else { return isToken(text) ? String(text) : nil }
        return unquoted(text)
    }

    /// The text of one quoted string; nil for anything else.
    static func unquoted(_ text: Substring) -> String? {
        var bytes = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "\"") else { return nil }
        var said: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return bytes.isEmpty ? String(decoding: said, as: UTF8.self) : nil
            case UInt8(ascii: "\\"):
                guard let next = bytes.popFirst() else { return nil }
                said.append(next)
            default: said.append(byte)
            }
        }
        return nil
    }

    /// Source: RFC 9110, section 5.6.2.
    static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte.isDigit || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80 || tokenSigns.contains(byte)
            }
    }

    private static let tokenSigns = Set("!#$%&'*+-.^_`|~".utf8)

    /// Without spaces and tabs at both ends.
    static func trimmed(_ text: Substring) -> Substring {
        let bytes = text.utf8
        guard let head = bytes.first, let tail = bytes.last else { return text }
        // Most have none, and are not looked through.
        guard isSpace(head) || isSpace(tail) else { return text }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        // By bytes: places of characters have to be searched for.
        return Substring(bytes[first...last])
    }

    /// The same of a whole value, which stays as it is where there is nothing to take away.
    static func trimmed(whole text: String) -> String {
        guard let head = text.utf8.first, let tail = text.utf8.last, isSpace(head) || isSpace(tail) else { return text }
        return String(trimmed(text[...]))
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// The type of a body, as its Content-Type has it: `application/json; charset=utf-8`, in any letters.
///
/// Source: RFC 9110, section 8.3.1.
struct MediaType: Hashable, Sendable {
    /// Such as `application/json`, in small letters.
    let name: String
    /// By names in small letters.
    let parameters: [String: String]

    /// Nil for what is none, and where a parameter is said twice.
    init?(_ text: String) {
        guard let parts = FieldSyntax.parts(of: text[...], at: ";") else { return nil }
        let halves = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ FieldSyntax.isToken($0) }) else { return nil }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() where !part.isEmpty {
            guard let (name, value) = FieldSyntax.parameter(part), parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        (name, self.parameters) = (parts[0].lowercased(), parameters)
    }
}
