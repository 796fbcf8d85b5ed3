import Foundation
import Testing
import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A report's page taken apart by a parser that has nothing to do with the templates.
struct PagePieces {
    let root: XMLElement

    init(_ html: String) throws {
        let document = try XMLDocument(data: Data(html.utf8))
        root = try #require(document.rootElement())
    }

    func elements(_ path: String) throws -> [XMLElement] {
        try root.nodes(forXPath: path).compactMap { $0 as? XMLElement }
    }

    /// The rows of a section's table, header first, one text a cell.
    func table(section: Int) throws -> [[String]] {
        try elements("//section[@id='insight-\(section)']//table//tr").map { row in
            (row.children ?? []).compactMap { $0 as? XMLElement }.map {
                ($0.stringValue ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }
    }

    func text(_ path: String) throws -> [String] {
        try elements(path).map { ($0.stringValue ?? "").trimmingCharacters(in: .whitespacesAndNewlines) }
    }
}
