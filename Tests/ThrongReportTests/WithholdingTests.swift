import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("promise: a zero and a small cell can't be told apart in a report")
struct WithholdingTests {
    static func bytes(_ shop: Shop, _ plan: Plan? = nil) throws -> [ReportFile] {
        try ReportFiles(of: shop.document(plan ?? shop.plan), formats: ReportFormat.allCases).all
    }

    @Test("two cubes, one with a zero cell and one with a small cell, give reports that are equal to the byte")
    func zeroAgainstSmall() throws {
        // Only this grouping is released, so that no total shows the difference.
        let base = Shop()
        let insight = base.insight("both", "Both", .count, by: ["device", "region"])
        let plan = base.plan.with(insights: [insight])
        var zero = base
        zero.views[3][3] = (0, 0)
        var small = base
        small.views[3][3] = (19, 19)
        var filled = base
        filled.views[3][3] = (20, 20)
        func files(_ shop: Shop) throws -> [ReportFile] {
            let release = shop.viewsRelease(plan).showing(only: [Margin(bits: 3)], shop)
            let document = ReportDocument(
                plan: plan, report: plan.reports[0], period: Shop.period, releases: [release])
            return try ReportFiles(of: document, formats: ReportFormat.allCases).all
        }
        #expect(try files(zero) == files(small))
        #expect(try files(zero) != files(filled))
    }

    @Test("with every total released, moving a small cell to another withheld place leaves every byte as it was")
    func movedUnderTotals() throws {
        // A cycle of four withheld cells: television and other, Africa and other.
        var one = Shop()
        one.views[3][3] = (3, 3)
        one.views[3][4] = (0, 0)
        one.views[4][3] = (0, 0)
        one.views[4][4] = (3, 3)
        var two = Shop()
        two.views[3][3] = (0, 0)
        two.views[3][4] = (3, 3)
        two.views[4][3] = (3, 3)
        two.views[4][4] = (0, 0)
        #expect(try Self.bytes(one) == Self.bytes(two))
    }

    @Test("a quotient is withheld where its numerator is, and where its denominator is")
    func quotients() throws {
        var shop = Shop()
        shop.views[0][4] = (96, 19)  // Phones elsewhere: the part of "Views on a phone, by region".
        let answer = try #require(shop.document.answers.first { $0.insight.name == "phone_share_by_region" }?.answered)
        #expect(answer.table.rows[4].figure == .withheld)
        #expect(answer.table.rows[0].figure != .withheld)

        var few = Shop()
        few.views = few.views.map { $0.map { _ in (1, 0) } }
        few.views[0][0] = (19, 19)
        for answer in few.document.answers where answer.insight.metric == "product_views" {
            let table = try #require(answer.answered?.table)
            #expect(table.rows.allSatisfy { $0.figure == .withheld })
            #expect(table.rest == nil)
        }
    }

    @Test("nineteen devices are withheld at k = 20, and twenty are not", arguments: [(19, true), (20, false)])
    func threshold(devices: Int64, withheld: Bool) throws {
        var shop = Shop()
        shop.views[2][3] = (38, devices)
        let answer = try #require(shop.document.answers.first { $0.insight.name == "views_by_both" }?.answered)
        let row = try #require(answer.table.rows.first { $0.buckets == ["Desktop", "Africa"] })
        #expect((row.figure == .withheld) == withheld)
    }

    @Test("rows stand in the plan's order, whatever is withheld")
    func order() throws {
        for shop in [Shop(), Self.emptied()] {
            for answer in shop.document.answers.compactMap(\.answered) {
                let combinations = answer.axes.reduce([[]]) { heads, axis in
                    heads.flatMap { head in axis.labels.map { head + [$0] } }
                }
                #expect(answer.table.rows.map(\.buckets) == combinations)
            }
        }
    }

    private static func emptied() -> Shop {
        var shop = Shop()
        shop.views[0] = shop.views[0].map { _ in (0, 0) }
        return shop
    }

    @Test("there is one wording and one marker, in HTML and JSON")
    func oneWording() throws {
        let html = try Shop().document.html()
        let page = try PagePieces(html)
        let marked = try page.elements("//td[@class='withheld'] | //span[@class='withheld-marker']")
        let markers = Set(marked.map(\.xmlString))
        #expect(markers == ["<td class=\"withheld\">withheld</td>", "<span class=\"withheld-marker\">withheld</span>"])
        #expect(Withheld.wording == "withheld: it stands for too few people")
        for note in try page.text("//p[@class='note']") { #expect(note.hasPrefix(Withheld.wording + ".")) }
        for word in ["too small", "zero cell", "suppressed"] {
            #expect(!html.components(separatedBy: "<footer")[0].contains(word))
        }
        #expect(Shop().document.json.contains(Withheld.wording))
    }

    @Test("a metric without a release says so, and only so")
    func notReleased() throws {
        let shop = Shop()
        let document = ReportDocument(plan: shop.plan, report: shop.report, period: Shop.period, releases: [])
        #expect(document.answers.allSatisfy { $0.outcome == .notReleased })
        #expect(document.csv.contains(",not_released,group\r\n"))
        #expect(!document.csv.contains(",withheld,"))
        _ = try PagePieces(document.html())
    }

    @Test("a release of another period or another app is not read")
    func otherReleases() {
        let shop = Shop()
        let next = Shop.calendar.period(.week, containing: Shop.period.end)
        let document = ReportDocument(
            plan: shop.plan, report: shop.report, period: next, releases: shop.releases(shop.plan))
        #expect(document.sources.isEmpty)
        #expect(document.answers.allSatisfy { $0.outcome == .notReleased })
    }
}
