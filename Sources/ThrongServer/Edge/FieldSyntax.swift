internal import ThrongPlan

/// The syntax of header values: parsed by bytes, with quoted strings, in upper and lower case.
///
/// Source: RFC 9110, sections 5.5, 5.6.1 to 5.6.6.
enum FieldSyntax {
    /// Returns the parts between separators outside quoted strings, without the spaces around them.
    ///
    /// - Returns: nil if a quoted string has no end.
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

    /// Returns the elements of a list that are not empty. Every comma separates, even in a quoted string.
    static func elements(_ value: String) -> [Substring] {
        // The split is by bytes: with a combining accent behind it, a comma is no character of its own.
        value.utf8.split(separator: UInt8(ascii: ",")).map { trimmed(Substring($0)) }.filter { !$0.isEmpty }
    }

    /// Returns the name, in lower case, and the value of `name=value`, a token or a quoted string; nil for others.
    static func parameter(_ text: Substring) -> (name: String, value: String)? {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let (name, word) = (text[..<sign], text[text.utf8.index(after: sign)...])
        guard isToken(name), let value = isToken(word) ? String(word) : unquoted(word) else { return nil }
        return (name.lowercased(), value)
    }

    /// Returns the text of one quoted string; nil for anything else, and if text follows it.
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

    /// True if the text is a token. Source: RFC 9110, section 5.6.2.
    static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte.isDigit || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80 || tokenSigns.contains(byte)
            }
    }

    private static let tokenSigns = Set("!#$%&'*+-.^_`|~".utf8)

    /// Returns the text without spaces and tabs at both ends.
    static func trimmed(_ text: Substring) -> Substring {
        let bytes = text.utf8
        guard let head = bytes.first, let tail = bytes.last else { return text }
        // Most have none, and are not looked through.
        guard isSpace(head) || isSpace(tail) else { return text }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        // The slice is by bytes: places of characters have to be searched for.
        return Substring(bytes[first...last])
    }

    /// Returns a whole value without spaces and tabs at both ends; the same string if it has none.
    static func trimmed(whole text: String) -> String {
        guard let head = text.utf8.first, let tail = text.utf8.last, isSpace(head) || isSpace(tail) else { return text }
        return String(trimmed(text[...]))
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// The type of a body, as in its Content-Type: `application/json; charset=utf-8`, in upper or lower case.
///
/// Source: RFC 9110, section 8.3.1.
struct MediaType: Hashable, Sendable {
    /// The name in lower case, such as `application/json`.
    let name: String
    let parameters: [String: String]

    /// Parses a media type; nil if the text is none, or names a parameter twice.
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
