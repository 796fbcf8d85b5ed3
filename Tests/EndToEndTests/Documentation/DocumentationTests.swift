import Foundation
import Testing

@Suite("The documentation leads to what exists")
struct DocumentationTests {
    private static let tour = "Sources/Throng.docc/TourOfTheCode.md"

    @Test("every file that the tour names exists and holds the symbols that stand behind it")
    func tour() throws {
        let page = try MarkdownPage(Self.tour)
        #expect(faults(of: page) == [])
        // One event, and one number: a tour that leaves stages out is none.
        for way in ["From a client to a counter", "From a counter to a partner's file"] {
            let stops = try #require(try page.section(way), "the tour has no part '\(way)'").links.filter(isStop)
            #expect(stops.count >= 10, "'\(way)' has \(stops.count) stops")
        }
    }

    @Test(
        "a tour with a wrong file, symbol or link, or a symbol that is only mentioned, is found out",
        arguments: [
            "[`Sources/ThrongWire/NoBatch.swift`](../ThrongWire/NoBatch.swift) `struct Batch`",
            "[`Sources/ThrongWire/Batch/Batch.swift`](../ThrongWire/Batch/Batch.swift) `struct Bat`",
            "[`Sources/ThrongWire/Batch/Batch.swift`](../ThrongWire/Batch/Batch.swift) `struct Batch`, `func fly`",
            "[`Sources/ThrongWire/Batch/Batch.swift`](../ThrongWire/BatchID.swift) `struct BatchID`",
            "[`Sources/ThrongWire/Batch/Batch.swift`](../ThrongWire/Batch/Batch.swift) `as a client sends it`",
            "[`Sources/ThrongWire/Batch/Batch.swift`](../ThrongWire/Batch/Batch.swift)",
        ])
    func wrongTour(stop: String) throws { #expect(faults(of: try MarkdownPage(Self.tour, text: stop)).count == 1) }

    @Test("every link leads to a file, and to a heading in it, that exists")
    func links() throws {
        let pages = try MarkdownPage.all()
        #expect(pages.count > 15)
        for page in pages {
            for link in page.links {
                let own = MarkdownPage.root.appending(path: page.path)
                let file = link.file.isEmpty ? own : place(link.file, from: page)
                guard FileManager.default.fileExists(atPath: file.path) else {
                    Issue.record("\(page.path) links to \(link.file), which does not exist")
                    continue
                }
                guard let heading = link.heading else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(
                    try MarkdownPage(link.file, text: text).headings.contains(heading),
                    "\(page.path) links to \(link.file)#\(heading), and there is no such heading")
            }
        }
    }

    @Test("every file and folder that a page names exists")
    func namedPlaces() throws {
        for page in try MarkdownPage.all() {
            for name in page.namedPlaces {
                #expect(
                    FileManager.default.fileExists(atPath: MarkdownPage.root.appending(path: name).path),
                    "\(page.path) names \(name), which does not exist")
            }
        }
    }

    // MARK: The tour

    /// Whether a link is a stop of the tour: one whose text is a file.
    private func isStop(_ link: MarkdownPage.Link) -> Bool { link.text.hasPrefix("`") && link.text.contains("/") }

    private func place(_ file: String, from page: MarkdownPage) -> URL {
        page.folder.appending(path: file).standardized
    }

    /// What is wrong with a tour's stops, a line each.
    private func faults(of page: MarkdownPage) -> [String] {
        page.links.filter(isStop).flatMap { stop -> [String] in
            let name = stop.text.replacing("`", with: "")
            let file = MarkdownPage.root.appending(path: name)
            guard place(stop.file, from: page).path == file.standardized.path else {
                return ["\(name) is linked to \(stop.file)"]
            }
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return ["\(name) can't be read"] }
            guard !stop.symbols.isEmpty else { return ["\(name) stands without a symbol"] }
            return stop.symbols.filter { !holds(text, $0) }.map { "\(name) holds no '\($0)'" }
        }
    }

    /// Whether a line of code, and not of a comment, has these words; a longer name is another one.
    private func holds(_ text: String, _ words: String) -> Bool {
        func isName(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        }
        return text.split(separator: "\n").contains { line in
            let start = line.drop { $0 == " " }
            guard !["//", "--", "#"].contains(where: start.hasPrefix) else { return false }
            return line.ranges(of: words).contains { found in
                !isName(line[..<found.lowerBound].last) && !isName(line[found.upperBound...].first)
            }
        }
    }
}
