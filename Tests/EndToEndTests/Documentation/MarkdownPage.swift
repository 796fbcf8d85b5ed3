import Foundation

/// A page of the documentation, read as GitHub shows it: links, headings, and the places in the code that it names.
struct MarkdownPage {
    /// A link to a place of the repository.
    struct Link: Equatable {
        let text: String
        /// Relative to the page's folder; empty for a heading of the page itself.
        let file: String
        let heading: String?
        /// What stands in backticks right behind the link, separated by spaces or commas.
        let symbols: [String]
    }

    /// The repository's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// From the repository's folder.
    let path: String
    /// Without blocks of code.
    private let prose: String

    /// Reads a page of the repository.
    init(_ path: String) throws {
        try self.init(path, text: String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
    }

    /// Takes a text for a page.
    init(_ path: String, text: String) throws {
        self.path = path
        var isCode = false
        prose = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }.joined(separator: "\n")
    }

    /// All pages for readers: those at the top, and the documentation's.
    static func all() throws -> [MarkdownPage] {
        let folder = "Sources/Throng.docc"
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
        let pages = names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        return try (["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Deploy/sample/README.md"] + pages)
            .map { try MarkdownPage($0) }
    }

    /// The page's folder.
    var folder: URL { Self.root.appending(path: path).deletingLastPathComponent() }

    /// Its links that stay within the repository.
    var links: [Link] {
        prose.matches(of: /\[([^\]]*)\]\(([^)\s]+)\)((?:[,\s]\s*`[^`]+`)*)/).compactMap { match in
            let target = String(match.2)
            guard !target.contains("://") else { return nil }
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            return Link(
                text: String(match.1),
                file: String(parts[0]),
                heading: parts.count > 1 ? String(parts[1]) : nil,
                symbols: match.3.matches(of: /`([^`]+)`/).map { String($0.1) })
        }
    }

    /// The names by which links lead to its headings.
    var headings: Set<String> {
        Set(
            prose.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                let words = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
                return String(words.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) })
                    .replacing(" ", with: "-")
            })
    }

    /// The files and folders of the repository that it names in backticks.
    var namedPlaces: [String] {
        prose.matches(of: /`((?:Sources|Tests|Schema|Deploy)(?:\/[A-Za-z0-9_+.-]+)*)\/?`/).map { String($0.1) }
    }

    /// The part below a heading, up to the next one of any level; nil where there is no such heading.
    func section(_ heading: String) throws -> MarkdownPage? {
        guard let start = prose.range(of: "## \(heading)\n") else { return nil }
        let rest = prose[start.upperBound...]
        return try MarkdownPage(path, text: String(rest[..<(rest.range(of: "\n#")?.lowerBound ?? rest.endIndex)]))
    }
}
