/// The tables of a report's page: headings and numbers, and nothing of the rest.
enum HTMLTables {
    /// - Complexity: O(scalars · tables).
    static func read(_ text: String, source: String) -> [AuditPage] {
        var pages: [AuditPage] = []
        var rest = text[...]
        while let table = between("<table", "</table>", in: rest) {
            rest = text[table.end...]
            guard let caption = between("<caption>", "</caption>", in: table.inside) else { continue }
            var cells: [String] = []
            var body = text[caption.end..<table.inside.endIndex]
            while let cell = between("<td", "</td>", in: body) {
                body = text[cell.end..<table.inside.endIndex]
                cells.append(plain(cell.inside.drop { $0 != ">" }.dropFirst()))
            }
            let numbers = cells.map { number($0) }
            pages.append(
                AuditPage(
                    source: source, title: plain(caption.inside), numbers: numbers.compactMap { $0 },
                    derived: numbers.count { $0 == nil }))
        }
        return pages
    }

    private static func between(
        _ start: String, _ end: String, in text: Substring
    ) -> (inside: Substring, end: String.Index)? {
        guard let from = text.firstRange(of: start)?.upperBound,
            let to = text[from...].firstRange(of: end)
        else { return nil }
        return (text[from..<to.lowerBound], to.upperBound)
    }

    /// Returns the text without tags, and with the few entities of a page decoded.
    private static func plain(_ text: Substring) -> String {
        var (result, isTag) = ("", false)
        for character in text {
            if character == "<" { isTag = true }
            if !isTag { result.append(character) }
            if character == ">" { isTag = false }
        }
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            result = result.replacing(entity, with: character)
        }
        return result
    }

    /// Reads a whole number in groups of three digits, and the step that it may be rounded to: the place of its last
    /// digit that is not 0. Words such as "about" may stand before it.
    private static func number(_ text: String) -> (value: Double, step: Double)? {
        func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
        let words = text.split(separator: " ").filter { !$0.allSatisfy(\.isLetter) }.joined(separator: " ")
        guard let first = words.first, isDigit(first), let last = words.last, isDigit(last) else { return nil }
        let groups = words.split { !isDigit($0) }
        guard groups.dropFirst().allSatisfy({ $0.count == 3 }), groups[0].count <= 3 || groups.count == 1,
            let value = Double(groups.joined())
        else { return nil }
        var step = 1.0
        while value > 0, step <= value, value.truncatingRemainder(dividingBy: step * 10) == 0 { step *= 10 }
        return (value, step)
    }
}
