/// Cuts Swift into words, strings and signs, and notes which lines have comments.
///
/// Knows nested comments, raw and multi-line strings, interpolations and regular expressions between slashes; nothing else
/// of the language.
struct Lexer {
    private let bytes: [UInt8]
    private var place = 0
    /// Where the last token ended.
    private var end = 0
    private var line = 1
    private(set) var tokens: [Token] = []
    private(set) var commentedLines: Set<Int> = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        read(untilParenthesis: false)
    }

    private func byte(_ offset: Int = 0) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }
    private func ahead(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { wanted in
            place + wanted.count <= bytes.count && wanted.indices.allSatisfy { bytes[place + $0] == wanted[$0] }
        }
    }

    /// Reads to the end, or to the parenthesis that ends an interpolation.
    private mutating func read(untilParenthesis: Bool) {
        var depth = 0
        while let next = byte() {
            switch next {
            case UInt8(ascii: "\n"):
                line += 1
                place += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): place += 1
            case UInt8(ascii: "/") where ahead("//"): skipLine()
            case UInt8(ascii: "/") where ahead("/*"): skipComment()
            case UInt8(ascii: "/") where isPattern: readPattern()
            case UInt8(ascii: "\""): readString(pounds: 0)
            case UInt8(ascii: "#") where poundsBeforeQuote > 0: readString(pounds: poundsBeforeQuote)
            case _ where Self.isWord(next): readWord()
            default:
                if next == UInt8(ascii: "(") { depth += 1 }
                if next == UInt8(ascii: ")") {
                    if depth == 0, untilParenthesis {
                        place += 1
                        return
                    }
                    depth -= 1
                }
                let isAttached = end == place
                place += 1
                end = place
                tokens.append(
                    Token(kind: .sign, text: String(UnicodeScalar(next)), line: line, isAttached: isAttached))
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...255:
            true
        default: false
        }
    }

    private mutating func readWord() {
        let start = place
        while let next = byte(), Self.isWord(next) { place += 1 }
        end = place
        tokens.append(Token(kind: .word, text: String(decoding: bytes[start..<place], as: UTF8.self), line: line))
    }

    private mutating func skipLine() {
        commentedLines.insert(line)
        while let next = byte(), next != UInt8(ascii: "\n") { place += 1 }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            commentedLines.insert(line)
            if ahead("/*") {
                depth += 1
                place += 2
            } else if ahead("*/") {
                depth -= 1
                place += 2
            } else {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }

    /// How many # stand before a quote here; 0 where no string begins.
    private var poundsBeforeQuote: Int {
        var count = 0
        while byte(count) == UInt8(ascii: "#") { count += 1 }
        return byte(count) == UInt8(ascii: "\"") ? count : 0
    }

    private mutating func readString(pounds: Int) {
        place += pounds
        // After three quotes comes a new line, else the first of them begins a string of quotes: #""pie""#.
        let rest = bytes[min(place + 3, bytes.count)...].first { $0 != UInt8(ascii: " ") }
        let isLong = ahead("\"\"\"") && rest == UInt8(ascii: "\n")
        let first = line
        place += isLong ? 3 : 1
        let own = tokens.count
        var text: [UInt8] = []
        var isInterpolated = false
        func closes(_ reader: Lexer) -> Bool {
            guard isLong ? reader.ahead("\"\"\"") : reader.byte() == UInt8(ascii: "\"") else { return false }
            return (0..<pounds).allSatisfy { reader.byte((isLong ? 3 : 1) + $0) == UInt8(ascii: "#") }
        }
        while let next = byte(), !closes(self) {
            let escapes =
                next == UInt8(ascii: "\\") && (0..<pounds).allSatisfy { byte(1 + $0) == UInt8(ascii: "#") }
            if escapes, byte(1 + pounds) == UInt8(ascii: "(") {
                place += 2 + pounds
                isInterpolated = true
                read(untilParenthesis: true)
            } else if escapes {
                if byte(1 + pounds) == UInt8(ascii: "\n") { line += 1 }
                place += 2 + pounds
            } else {
                if next == UInt8(ascii: "\n") { line += 1 }
                text.append(next)
                place += 1
            }
        }
        place += (isLong ? 3 : 1) + pounds
        tokens.insert(
            Token(
                kind: .string, text: String(decoding: text, as: UTF8.self), line: first,
                isInterpolated: isInterpolated),
            at: own)
    }

    /// Whether a slash here begins a regular expression: one can't follow a value, and ends on its line.
    private var isPattern: Bool {
        guard let before = tokens.last, before.kind == .sign, "(,=:[{!&|".contains(before.text),
            let next = byte(1), next != UInt8(ascii: " ")
        else { return false }
        return bytes[(place + 1)...].prefix { $0 != UInt8(ascii: "\n") }.contains(UInt8(ascii: "/"))
    }

    private mutating func readPattern() {
        let start = place + 1
        place = start
        while let next = byte(), next != UInt8(ascii: "/"), next != UInt8(ascii: "\n") {
            place += next == UInt8(ascii: "\\") ? 2 : 1
        }
        tokens.append(
            Token(
                kind: .string, text: String(decoding: bytes[start..<min(place, bytes.count)], as: UTF8.self),
                line: line))
        place += 1
    }
}
