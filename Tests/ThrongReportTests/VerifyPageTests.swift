import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("One page checks signed reports in each language, and asks no network")
struct VerifyPageTests {
    @Test("the page is well-formed, has nothing from elsewhere, and says each of its words in each language")
    func page() throws {
        let page = try VerifyPage()
        let pieces = try PagePieces(page.html)
        for (path, text) in [("//style", page.style), ("//script[not(@type)]", page.script)] {
            #expect(try pieces.text(path) == [text.trimmingCharacters(in: .whitespacesAndNewlines)])
        }
        let addresses = try pieces.root.nodes(forXPath: "//@src | //@href").compactMap(\.stringValue)
        #expect(addresses == ["keys.json"])
        let bare = try VerifyPage(hasKeys: false)
        #expect(!bare.html.contains("href=") && bare.style == page.style && bare.script == page.script)
        for word in ["://", "fetch(", "XMLHttpRequest", "import(", "sendBeacon", "innerHTML", "eval("] {
            #expect(!page.script.contains(word), "the script has \(word)")
        }
        let texts = try #require(pieces.text("//script[@id = 'catalogues']").first)
        let words = try JSONDecoder().decode([String: [String: String]].self, from: Data(texts.utf8))
        #expect(words.keys.sorted() == Language.all.map(\.tag.text))
        #expect(words.filter { $0.value["dir"] == "rtl" }.map(\.key) == ["ar"])
        let shown = try pieces.root.nodes(forXPath: "//@data-say").compactMap(\.stringValue)
        let said = page.script.matches(of: /words\.(verify\w+)|"(verify\w+)"/)
            .compactMap { ($0.1 ?? $0.2).map(String.init) }
        #expect(shown.count > 5 && said.count > 5)
        #expect(Set(shown + said) == Set(try #require(words["en"]).keys.filter { $0 != "dir" }))
    }

    @Test("the script can fill in what the page says: names in braces, and nothing that only ICU understands")
    func messages() {
        for language in Language.all {
            for message in Message.allCases where message.rawValue.hasPrefix("verify") {
                let pattern = language.catalogue[message]
                let names = language.catalogue.arguments(of: message) ?? ["nothing"]
                let left = names.reduce(pattern) { $0.replacing("{\($1)}", with: "") }
                #expect(!left.contains("{") && !pattern.contains("'"), "\(language.tag): \(message): \(pattern)")
            }
        }
    }
}
