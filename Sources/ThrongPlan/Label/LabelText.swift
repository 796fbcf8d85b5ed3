/// Plain text in lines of at most 100 columns, which also reads as Markdown.
struct LabelText {
    /// Longest line. Unit: characters.
    static let width = 100
    private var lines: [String] = []

    /// The text with a line feed at its end.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// A heading with an empty line around it.
    mutating func heading(_ level: Int, _ title: String) {
        if !lines.isEmpty { gap() }
        add(title, first: String(repeating: "#", count: level) + " ", rest: "  ")
        gap()
    }

    /// A paragraph.
    mutating func paragraph(_ text: String) {
        add(text, first: "", rest: "")
        gap()
    }

    /// A line of a list.
    mutating func item(_ text: String, depth: Int = 0) {
        let indent = String(repeating: "  ", count: depth)
        add(text, first: "\(indent)- ", rest: "\(indent)  ")
    }

    /// One empty line.
    mutating func gap() {
        if lines.last != "" { lines.append("") }
    }

    private mutating func add(_ text: String, first: String, rest: String) {
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > Self.width {
                lines.append(line)
                line = rest
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
    }
}
