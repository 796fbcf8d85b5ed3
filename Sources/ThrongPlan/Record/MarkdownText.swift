/// A piece of Markdown in which only literals in source code are markup: whatever is put into it is text.
///
/// Backslashes go before what CommonMark and GitHub's tables take for markup. Line breaks, control characters and those
/// that turn the direction of writing become spaces. So a text can begin no heading, list, table, link or element.
struct MarkdownText: ExpressibleByStringInterpolation, Sendable, Hashable {
    let source: String

    /// Markup.
    init(stringLiteral value: String) { source = value }

    /// Markup with texts in it.
    init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    /// Pieces with markup between them.
    init(joining pieces: [MarkdownText], by separator: MarkdownText) {
        source = pieces.map(\.source).joined(separator: separator.source)
    }

    /// Takes markup as it is, and texts as texts.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { source += literal }
        mutating func appendInterpolation(_ text: String) { source += MarkdownText.escaped(text) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { source += "\(number)" }
        mutating func appendInterpolation<Thing>(_ name: Name<Thing>) { source += MarkdownText.escaped(name.text) }
        mutating func appendInterpolation(_ markdown: MarkdownText) { source += markdown.source }
    }

    private static let markup = Set("\\`*_[]<>#|~&${}".unicodeScalars)
    /// Signs that begin a list, a heading's underline or a quotation at the start of a line.
    private static let openers = Set("-+=:".unicodeScalars)

    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isNumber = true
        for scalar in text.unicodeScalars {
            if isBlank(scalar) {
                guard let last = result.last, last != " " else { continue }
                result.append(" ")
                isNumber = false
                continue
            }
            // "1." and "1)" begin a list; CommonMark takes up to nine digits.
            let isListed = isNumber && !result.isEmpty && (scalar == "." || scalar == ")")
            if markup.contains(scalar) || result.isEmpty && openers.contains(scalar) || isListed { result.append("\\") }
            result.append(scalar)
            isNumber = isNumber && ("0"..."9").contains(scalar)
        }
        while result.last == " " { result.removeLast() }
        return String(result)
    }

    /// True for spaces, breaks, and what could make a text look like another.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}

struct MarkdownPage: Sendable {
    private var blocks: [String] = []

    /// The page without a line feed at its end.
    var text: String { blocks.joined(separator: "\n\n") }

    mutating func heading(_ level: Int, _ text: MarkdownText) {
        blocks.append(String(repeating: "#", count: level) + " " + text.source)
    }

    mutating func paragraph(_ text: MarkdownText) { blocks.append(text.source) }

    /// A list; nothing if it is empty.
    mutating func list(_ items: [MarkdownText]) {
        if !items.isEmpty { blocks.append(items.map { "- " + $0.source }.joined(separator: "\n")) }
    }

    /// A table; nothing if it has no rows.
    mutating func table(_ header: [MarkdownText], _ rows: [[MarkdownText]]) {
        guard !rows.isEmpty else { return }
        let rule: [MarkdownText] = header.map { _ in "---" }
        blocks.append(
            ([header, rule] + rows).map { "| " + $0.map(\.source).joined(separator: " | ") + " |" }
                .joined(separator: "\n"))
    }
}
