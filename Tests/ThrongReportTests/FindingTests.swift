import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("a report begins with what stands out, and says nothing of what margins leave open")
struct FindingTests {
    private static func course(
        _ weeks: [Shop?], by: [DimensionName] = [], _ view: Insight.View
    ) -> ReportDocument {
        var course = Course(weeks, insights: [])
        course.insights = [Shop().insight("it", "Product views", .count, by: by, of: "product_views", view: view)]
        return course.document
    }

    private static func shop(phones: Int64) -> Shop {
        var shop = Shop()
        shop.views[0][0].events = phones
        return shop
    }

    @Test("the largest change is told by what it contributes, with both numbers and a margin")
    func change() throws {
        let document = Self.course(
            [Self.shop(phones: 9412), Self.shop(phones: 8412)], by: ["device"], .change(against: [.periodBefore]))
        let finding = try #require(document.findings.first)
        #expect(document.findings.count == 1 && finding.place == 0 && document.nothingYet == nil)
        #expect(finding.title.hasPrefix("Actions, “Phone”: up "), "\(finding.title)")
        #expect(finding.title.hasSuffix("% (1,000) since W46"), "\(finding.title)")
        #expect(
            finding.sentence.contains(" actions now, about 14,6") && finding.sentence.hasSuffix(" in 19 of 20 cases."),
            "\(finding.sentence)")
    }

    @Test("of a breakdown and its whole, the one that moved more is told; a small group's leap is not")
    func contribution() throws {
        var now = Self.shop(phones: 9412)
        now.views[3][0].events = 343
        let title = try #require(
            Self.course([now, Shop()], by: ["device"], .change(against: [.periodBefore])).findings.first?.title)
        #expect(title.contains("“Phone”"), "\(title)")
    }

    @Test("what margins leave open is no finding")
    func open() {
        let document = Self.course(
            [Self.shop(phones: 8420), Shop()], by: ["device"], .change(against: [.periodBefore]))
        #expect(document.findings.isEmpty && document.nothingYet == nil)
    }

    @Test(
        "a number beyond all of seven or eight periods before it is told as such, up and down",
        arguments: [(9912, "more"), (7012, "less")] as [(Int64, String)])
    func outlier(phones: Int64, word: String) throws {
        let before = (0..<9).map { Self.shop(phones: 8412 + Int64($0 % 3) * 100) }
        let document = Self.course([Self.shop(phones: phones)] + before, .trend(periods: 10))
        let titles = document.findings.map(\.title)
        #expect(titles.count == 2 && titles[1] == "Actions: \(word) than in any of the 8 weeks before", "\(titles)")
        #expect(document.findings[1].sentence.contains(" now, between about 24,6"))
        // Six periods are too few, and so are eight of which one is as large.
        #expect(Self.course([Self.shop(phones: phones)] + before, .trend(periods: 7)).findings.count == 1)
        var unsure = before
        unsure[4] = Self.shop(phones: phones)
        #expect(Self.course([Self.shop(phones: phones)] + unsure, .trend(periods: 10)).findings.count == 1)
        unsure[4].views = unsure[4].views.map { $0.map { _ in (2, 0) } }
        #expect(Self.course([Self.shop(phones: phones)] + unsure, .trend(periods: 10)).findings.count == 1)
    }

    @Test("the step of a funnel from which surely the smallest part goes on is told, unless one is withheld")
    func step() throws {
        var till = Till()
        till.way[2] = [829, 100, 675]
        let finding = try #require(try till.document.findings.first)
        let title = "The smallest part goes on from “Cart” to “Address”: about 48"
        #expect(finding.title.hasPrefix(title), "\(finding.title)")
        #expect(finding.sentence.hasPrefix("About 7"), "\(finding.sentence)")
        // 48.3 and 48.4 per cent can't be told apart.
        #expect(try Till().document.findings.isEmpty)
        (till.way[2][2], till.whole) = (nil, nil)
        #expect(try till.document.findings.isEmpty)
    }

    @Test("a first report says once that there is nothing to compare with; one without comparisons does not")
    func first() throws {
        let document = Course([Shop()], insights: Course.usual).document
        #expect(document.nothingYet == "There is nothing to compare with yet.")
        #expect(document.findings.isEmpty)
        #expect(try document.html().contains("<p>There is nothing to compare with yet.</p>\n</section>"))
        #expect(Shop().document.nothingYet == nil)
        #expect(try !Shop().document.html().contains("What stands out"))
    }

    @Test("a mail begins with what stands out, and goes on with the first answers")
    func letter() throws {
        let document = Course().document
        let letter = try ReportLetter(of: document, with: try ReportFiles(of: document, formats: [.csv]))
        let finding = try #require(document.findings.first)
        #expect(letter.text.contains("\n\n\(finding.title)\n\(finding.sentence)\n\n"))
        let page = try PagePieces(document.html())
        #expect(try page.text("//section[@class='findings']//h3") == document.findings.map(\.title))
        #expect(letter.page.components(separatedBy: "<h2").count == 4)
    }

    @Test("only single numbers have tiles, large ones where they have a past; the folded sentence tells the rest")
    func tiles() throws {
        let page = try PagePieces(Course().document.html())
        // Two of the four have one number, which stands there once, with the change and the line.
        #expect(try page.elements("//li[@class='tile large']").count == 3)
        #expect(try page.elements("//li[@class='tile large'][p[@class='delta']][svg]").count == 1)
        #expect(try page.elements("//li[@class='tile']").isEmpty)
        #expect(try page.elements("//details/p[@class='answer']").count == 4)
        #expect(try page.elements("//section[@class='insight']/p[@class='answer']").count == 6)
        #expect(try page.elements("//section[@class='insight']//details").count == 10)
    }
}
