import Foundation
import Testing

@testable import ThrongPlan
@testable import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("A drawing is a file of its own, which any page can show")
struct DrawingTests {
    /// An attribute's number. Foundation finds none by name where the element has a namespace.
    private func number(_ element: XMLElement, _ name: String) -> Double? {
        element.attributes?.first { $0.name == name }?.stringValue.flatMap(Double.init)
    }

    @Test("each insight with a chart has one, with its own numbers, and nothing in it is from elsewhere")
    func drawings() throws {
        let document = Course().document
        let page = try PagePieces(document.html())
        let drawn = try page.elements("//section[.//div[@class='chart']]").count
        let files = try ReportFiles(of: document, formats: [.svg]).all
        #expect(files.count == drawn && drawn > 5)
        let stem = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        let names = document.answers.map { "\(stem)-\($0.insight.name).svg" }
        #expect(files.map(\.name) == names.filter(files.map(\.name).contains))
        for file in files {
            #expect(file.mediaType == "image/svg+xml")
            let text = String(decoding: file.contents, as: UTF8.self)
            let root = try #require(try XMLDocument(data: Data(file.contents)).rootElement())
            #expect(root.name == "svg" && number(root, "width") == 720)
            for word in ["<script", "href", "<image", "foreignObject", "@import", "The table has"] {
                #expect(!text.contains(word), "\(file.name) has \(word)")
            }
            #expect(text.components(separatedBy: "://").count == 2, "the namespace alone")
            for rule in ["--accent:", ".bar {", ".lines .line {", ".hatch-line {"] {
                #expect(text.contains(rule), "its style lacks \(rule)")
            }
            let insight = try #require(document.answers.first { "\(stem)-\($0.insight.name).svg" == file.name })
            #expect(text.contains(insight.insight.title) && text.contains(document.periodTitle))
        }
        let ranking = try #require(files.first { $0.name.hasSuffix("-top.svg") })
        let drawing = String(decoding: ranking.contents, as: UTF8.self)
        let figures = try page.text("//section[.//h2 = 'Where people look']//*[@class='figure']")
        #expect(!figures.isEmpty && figures.allSatisfy { drawing.contains(">\($0)<") })
    }

    @Test("drawings lie below one another, and the last one ends within the file")
    func places() throws {
        let files = try ReportFiles(of: Course().document, formats: [.svg]).all
        let trend = try #require(files.first { $0.name.hasSuffix("-device_trend.svg") })
        let root = try #require(try XMLDocument(data: Data(trend.contents)).rootElement())
        let parts = (root.children ?? []).compactMap { $0 as? XMLElement }.filter { $0.name == "svg" }
        #expect(parts.count > 1)
        for (one, next) in zip(parts, parts.dropFirst()) {
            let (top, height) = (try #require(number(one, "y")), try #require(number(one, "height")))
            #expect(top + height < (try #require(number(next, "y"))))
        }
        let last = try #require(parts.last)
        let (top, height) = (try #require(number(last, "y")), try #require(number(last, "height")))
        #expect(top + height < (try #require(number(root, "height"))))
    }

    @Test("search engines may list a page only where the plan says so")
    func robots() throws {
        var plan = Shop().plan
        for (publicity, isHidden) in [(nil, true), (.unlisted, true), (.listed, false)] as [(Publicity?, Bool)] {
            plan.reports[0].publicity = publicity
            let document = ReportDocument(plan: plan, report: plan.reports[0], period: Shop.period, releases: [])
            #expect(try document.html().contains("noindex") == isHidden)
        }
    }
}
