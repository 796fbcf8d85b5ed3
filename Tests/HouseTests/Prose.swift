/// The sentences of a page of Markdown, without its code, tables, headings and lists of links.
struct Prose {
    /// The number of words of each sentence.
    private(set) var lengths: [Int] = []

    /// Cuts a page into paragraphs and points of lists, and these into sentences.
    init(_ page: String) {
        var block = ""
        var isCode = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("```") { isCode.toggle() }
            let isProse = !isCode && !text.isEmpty && !["```", "|", "#", "<"].contains { text.hasPrefix($0) }
            let point = text.prefixMatch(of: /(?:[-*]|[0-9]+\.)\s/)
            if !isProse || point != nil {
                add(block)
                block = ""
            }
            guard isProse else { continue }
            let rest = point.map { text[$0.range.upperBound...] } ?? text
            block += " \(rest)"
        }
        add(block)
    }

    /// The words of a sentence, on average; 0 where there is none.
    var meanLength: Double { lengths.isEmpty ? 0 : Double(lengths.reduce(0, +)) / Double(lengths.count) }

    private mutating func add(_ block: String) {
        let link = /\[[^\]]*\]\([^)]*\)|<doc:[^>]*>/
        guard block.replacing(link, with: "").contains(where: \.isLetter) else { return }
        var length = 0
        for word in block.split(separator: " ") {
            length += 1
            let last = word.last { !"*_\"\u{201d})]".contains($0) }
            guard last == "." || last == "?" || last == "!" else { continue }
            lengths.append(length)
            length = 0
        }
        if length > 0 { lengths.append(length) }
    }
}
